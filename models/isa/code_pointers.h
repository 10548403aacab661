// Constant rows that hold places in the code: who moves code must rewrite them.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "isa/instruction.h"

namespace heddle::isa {

/// A row of Kernel::constants with the same place in the code for all lanes. No immediate shares the row.
struct CodePointer {
  std::uint32_t offset = 0;  ///< of the row in Kernel::constants
  RowWidth width = RowWidth::k32;
  base::Pc pc = base::kNoPc;
  /// It is the return PC of the call in front of `pc`, and moves with that call.
  bool behind_call = false;
  bool as_address = false;  ///< the row holds the code address, not the PC
};

}  // namespace heddle::isa
