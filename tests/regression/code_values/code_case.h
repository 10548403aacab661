// Values of machine code that is not one lane's alone: memory, atomics, control flow, barriers. Words, what registers and memory hold, and
// what they hold then, as the PTX ISA and the specifications say, not as anything here computes it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "frontend/sass/word.h"
#include "host/device.h"
#include "unit/sass/case_text.h"

namespace heddle::code_values {

using sass::Arch;
inline constexpr Arch k75 = Arch::kSm75, k90 = Arch::kSm90;

/// Registers as "R4=1 W6=G+8 P0=1,0 UR3=7 X4=G": values of threads 0, 1, ... , again from the start. Memory as "G8=1,2", the words from byte 8 on
/// of global memory, "S0=1" of shared and "L0=1,2" of each thread's local memory. G is the address of global memory, SH and LO are generic ones of
/// shared and local memory; S begins at byte 0x400 of shared memory (kSharedBase). T is a handle of the
/// object, T64 its seventeenth word. What `after` does not name of G, S and the object is as before.
struct CodeCase {
  Arch arch;
  std::string code;  ///< of assemble_lines()
  std::string before;
  std::string after;
  unsigned threads = 4;
  std::string object = {};  ///< of textures: its shape, "2D"; "surface 2D"
};
inline constexpr std::uint32_t kSharedBase = 0x400;

/// Objects have texels of four whole numbers, four in a row, four rows in 2D and more, four planes in 3D, three layers. x, y and z (a plane, layer or face) of each are in it.
[[nodiscard]] constexpr std::uint32_t texel(unsigned x, unsigned y, unsigned z, unsigned component) {
  return 0xc000 + 1000 * z + 100 * y + 10 * x + component;
}

[[nodiscard]] std::vector<CodeCase> load_cases();
[[nodiscard]] std::vector<CodeCase> store_cases();
[[nodiscard]] std::vector<CodeCase> fence_cases();
[[nodiscard]] std::vector<CodeCase> atomic_cases();
[[nodiscard]] std::vector<CodeCase> control_cases();
[[nodiscard]] std::vector<CodeCase> async_cases();
[[nodiscard]] std::vector<CodeCase> texture_cases();
[[nodiscard]] std::vector<CodeCase> surface_cases();

/// An operation that neither executes, and what the model and the oracle say of it.
struct Refusal {
  Arch arch;
  std::string code;
  const char* model;
  const char* oracle;
};
[[nodiscard]] std::vector<Refusal> refusals();

// What no value depends on: eviction priorities, and orders with their scopes.
inline const std::vector<std::string> kEvictions{".EF", "", ".EL", ".LU", ".EU", ".NA"};
inline const std::vector<std::string> kOrders75{".CONSTANT.SYS", ".SYS",        ".STRONG.CTA", ".STRONG.SM",
                                                ".STRONG.GPU",   ".STRONG.SYS", ".MMIO.SYS"};
inline const std::vector<std::string> kOrders90{
    "", ".CONSTANT", ".STRONG.SM", ".STRONG.GPU", ".STRONG.SYS", ".MMIO.SYS"};

/// Runs the case on a device; a line for each value that is another one.
[[nodiscard]] std::vector<std::string> differences(host::Device& device, const CodeCase& of);

/// What a case finds behind the two addresses that are the kernel's parameters, in constant bank 0 from parameters_at() + 16 on; the last
/// word is the handle, if there is an object.
inline constexpr std::array<std::uint32_t, 4> kConstants{0x8586'8788, 0x8182'8384, 0x9192'939f, 0x1516'1718};
[[nodiscard]] constexpr unsigned parameters_at(Arch arch) { return arch == k75 ? 0x160 : 0x210; }

/// A module with the kernel `k`, of these words and an EXIT. Its parameters are two addresses and 16 bytes.
[[nodiscard]] std::string module_of(Arch arch, const std::vector<sass::Word>& words,
                                    const std::vector<std::uint32_t>& branch_targets = {});

}  // namespace heddle::code_values
