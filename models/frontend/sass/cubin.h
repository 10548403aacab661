// Cubins: the machine code of a module for one architecture, with what a launch must know of it.
//
// Nothing is placed: addresses in relocations are for the code that allocates the module's memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/sass/elf.h"
#include "frontend/sass/instruction.h"
#include "frontend/sass/line_table.h"

namespace heddle::sass {

struct Parameter {
  std::uint32_t ordinal = 0;
  std::uint32_t offset = 0;  ///< bytes from the first parameter
  std::uint32_t size = 0;    ///< bytes
};

/// A place that holds an address. What the types do: README.md, Relocations.
struct Relocation {
  enum Type : std::uint32_t {
    kAddress64 = 2,         ///< S + A
    kGenericAddress64 = 4,  ///< S + A
    kKernel64 = 35,         ///< the driver's descriptor of a kernel, by which kernels launch it
    kLow32 = 56,            ///< bits 0 to 31 of S + A, in bits 32 to 63 of an instruction
    kHigh32 = 57,           ///< bits 32 to 63
    kCall75 = 58,           ///< (S + A) / 4 in bits 34 to 81 of CALL.ABS
    kCall90 = 75,           ///< the same in the field of sm_90
  };
  std::uint64_t offset = 0;  ///< in the section
  std::uint32_t type = 0;
  std::string symbol;
  std::int64_t addend = 0;
  bool has_addend = false;  ///< otherwise the place holds it
};

/// A constant bank or a global section as the file has it.
struct DataSection {
  std::string name;
  std::vector<std::byte> bytes;  ///< empty if all are zero
  std::uint64_t size = 0;
  std::uint64_t align = 1;
  std::vector<Relocation> relocations;
};

struct Symbol {
  std::string name;
  std::string section;      ///< empty: defined elsewhere
  std::uint64_t value = 0;  ///< offset in the section
  std::uint64_t size = 0;
  bool is_function = false;
  bool is_object = false;
  bool is_global = false;
  bool is_weak = false;
  bool is_entry = false;  ///< a kernel
};

/// A section of code: a kernel or a function that others call, and the local functions in it.
struct CodeSection {
  std::string name;  ///< of the kernel or function
  bool is_entry = false;
  std::uint64_t align = 128;
  std::vector<Word> words;
  std::vector<Symbol> functions;  ///< by offset; the section's own first
  std::vector<Relocation> relocations;

  std::uint32_t registers = 0;                  ///< per thread
  std::optional<std::uint32_t> info_registers;  ///< as the section's header has it (sm_75)
  std::uint32_t barriers = 0;                   ///< named barriers
  std::uint32_t frame_bytes = 0;                ///< of the stack, by the section's own function
  std::uint32_t stack_bytes =
      0;  ///< least stack of a thread, as far as the compiler knows: 0 for recursion too
  static constexpr std::uint32_t kReservedShared90 = 1024;
  std::uint64_t shared_bytes = 0;    ///< static shared memory, with what sm_90 reserves at its start
  std::uint32_t parameter_base = 0;  ///< first byte of the parameters in bank 0
  std::uint32_t parameter_bytes = 0;
  std::vector<Parameter> parameters;                             ///< by ordinal
  std::optional<std::array<std::uint32_t, 3>> max_threads;       ///< .maxntid
  std::optional<std::array<std::uint32_t, 3>> required_threads;  ///< .reqntid
  std::uint64_t cluster_ctas = 1;                                ///< of .reqnctapercluster
  std::vector<std::uint32_t> exit_offsets;
  struct IndirectBranch {
    std::uint32_t offset = 0;
    std::vector<std::uint32_t> targets;
  };
  std::vector<IndirectBranch> indirect_branches;
  std::uint64_t bank0_bytes = 0;     ///< of .nv.constant0, parameters included
  std::optional<DataSection> bank2;  ///< literals, jump tables, tables of functions

  /// Of shared_bytes.
  [[nodiscard]] std::uint32_t reserved_shared_bytes(Arch arch) const {
    return arch == Arch::kSm90
               ? static_cast<std::uint32_t>(std::min<std::uint64_t>(shared_bytes, kReservedShared90))
               : 0;
  }
};

struct Cubin {
  std::string name;                  ///< of the file, for messages
  std::uint32_t sm = 0;              ///< 75, 90 ...
  bool relocatable = false;          ///< made with -rdc: functions of other files are missing
  std::vector<CodeSection> code;     ///< in the order of the file
  std::optional<DataSection> bank3;  ///< __constant__ variables
  std::optional<DataSection> bank4;  ///< addresses of __device__ variables
  std::vector<DataSection> globals;  ///< .nv.global.init, .nv.global
  std::vector<Symbol> symbols;
  LineTable lines;  ///< empty without -lineinfo

  /// nullptr if there is no such kernel or function.
  [[nodiscard]] const CodeSection* find(std::string_view kernel) const;
  /// nullopt: not one of the architectures that decode() knows.
  [[nodiscard]] std::optional<Arch> arch() const;
};

/// Malformed files are base::InputError with the place in the file.
[[nodiscard]] Cubin read_cubin(std::span<const std::byte> bytes, const std::string& name);

/// Decodes a section. A word that no form explains is base::InputError with kernel, offset and word.
[[nodiscard]] std::vector<Instruction> decode_section(const Cubin& cubin, const CodeSection& code);

}  // namespace heddle::sass
