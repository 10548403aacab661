// Helpers from PTX text to syntax trees, kernels and error messages, and a machine of one warp that runs
// straight-line code to test what decoded instructions compute.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontend/ptx/decode.h"
#include "frontend/ptx/parser.h"
#include "isa/kernel.h"
#include "isa/row_bytes.h"

namespace heddle::ptx::testing {

/// The first lines of every module: three, so that the text after them starts on line 4.
inline constexpr const char* kHeader = ".version 7.0\n.target sm_75\n.address_size 64\n";
/// Registers of all types, on the line of the '{' (line 5 of kernel_text()).
inline constexpr const char* kRegisters =
    ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>; .reg .f32 %f<9>; .reg .f64 "
    "%fd<9>;";

/// A module with `globals` (one line, line 4) and a kernel k of parameters `params` whose body starts on
/// line 6.
[[nodiscard]] std::string kernel_text(const std::string& body, const std::string& params = "",
                                      const std::string& globals = "");

[[nodiscard]] Module parse(const std::string& text);
/// kAll: throws if a kernel has been refused.
enum class Kernels : std::uint8_t { kAll, kAny };
[[nodiscard]] isa::Module decode_module(const std::string& text, Kernels of = Kernels::kAll);
/// The only kernel of a module.
[[nodiscard]] std::shared_ptr<const isa::Kernel> kernel(const std::string& body,
                                                        const std::string& params = "",
                                                        const std::string& globals = "");
/// The instructions of kernel(body) without the final exit.
[[nodiscard]] std::vector<isa::Instruction> code(const std::string& body, const std::string& params = "",
                                                 const std::string& globals = "");

/// what() of the base::InputError that parsing and decoding throws; empty if it throws none.
[[nodiscard]] std::string error_of(const std::string& text);
/// The same for a kernel with that body.
[[nodiscard]] std::string body_error(const std::string& body, const std::string& params = "",
                                     const std::string& globals = "");

/// PTX text as part of a test's name: letters, digits and '_' only.
[[nodiscard]] std::string as_test_name(const std::string& text);

/// Name of an operand's register; "" for none or another row.
[[nodiscard]] std::string name_of(const isa::Kernel& kernel, const isa::Operand& operand);
/// Lane 0 of an operand's constant row.
[[nodiscard]] std::uint64_t constant_of(const isa::Kernel& kernel, const isa::Operand& operand);

/// 32 lanes that execute lane functions one after the other; every other instruction is skipped.
class OneWarp {
 public:
  explicit OneWarp(std::shared_ptr<const isa::Kernel> kernel);
  void set(const std::string& reg, unsigned lane, std::uint64_t value);
  void run(std::uint64_t cycle = 0);
  /// A predicate is 0 or 1.
  [[nodiscard]] std::uint64_t get(const std::string& reg, unsigned lane = 0) const;
  [[nodiscard]] float get_float(const std::string& reg) const;
  [[nodiscard]] std::byte* special(isa::SpecialRow row);

 private:
  struct Place {
    std::uint32_t offset = 0;
    isa::RowWidth width = isa::RowWidth::k32;
  };
  [[nodiscard]] Place place(const std::string& reg) const;
  [[nodiscard]] const std::byte* row(const isa::Operand& operand) const;

  std::shared_ptr<const isa::Kernel> kernel_;
  isa::RowBytes registers_;
  isa::RowBytes special_;
};

}  // namespace heddle::ptx::testing
