// Transactions of a kernel ([KiloTM] §4.2, §4.2.3): where they begin and end, whether they keep the contract, and the
// registers that a thread must find as they were when it tries again.
//
// The contract. A tx_begin has one tx_commit, in the same function, that every path from it comes to, and that nothing else
// leads to; transactions may nest. Within one, and in functions that are called there, there is no barrier, exit, .sync
// instruction, printf, assert or trap, no return from the function of the tx_begin, and no store to local or shared memory:
// the hardware undoes stores to global memory only.
#pragma once

#include "compiler/pipeline.h"

namespace heddle::compiler {

/// Kernel::transactions, and the targets of their tx_begins. Loads of global memory in kernels that have any bypass L1. Throws base::InputError for what breaks the contract.
class Transactions : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "transactions"; }
  void run(isa::Kernel& kernel) const override;
};

}  // namespace heddle::compiler
