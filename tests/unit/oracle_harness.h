// Runs PTX fragments on the oracle.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "oracle/oracle.h"
#include "sim/error.h"

namespace heddle::oracle::test {

inline constexpr const char* kHeader = ".version 7.0\n.target sm_75\n.address_size 64\n";

/// What one thread computes from up to four operands. They are in %ra..%rd (32 bits), %wa..%wd (64), %fa..%fd
/// (f32) and %da..%dd (f64), all from the same 64 bits each; results go to %ro, %wo, %fo, %do and the
/// predicates %po, %qo.
struct Result {
  std::uint32_t word = 0;
  std::uint64_t wide = 0;
  std::uint32_t single = 0;
  std::uint64_t twice = 0;
  bool p = false;
  bool q = false;
};

inline Result compute(const std::string& body, std::array<std::uint64_t, 4> operands) {
  std::string text =
      std::string(kHeader) +
      ".visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{\n";
  text +=
      ".reg .b64 %out;\n.reg .b16 %h<8>;\n.reg .b32 %t<8>;\n.reg .b64 %u<8>;\n.reg .pred %p<4>, %po, %qo;\n";
  text += ".reg .b32 %ro, %ra, %rb, %rc, %rd; .reg .b64 %wo, %wa, %wb, %wc, %wd;\n";
  text += ".reg .f32 %fo, %fa, %fb, %fc, %fd; .reg .f64 %do, %da, %db, %dc, %dd;\n";
  for (const char name : {'a', 'b', 'c', 'd'}) {
    for (const char* part : {"ld.param.u64 %w@, [@];", "ld.param.u32 %r@, [@];", "ld.param.f32 %f@, [@];",
                             "ld.param.f64 %d@, [@];\n"})
      for (const char* c = part; *c != 0; ++c) text += *c == '@' ? name : *c;
  }
  text += body + "\nld.param.u64 %out, [out];\nst.global.u32 [%out], %ro;\nst.global.u64 [%out+8], %wo;\n";
  text += "st.global.f32 [%out+16], %fo;\nst.global.f64 [%out+24], %do;\n";
  text +=
      "selp.u32 %t0, 1, 0, %po;\nst.global.u32 [%out+32], %t0;\nselp.u32 %t0, 1, 0, %qo;\nst.global.u32 "
      "[%out+36], %t0;\nret;\n}\n";
  OracleDevice device;
  const auto module = device.load_ptx_text(text, "fragment.ptx");
  const std::uint64_t out = device.allocate(64, "out");
  host::Args args;
  args.add(out);
  for (const std::uint64_t operand : operands) args.add(operand);
  device.launch(module, "k", {}, args);
  const auto words = device.download<std::uint32_t>(out, 10);
  const auto wides = device.download<std::uint64_t>(out, 4);
  return {words[0], wides[1], words[4], wides[3], words[8] != 0, words[9] != 0};
}

inline std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
inline std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }
/// A negative 32-bit operand.
inline std::uint64_t s32(std::int32_t value) { return static_cast<std::uint32_t>(value); }

/// Runs `body` in a kernel k(.param .u64 out) with registers %r<16>, %w<16>, %f<8>, %p<8>, %h<4>, %out
/// loaded, %tid in %r15 and the global thread number in %r14. Returns `words` 32-bit words of out, which
/// starts as zeros.
struct Grid {
  std::string module{};  ///< declarations before the kernel
  std::string body{};
  host::Launch shape{};
  std::size_t words = 64;
  Options options{};
};

inline std::string kernel_text(const Grid& grid) {
  return std::string(kHeader) + grid.module +
         "\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<16>;\n.reg .b64 %w<16>;\n.reg .f32 "
         "%f<8>;\n.reg .pred %p<8>;\n"
         ".reg .b16 %h<4>;\n.reg .b64 %out;\nld.param.u64 %out, [out];\nmov.u32 %r15, %tid.x;\nmov.u32 %r14, "
         "%ctaid.x;\n"
         "mov.u32 %r13, %ntid.x;\nmad.lo.s32 %r14, %r14, %r13, %r15;\n" +
         grid.body + "\nret;\n}\n";
}

inline std::vector<std::uint32_t> run(const Grid& grid) {
  OracleDevice device(grid.options);
  const auto module = device.load_ptx_text(kernel_text(grid), "grid.ptx");
  const std::uint64_t out = device.allocate(grid.words * 4, "out");
  host::Args args;
  args.add(out);
  device.launch(module, "k", grid.shape, args);
  return device.download<std::uint32_t>(out, grid.words);
}

/// Message of the error that `action` throws; fails the test if it throws none of type E.
template <class E, class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "no such error was thrown";
  return {};
}

inline host::Launch launch(std::uint32_t ctas, std::uint32_t threads, std::uint32_t dynamic_shared = 0) {
  return {{ctas, 1, 1}, {threads, 1, 1}, dynamic_shared};
}

}  // namespace heddle::oracle::test
