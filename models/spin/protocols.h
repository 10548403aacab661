// Between the blocks of spin-aware scheduling: who detects, who predicts, who backs off. b_transport in zero time; what
// the hardware's time is, each answer carries.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"

namespace heddle::spin {

using base::Cycle;
using base::LaneMask;
using base::Pc;
using base::WarpId;

/// To the warp history unit ([DDOS/BOWS] §6.3.1).
struct HistoryRequest {
  enum class Op : std::uint8_t {
    kLane,  ///< a setp issues for lanes `exec`, not empty: whose operands does the warp's history want? -> `lane`
    kInsert,  ///< it does; `values` are that lane's
    kLook,    ///< does the warp spin? -> `spinning`
    kReset,   ///< the warp starts or ends
  };
  Op op = Op::kInsert;
  WarpId warp{};
  Cycle cycle = 0;
  LaneMask exec{};  ///< kLane, kInsert
  Pc pc{};          ///< kInsert: normalised, in instructions from the kernel's first
  std::array<std::uint64_t, 2> values{};

  static constexpr unsigned kNoLane = 32;
  unsigned lane = kNoLane;  ///< answer of kLane; kNoLane: this setp is not recorded
  bool spinning = false;    ///< answer of kLook
};
using HistoryProtocol = core::ProtocolOf<HistoryRequest>;

class HistoryPort : public sim::BlockInitiator<HistoryProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = HistoryRequest::Op;

  /// HistoryRequest::kNoLane: it is not recorded.
  [[nodiscard]] unsigned lane(WarpId warp, LaneMask exec, Cycle cycle) {
    return call({.op = Op::kLane, .warp = warp, .cycle = cycle, .exec = exec}).lane;
  }
  void insert(HistoryRequest& setp) {
    setp.op = Op::kInsert;
    call(setp);
  }
  [[nodiscard]] bool spins(WarpId warp, Cycle cycle) {
    return call({.op = Op::kLook, .warp = warp, .cycle = cycle}).spinning;
  }
  void reset(WarpId warp) { call({.op = Op::kReset, .warp = warp}); }
};

/// A slot of the SIB prediction table.
struct SibEntry {
  bool valid = false;
  Pc pc{};
  std::uint32_t confidence = 0;
  bool predicted = false;
  bool operator==(const SibEntry&) const = default;
};

/// To the back-off unit: a warp has executed a SIB.
struct SpinEvent {
  WarpId warp{};
  LaneMask lanes;       ///< that took it
  Cycle cycle = 0;      ///< in which it issued
  Cycle known = 0;      ///< in which the prediction is there; the back-off is effective in the next
  bool others = false;  ///< other splits of the warp could run
};
using SpinEventProtocol = core::ProtocolOf<SpinEvent>;

/// timing: contract: what the SIB table says of a look-up.
struct SibAnswered {
  SpinEvent
      event;  ///< as posted; `known`: the cycle in which the answer is there. No lanes: the warp is gone
  Pc pc{};
  bool predicted = false;
  bool confirmed = false;
};

/// To the SIB prediction table: a backward branch is taken. Under `timing: ideal` a look-up is answered at once (kLookUp); under
/// `timing: contract` it is posted (kPost), and answered when its scheduler has been served (kStep).
struct SibRequest {
  enum class Op : std::uint8_t {
    kLookUp,
    kFlush,   ///< a kernel begins
    kRead,    ///< `entry` := slot `slot`; changes nothing
    kPost,    ///< scheduler `requester` looks up; it does not wait with another one (`busy`)
    kStep,    ///< cycle `cycle` begins: what has been answered since, and who waits
    kForget,  ///< warp `warp` is gone: nobody wants to know any more
  };
  static constexpr const char* kOpNames[] = {"look_up", "flush", "read", "post", "step", "forget"};
  Op op = Op::kLookUp;
  Pc pc{};
  Cycle cycle = 0;
  bool spinning = false;             ///< what the warp's detector says in that cycle
  std::uint32_t slot = 0;            ///< kRead
  std::uint32_t requester = 0;       ///< kPost
  const SpinEvent* event = nullptr;  ///< kPost: what is to be told if it is a SIB; valid during the call
  WarpId warp{};                     ///< kForget
  std::vector<SibAnswered>* answers = nullptr;  ///< kStep: they are appended, in order

