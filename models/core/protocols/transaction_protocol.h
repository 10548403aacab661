// Transactions ([KiloTM] §4.2.1): what threads do, and which of them have to try again. The answering unit is an
// extension's; its gates decide when a tx_begin, tx_commit or tx_abort issues.
//
// To the control-flow mechanism a transaction is a call frame, so that mechanisms know nothing of transactions: a tx_begin
// calls, to return in front of the tx_commit; an abort returns some lanes; a commit returns all that are left, and calls
// again for those that try again. No reconvergence point lies within a transaction and is one of a branch outside.
//
// Where lanes of a warp run apart, a split may come to an instruction before its time: it waits, as at a barrier, so that
// others of the warp have their turn, and executes it again when the extension lets it (kResume). Lanes that
// have returned come to the tx_commit once more, outside of the frame, and go on or try again from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"
#include "isa/instruction.h"

namespace heddle::core {

struct TransactionRequest {
  isa::TransactionOp op = isa::TransactionOp::kBegin;
  WarpId warp{};
  Pc pc{};
  LaneMask lanes{};                    ///< that execute it
  std::byte* registers = nullptr;      ///< row block of the warp
  const std::byte* special = nullptr;  ///< isa::SpecialRow
  const CtaContext* cta = nullptr;
  std::uint64_t linear_warp = 0;
  Cycle cycle = 0;

  // Answer
  bool waits = false;   ///< nothing has happened: the lanes wait, and execute it again
  bool leaves = true;   ///< kCommit, kAbort: the lanes are in the transaction's frame, and return from it
  bool nested = false;  ///< it is within another transaction, and means nothing
  Pc begin{};           ///< of kCommit and kAbort: the tx_begin of the transaction
  Pc commit{};          ///< its tx_commit
  bool all_left =
      false;  ///< with `leaves`: no lane is left in this attempt, all are in front of the tx_commit
  /// transport_dbg only: the tables of the mechanism, to which the transaction of `warp`, if it is in one, is added.
  nlohmann::ordered_json* table = nullptr;
  LaneMask
      retry{};  ///< with `all_left` or not `leaves`: lanes that try again, whose registers are as they were
};
using TransactionProtocol = ProtocolOf<TransactionRequest>;

class TransactionPort : public sim::BlockInitiator<TransactionProtocol> {
 public:
  using BlockInitiator::BlockInitiator;

  void execute(TransactionRequest& request) { call(request); }
  /// Adds the warp's transaction to the tables. Nothing changes.
  void show(WarpId warp, nlohmann::ordered_json& tables) { inspect({.warp = warp, .table = &tables}); }
};

/// From the extension to the core, at any time.
struct TransactionControl {
  enum class Op : std::uint8_t {
    kResume,  ///< `lanes`, which wait, execute their instruction again in a cycle to come
    kLeave,  ///< `lanes` give up their attempt: those in a group that could issue return from their innermost function,
    ///< or the transaction's frame, to `lane_target`. Others stay; they are told again later
  };
  Op op = Op::kResume;
  WarpId warp{};
  LaneMask lanes{};
  const Pc* lane_target = nullptr;  ///< kLeave: by lane
  LaneMask left{};                  ///< answer of kLeave: those that have returned
};
using TransactionControlProtocol = ProtocolOf<TransactionControl>;

class TransactionControlPort : public sim::BlockInitiator<TransactionControlProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = TransactionControl::Op;

  void resume(WarpId warp, LaneMask lanes) { call({.op = Op::kResume, .warp = warp, .lanes = lanes}); }
  /// The lanes that have returned.
  LaneMask leave(WarpId warp, LaneMask lanes, const Pc* lane_target) {
    return call({.op = Op::kLeave, .warp = warp, .lanes = lanes, .lane_target = lane_target}).left;
  }
};

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::TransactionProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::core::TransactionControlProtocol);
