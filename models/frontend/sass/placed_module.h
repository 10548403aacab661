// A cubin with addresses: its variables and constant banks in device memory, its code in a code space of each kernel's own,
// relocations applied. For those that execute it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/sass/cubin.h"
#include "isa/kernel.h"

namespace heddle::sass {

/// Device memory for a variable section or a constant bank; `what` is for messages.
using Allocate =
    std::function<std::uint64_t(const std::string& what, std::uint64_t bytes, std::uint32_t align)>;

/// Memory of the module that has been allocated and is to be filled in.
struct PlacedBlock {
  std::string name;       ///< ".nv.global", "constant bank 3"
  bool constant = false;  ///< kernels do not write it
  std::uint64_t address = 0;
  std::uint64_t size = 0;        ///< bytes
  std::vector<std::byte> bytes;  ///< relocated; empty: zeros
};

/// A constant bank: its bytes as the file has them, relocated. The program may write bank 3 afterwards, in memory.
struct PlacedBank {
  std::uint64_t address = 0;  ///< in device memory; 0: the module has no such bank
  std::vector<std::byte> bytes;

  /// The 32-bit word at an offset; 0 behind the end, as on the hardware.
  [[nodiscard]] std::uint32_t word(std::uint64_t offset) const;
};

/// A kernel's code space: its own section from address 0, then the functions in sections of their own that it may call.
struct PlacedKernel {
  struct Part {
    std::size_t section = 0;  ///< index in Cubin::code
    std::uint64_t first = 0;  ///< code address, bytes
    std::uint64_t end = 0;
  };
  std::vector<Word> words;  ///< relocated, from address 0 on; NOP between the parts
  std::vector<Part> parts;  ///< ascending; the kernel's own first
  PlacedBank bank2;         ///< literals, jump tables; code addresses are of this code space
};

/// A function whose address the program has in memory or in a register: tables of functions, virtual functions. All kernels
/// know it by the same address, behind any kernel's code.
struct PlacedFunction {
  std::string name;
  std::size_t section = 0;   ///< index in Cubin::code
  std::uint64_t offset = 0;  ///< in the section
  std::uint64_t address = 0;
};

struct PlacedModule {
  Cubin cubin;
  std::vector<PlacedKernel> kernels;        ///< those that can be placed
  std::vector<isa::RefusedKernel> refused;  ///< the others
  std::vector<PlacedFunction> functions;    ///< with an address of the module's
  std::vector<PlacedBlock> blocks;          ///< all memory of the module
  PlacedBank bank3;                         ///< __constant__ variables
  PlacedBank bank4;                         ///< addresses of variables
  std::uint64_t atomic_lock = 0;  ///< what atomics on 128 bits take their turns by; 0: there are none
  std::vector<isa::GlobalVariable> variables;  ///< by name, for the program; `initial` is in the blocks

  [[nodiscard]] const CodeSection& section_of(const PlacedKernel& kernel) const {
    return cubin.code[kernel.parts.front().section];
  }
  /// Of the kernel's constant bank in device memory; 0: it is not there.
  [[nodiscard]] std::uint64_t address_of_bank(const PlacedKernel& kernel, unsigned bank) const {
    return bank == 2 ? kernel.bank2.address : bank == 3 ? bank3.address : bank == 4 ? bank4.address : 0;
  }
  /// Where the kernel's code space has the function; nullopt: the kernel cannot reach it.
  [[nodiscard]] static std::optional<std::uint64_t> place_of(const PlacedKernel& kernel,
                                                             const PlacedFunction& function) {
    for (const PlacedKernel::Part& part : kernel.parts)
      if (part.section == function.section) return part.first + function.offset;
    return std::nullopt;
  }
};

/// Allocates and relocates. A relocation that is not known, or that names what is not there, refuses the kernel that it is
/// in; in a variable or a bank of the module it is base::InputError.
[[nodiscard]] PlacedModule place(Cubin cubin, const Allocate& allocate);

}  // namespace heddle::sass
