// A loaded cubin: its kernels, each with its code and constant banks, as the interpreter runs them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "frontend/sass/placed_module.h"
#include "isa/kernel.h"
#include "oracle/sass/lane.h"

namespace heddle::oracle::machine_code {

struct KernelCode {
  std::string name;
  Arch arch = Arch::kSm90;
  std::vector<Op> ops;                               ///< by code address / 16; the kernel's own from 0 on
  std::map<std::uint64_t, std::uint64_t> functions;  ///< code address by what pointers hold
  Banks banks;                                       ///< 2 and 4; the others are filled at each launch
  std::uint64_t bank0_bytes = 0;                     ///< launch values and parameters
  std::uint32_t parameter_base = 0;                  ///< of the parameters, in bank 0
  std::uint64_t bank3_address = 0;                   ///< in device memory
  std::uint64_t bank3_bytes = 0;                     ///< 0: there is none
  std::uint64_t shared_bytes = 0;                    ///< static; dynamic shared memory follows
  bool calls_driver = false;                         ///< printf, malloc, free, assert (LEPC)
  std::shared_ptr<const isa::Kernel>
      kernel;  ///< what hosts see: name, parameters, memory needs; its code is empty

  /// "0x0130: LDG.E R2, desc[UR8][R2.64]", for messages.
  [[nodiscard]] std::string text_at(std::uint64_t pc) const;
};

struct CodeModule {
  sass::PlacedModule placed;
  std::vector<KernelCode> kernels;
  std::map<std::string, base::InputError> refused;  ///< by name
};

/// Decodes every kernel. One with a word that is not known, or that the interpreter does not execute, is refused.
[[nodiscard]] CodeModule load_code(sass::Cubin cubin, const sass::Allocate& allocate);

}  // namespace heddle::oracle::machine_code
