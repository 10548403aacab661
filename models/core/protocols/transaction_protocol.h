// Transactions (tbc-and-kilotm §5.2): what threads do, and which of them have to try again. The answering unit is an
// extension's; its gates decide when a tx_begin, tx_commit or tx_abort issues.
//
// To the control-flow mechanism a transaction is a call frame, so that mechanisms know nothing of transactions: a tx_begin
// calls, to return in front of the tx_commit; an abort returns some lanes; a commit returns all that are left, and calls
// again for those that try again. No reconvergence point lies within a transaction and is one of a branch outside.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"
#include "isa/instruction.h"

namespace heddle::core {

struct TransactionRequest {
  isa::TransactionOp op = isa::TransactionOp::kBegin;
  WarpId warp{};
  Pc pc{};
  LaneMask lanes;                      ///< that execute it
  std::byte* registers = nullptr;      ///< row block of the warp
  const std::byte* special = nullptr;  ///< isa::SpecialRow
  const CtaContext* cta = nullptr;
  std::uint64_t linear_warp = 0;
  Cycle cycle = 0;

  // Answer
  bool nested = false;    ///< it is within another transaction, and means nothing
  Pc begin{};             ///< of kCommit and kAbort: the tx_begin of the transaction
  Pc commit{};            ///< its tx_commit
  bool all_left = false;  ///< kAbort: no lane is left in this attempt. kCommit: always
  LaneMask retry;         ///< with `all_left`: lanes that try again, whose registers are as they were
};
using TransactionProtocol = ProtocolOf<TransactionRequest>;

}  // namespace heddle::core
