// Taps on issue: blocks that watch what issues, such as detectors and counters. A tap says per instruction of a kernel
// whether it wants to hear of it; instructions that nobody taps cost one test of a byte.
#pragma once

#include <cstdint>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"
#include "isa/instruction.h"

namespace heddle::core {

/// Registers of the lanes that issue, as they are before the instruction writes any.
class OperandReader {
 public:
  virtual ~OperandReader() = default;
  /// What lane `lane` holds in a row of 32 or 64 bits; of a predicate 0 or 1, its negation not applied.
  [[nodiscard]] virtual std::uint64_t value(const isa::Operand& operand, unsigned lane) const = 0;
  /// The warp that one of the lanes belongs to, and that warp's lanes that have not exited.
  [[nodiscard]] virtual WarpId home(unsigned lane) const = 0;
  [[nodiscard]] virtual LaneMask live(WarpId home) const = 0;
  /// Warps that the lanes belong to.
  [[nodiscard]] virtual std::uint32_t homes(LaneMask lanes) const = 0;
};

/// What the control-flow mechanism knows of a warp.
class PathReader {
 public:
  virtual ~PathReader() = default;
  /// Splits of the warp, the one that issues included, that could go on without any other lanes doing anything.
  [[nodiscard]] virtual std::uint32_t runnable_splits(WarpId warp) const = 0;
};

struct IssueTapRequest {
  enum class Op : std::uint8_t {
    kInterest,  ///< a launch begins: is `instruction` at `pc` of interest? -> `wanted`
    kIssue,     ///< it issues. Values are read and results written after this call
  };
  Op op = Op::kIssue;
  const isa::Instruction* instruction = nullptr;
  Pc pc{};
  const LaunchContext* launch = nullptr;  ///< kInterest; PCs come in order, 0 first

  // kIssue
  Cycle cycle = 0;
  GroupId group{};
  WarpId warp{};                            ///< the slot that the group occupies
  std::uint32_t scheduler = 0;              ///< that chose it
  LaneMask mask{};                          ///< the group's lanes
  LaneMask exec{};                          ///< of these, those whose guard holds
  const OperandReader* operands = nullptr;  ///< valid during the call
  const PathReader* paths = nullptr;        ///< valid during the call

  bool wanted = false;  ///< answer of kInterest
};
using IssueTapProtocol = ProtocolOf<IssueTapRequest>;

class IssueTapPort : public sim::BlockInitiator<IssueTapProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = IssueTapRequest::Op;

  [[nodiscard]] bool wants(const isa::Instruction& instruction, Pc pc, const LaunchContext* launch) {
    return call({.op = Op::kInterest, .instruction = &instruction, .pc = pc, .launch = launch}).wanted;
  }
  void issues(IssueTapRequest& issue) { call(issue); }
};

/// Taps that a core can have: bits of IssueFacts::taps.
inline constexpr unsigned kIssueTaps = 8;

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::IssueTapProtocol);
