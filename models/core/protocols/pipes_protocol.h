// Execution pipes, and write-back from them and from the load/store unit to the core.
#pragma once

#include <cstdint>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"
#include "isa/instruction.h"

namespace heddle::core {

/// Kinds of execution pipes, and the two places that take instructions without one.
enum class Pipe : std::uint8_t { kSp, kInt, kSfu, kDp, kTensor, kExchange, kMemory, kControl };
inline constexpr unsigned kPipes = static_cast<unsigned>(Pipe::kControl) + 1;

struct PipesRequest {
  enum class Op : std::uint8_t {
    kIssue,  ///< instruction of `warp` enters a collector of `pipe` (there is a free one)
    kTick,   ///< results that are due are written back through the writeback socket
  };
  Op op = Op::kTick;
  WarpId warp{};            ///< the slot that issues: whose register banks are read and written
  FormationId formation{};  ///< whose lanes they are, for the write-back
  LaneMask mask{};
  std::uint8_t homes = 1;  ///< home warps whose rows are read and written
  const isa::Instruction* instruction = nullptr;
  Pipe pipe = Pipe::kSp;
  std::uint32_t sub_core = 0;
  Cycle cycle = 0;

  // Answer
  Cycle accepts_from = 0;   ///< kIssue: first cycle in which the next instruction may enter that pipe
  Cycle busy_until = 0;     ///< kIssue: first cycle in which one of its units is free
  Cycle operands_late = 0;  ///< kIssue, memory: cycles by which its operands are late
  Cycle next_due = kNever;  ///< next completion
};
using PipesProtocol = ProtocolOf<PipesRequest>;

class PipesPort : public sim::BlockInitiator<PipesProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = PipesRequest::Op;

  void issue(PipesRequest& enters) {
    enters.op = Op::kIssue;
    call(enters);
  }
  /// When the next completion is due.
  [[nodiscard]] Cycle tick(Cycle cycle) { return call({.op = Op::kTick, .cycle = cycle}).next_due; }
};

/// From the pipes to the core: an instruction's results are in the registers.
struct WritebackRequest {
  FormationId formation{};
  LaneMask mask{};
  const isa::Instruction* instruction = nullptr;
};
using WritebackProtocol = ProtocolOf<WritebackRequest>;

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::PipesProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::core::WritebackProtocol);
