// Runs PTX fragments on the oracle.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "oracle/oracle.h"

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

using Words = std::vector<std::uint32_t>;

/// Stores %r0 of each thread at its global number.
inline constexpr const char* kStore =
    "\nmul.wide.u32 %w15, %r14, 4; add.s64 %w15, %out, %w15; st.global.u32 [%w15], %r0;\n";

inline Words run(const Grid& grid) {
  OracleDevice device(grid.options);
  const auto module = device.load_ptx_text(kernel_text(grid), "grid.ptx");
  const std::uint64_t out = device.allocate(grid.words * 4, "out");
  host::Args args;
  args.add(out);
  device.launch(module, "k", grid.shape, args);
  return device.download<std::uint32_t>(out, grid.words);
}

/// One operand row per thread; %ha.. %ra.. %fa.. %wa.. %da.. hold its numbers in 16, 32 and 64 bits. The body
/// stores its result in %wo; %po, %qo, %ho, %h0.., %ro, %t0.., %fo, %do and %u0.. are free.
using Row = std::array<std::uint64_t, 4>;
inline std::vector<std::uint64_t> sweep(const std::string& body, const std::vector<Row>& rows) {
  std::string text = std::string(kHeader) +
                     ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 count)\n{\n"
                     ".reg .b64 %in, %out, %row, %u<4>, %wo, %wa, %wb, %wc, %wd; .reg .pred %p0, %po, %qo;\n"
                     ".reg .b32 %tid, %nt, %cta, %count, %t<4>, %ro, %ra, %rb, %rc, %rd;\n"
                     ".reg .b16 %h<4>, %ho, %ha, %hb, %hc, %hd; .reg .f32 %fo, %fa, %fb, %fc, %fd;\n"
                     ".reg .f64 %do, %da, %db, %dc, %dd;\n"
                     "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %count, [count];\n"
                     "mov.u32 %tid, %tid.x; mov.u32 %nt, %ntid.x; mov.u32 %cta, %ctaid.x;\n"
                     "mad.lo.u32 %tid, %cta, %nt, %tid; setp.ge.u32 %p0, %tid, %count; @%p0 ret;\n"
                     "mad.wide.u32 %row, %tid, 32, %in; mad.wide.u32 %out, %tid, 8, %out;\n";
  for (unsigned i = 0; i < 4; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    const std::string from = name + ", [%row+" + std::to_string(i * 8) + "];";
    text += "ld.global.u64 %w" + from + " ld.global.u32 %r" + from + " ld.global.u16 %h" + from +
            " ld.global.f32 %f" + from + " ld.global.f64 %d" + from + "\n";
  }
  text += body + "\nst.global.u64 [%out], %wo;\nret;\n}\n";
  OracleDevice device;
  const auto module = device.load_ptx_text(text, "sweep.ptx");
  const std::uint64_t in = device.upload(std::as_bytes(std::span(rows)), "in");
  const std::uint64_t out = device.allocate(rows.size() * 8, "out");
  host::Args args;
  args.add(in);
  args.add(out);
  args.add(static_cast<std::uint32_t>(rows.size()));
  const auto ctas = static_cast<std::uint32_t>((rows.size() + 255) / 256);
  device.launch(module, "k", {{ctas, 1, 1}, {256, 1, 1}, 0}, args);
  return device.download<std::uint64_t>(out, rows.size());
}

/// Runs the sweep and compares every row with reference(row).
template <class Reference>
void expect_sweep(const std::string& body, const std::vector<Row>& rows, Reference&& reference) {
  const std::vector<std::uint64_t> got = sweep(body, rows);
  unsigned reported = 0;
  for (std::size_t i = 0; i < rows.size() && reported < 5; ++i) {
    const std::uint64_t expected = reference(rows[i]);
    if (got[i] == expected) continue;
    ++reported;
    ADD_FAILURE() << body << std::hex << " of " << rows[i][0] << ", " << rows[i][1] << ", " << rows[i][2]
                  << ", " << rows[i][3] << ": " << got[i] << ", expected " << expected;
  }
}

/// splitmix64
struct Random {
  std::uint64_t state = 1;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9e37'79b9'7f4a'7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebull;
    return z ^ (z >> 31);
  }
};

/// Every combination of two of the values, and `random` rows of random bits (with few or many set).
inline std::vector<Row> operand_rows(const std::vector<std::uint64_t>& values, unsigned random) {
  std::vector<Row> rows;
  std::size_t third = 0;
  for (const std::uint64_t a : values)
    for (const std::uint64_t b : values) {
      third = (third + 7) % values.size();
      rows.push_back({a, b, values[third], values[(third * 3 + 1) % values.size()]});
    }
  Random source;
  for (unsigned i = 0; i < random; ++i)
    rows.push_back({source.next(), source.next() >> (i % 64), source.next(), source.next() & source.next()});
  return rows;
}

/// Message of the error that `action` throws; the test fails unless it throws one of type E.
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