  // Answer of the table
  bool predicted = false;     ///< a confirmed SIB, before this look-up
  bool confirmed = false;     ///< confirmed by this look-up
  bool full = false;          ///< not entered, for want of room
  std::uint32_t entries = 0;  ///< in the table, after the request
  SibEntry entry{};           ///< kRead
  Cycle known = 0;            ///< cycle in which the prediction is there
  std::uint32_t busy = 0;     ///< kStep: bit per scheduler whose look-up waits
};
using SibProtocol = core::ProtocolOf<SibRequest>;

class SibPort : public sim::BlockInitiator<SibProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = SibRequest::Op;

  [[nodiscard]] SibRequest look_up(Pc pc, Cycle cycle, bool spinning) {
    return call({.op = Op::kLookUp, .pc = pc, .cycle = cycle, .spinning = spinning});
  }
  void flush() { call({.op = Op::kFlush}); }
  void post(std::uint32_t requester, Pc pc, bool spinning, const SpinEvent& event) {
    call({.op = Op::kPost,
          .pc = pc,
          .cycle = event.cycle,
          .spinning = spinning,
          .requester = requester,
          .event = &event});
  }
  /// `busy`.
  [[nodiscard]] std::uint32_t step(Cycle cycle, std::vector<SibAnswered>& answers) {
    return call({.op = Op::kStep, .cycle = cycle, .answers = &answers}).busy;
  }
  void forget(WarpId warp) { call({.op = Op::kForget, .warp = warp}); }
};

/// From the back-off unit, with timing: contract, to who looks branches up.
struct LookUpRequest {
  enum class Op : std::uint8_t {
    kStep,    ///< cycle `cycle` begins: SIBs that have become known since are told
    kForget,  ///< `warp` is gone
  };
  Op op = Op::kStep;
  Cycle cycle = 0;
  WarpId warp{};

  std::uint32_t busy = 0;  ///< answer of kStep: bit per scheduler that may issue no backward branch
};
using LookUpProtocol = core::ProtocolOf<LookUpRequest>;

class LookUpPort : public sim::BlockInitiator<LookUpProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = LookUpRequest::Op;

  /// `busy`.
  [[nodiscard]] std::uint32_t step(Cycle cycle) { return call({.op = Op::kStep, .cycle = cycle}).busy; }
  void forget(WarpId warp) { call({.op = Op::kForget, .warp = warp}); }
};

/// To the delay estimator.
struct WindowRequest {
  enum class Op : std::uint8_t {
    kWindow,  ///< a window of the core has ended at `cycle` with these counts
    kReset,   ///< the core is empty
  };
  Op op = Op::kWindow;
  Cycle cycle = 0;
  std::uint64_t instructions = 0;  ///< Total: warp instructions issued
  std::uint64_t sibs = 0;

  std::uint32_t limit = 0;  ///< answer
  Cycle effective = 0;      ///< answer: from this cycle on
};
using WindowProtocol = core::ProtocolOf<WindowRequest>;

class WindowPort : public sim::BlockInitiator<WindowProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = WindowRequest::Op;

  /// `limit` and `effective`.
  [[nodiscard]] WindowRequest ends(Cycle cycle, std::uint64_t instructions, std::uint64_t sibs) {
    return call({.op = Op::kWindow, .cycle = cycle, .instructions = instructions, .sibs = sibs});
  }
  [[nodiscard]] std::uint32_t reset() { return call({.op = Op::kReset}).limit; }
};

}  // namespace heddle::spin

HEDDLE_SOCKETS_ELSEWHERE(heddle::spin::HistoryProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::spin::SibProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::spin::LookUpProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::spin::SpinEventProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::spin::WindowProtocol);
