// Gates on issue: blocks that may keep the head of a group's I-buffer from issuing, such as fences, tokens and quanta.
//
// A gate says per instruction of a kernel whether it wants to be asked about it, and per home warp whether it may be
// closed at all (kClose, kOpen). Only heads for which both hold are asked about, so an open gate costs one test of a
// byte. The state of a closed gate may change in any way: its block says so (kRecheck), and the groups that it
// kept are looked at again.
#pragma once

#include <cstdint>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"
#include "isa/instruction.h"

namespace heddle::core {

/// From the issue stage to a gate.
struct IssueGateRequest {
  enum class Op : std::uint8_t {
    kInterest,  ///< a launch begins: is `instruction` at `pc` of interest? -> `closed` means yes
    kAsk,       ///< is the gate closed for this head?
  };
  Op op = Op::kAsk;
  std::uint32_t gate = 0;  ///< its number, for GateControlRequest
  const isa::Instruction* instruction = nullptr;
  Pc pc{};
  // kAsk
  GroupId group{};
  WarpId warp{};    ///< the slot that the group occupies
  LaneMask mask{};  ///< its lanes
  LaneMask exec{};  ///< of these, those whose guard holds, as far as loads that write it are done

  bool closed = false;  ///< answer
};
using IssueGateProtocol = ProtocolOf<IssueGateRequest>;

/// From a gate to the issue stage.
struct GateControlRequest {
  enum class Op : std::uint8_t {
    kClose,    ///< the gate may be closed for warp slot `warp` from now on; its ready groups are asked about
    kRecheck,  ///< the groups of `warp` that the gate keeps are asked about again
    kOpen,     ///< the gate is open for `warp` until the next kClose; the groups that it kept may issue
  };
  Op op = Op::kClose;
  std::uint32_t gate = 0;  ///< number that the issue stage gave the gate
  WarpId warp{};
};
using GateControlProtocol = ProtocolOf<GateControlRequest>;

class GateControlPort : public sim::BlockInitiator<GateControlProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = GateControlRequest::Op;

  void close(std::uint32_t gate, WarpId warp) { call({.op = Op::kClose, .gate = gate, .warp = warp}); }
  void recheck(std::uint32_t gate, WarpId warp) { call({.op = Op::kRecheck, .gate = gate, .warp = warp}); }
  void open(std::uint32_t gate, WarpId warp) { call({.op = Op::kOpen, .gate = gate, .warp = warp}); }
};

/// Gates that a core can have: bits of IssueFacts::gates. The first two are its own: tables' holds and fences.
inline constexpr unsigned kIssueGates = 8;

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::IssueGateProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::core::GateControlProtocol);
