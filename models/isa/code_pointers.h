// Constant rows that hold code addresses. A pass that moves code must rewrite them.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "isa/instruction.h"

namespace heddle::isa {

/// A row of Kernel::constants with the same code address in all lanes. No immediate shares the row.
struct CodePointer {
  std::uint32_t offset = 0;  ///< of the row in Kernel::constants
  RowWidth width = RowWidth::k32;
  base::Pc pc = base::kNoPc;
  /// It is the return PC of the call just before `pc`, and moves with that call.
  bool behind_call = false;
  bool as_address = false;  ///< the row holds the code address, not the PC
};

}  // namespace heddle::isa
