// Reserved shared memory of sm_80 and later, where cooperative groups of several warps keep their barriers and partial results.
#pragma once

#include "frontend/ptx/ast.h"

namespace heddle::ptx {

/// A module that reads %reserved_smem_offset_begin, _end, _cap, _0 or _1 gets a shared variable of 1 KiB, as much as a card reserves,
/// and the registers become its addresses: kernels that do not ask have no such memory.
void place_reserved_shared(Module& module);

}  // namespace heddle::ptx
