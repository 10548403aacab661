// Between the blocks of spin-aware scheduling: who detects, who predicts, who backs off. b_transport in zero time; what
// the hardware's time is, each answer carries.
#pragma once

#include <array>
#include <cstdint>

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

/// To the SIB prediction table: a backward branch is taken.
struct SibRequest {
  enum class Op : std::uint8_t {
    kLookUp,
    kFlush,  ///< a kernel begins
    kRead,   ///< `entry` := slot `slot`; changes nothing
  };
  static constexpr const char* kOpNames[] = {"look_up", "flush", "read"};
  Op op = Op::kLookUp;
  Pc pc{};
  Cycle cycle = 0;
  bool spinning = false;   ///< what the warp's detector says in that cycle
  std::uint32_t slot = 0;  ///< kRead

  // Answer of the table
  bool predicted = false;     ///< a confirmed SIB, before this look-up
  bool confirmed = false;     ///< confirmed by this look-up
  bool full = false;          ///< not entered, for want of room
  std::uint32_t entries = 0;  ///< in the table, after the request
  SibEntry entry{};           ///< kRead
  // Answer of its port
  bool dropped = false;  ///< it was taken
  Cycle known = 0;       ///< cycle in which the prediction is there
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
};

/// To the back-off unit: a warp has executed a SIB.
struct SpinEvent {
  WarpId warp{};
  LaneMask lanes;       ///< that took it
  Cycle cycle = 0;      ///< in which it issued
  Cycle known = 0;      ///< in which the prediction was there; the back-off is effective in the next
  bool others = false;  ///< other splits of the warp could run
};
using SpinEventProtocol = core::ProtocolOf<SpinEvent>;

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
HEDDLE_SOCKETS_ELSEWHERE(heddle::spin::SpinEventProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::spin::WindowProtocol);
