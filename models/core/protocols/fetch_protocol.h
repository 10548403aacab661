// Fetch: keeps the I-buffer of every issue group filled; fetch and instruction cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"

namespace heddle::core {

/// Fetch units that may report to the core in one cycle, each of them two groups that may issue and one that has missed.
inline constexpr std::size_t kMostFetchUnits = 4;

struct FetchRequest {
  enum class Op : std::uint8_t {
    kRedirect,  ///< group starts (again) at `pc`, in `cycle`; whatever else was fetched for it is void
    kStop,      ///< group is blocked or gone: fetch nothing for it
    kPop,       ///< the head instruction of the group was issued
    kTick,      ///< one cycle passes
    kAppears,   ///< group is there from now on: the youngest (core.fetch.unit=sub_core)
  };
  Op op = Op::kTick;
  GroupId group{};
  Pc pc{};
  Cycle cycle = 0;

  // Answer
  bool head_valid = false;  ///< kPop: the I-buffer holds a next instruction
  Pc head{};                ///< kPop: its PC
  std::array<GroupId, 2 * kMostFetchUnits>
      filled{};  ///< kTick: groups whose empty I-buffer received a head instruction
  std::array<GroupId, kMostFetchUnits>
      missed{};  ///< kTick: groups with an empty I-buffer whose fetch missed in the instruction cache
  unsigned filled_count = 0;
  unsigned missed_count = 0;
  Cycle next_due = kNever;  ///< kTick: when it must be called again
};
using FetchProtocol = ProtocolOf<FetchRequest>;

class FetchPort : public sim::BlockInitiator<FetchProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = FetchRequest::Op;

  void redirect(GroupId group, Pc pc, Cycle cycle) {
    call({.op = Op::kRedirect, .group = group, .pc = pc, .cycle = cycle});
  }
  void stop(GroupId group) { call({.op = Op::kStop, .group = group}); }
  void appears(GroupId group) { call({.op = Op::kAppears, .group = group}); }
  /// Whether the I-buffer holds a next instruction.
  [[nodiscard]] bool pop(GroupId group) { return call({.op = Op::kPop, .group = group}).head_valid; }
  [[nodiscard]] FetchRequest tick(Cycle cycle) {
    FetchRequest request{.op = Op::kTick, .cycle = cycle};
    call(request);
    return request;
  }
};

/// From fetch to the instruction cache.
struct L1iRequest {
  enum class Op : std::uint8_t {
    kFetch,   ///< is `line` there? If not, it is asked for
    kFlush,   ///< invalidate everything
    kExpect,  ///< the lines from `line` to `end` arrive with the first of them
    kHold,    ///< the same, and the second level has them (core.l1i.second_latency_cycles)
  };
  enum class Result : std::uint8_t {
    kHit,
    kMiss,   ///< the line is on its way: a refill will say when it is there
    kStall,  ///< no MSHR or no room towards memory: try again
  };
  Op op = Op::kFetch;
  std::uint64_t line = 0;
  std::uint64_t end = 0;  ///< kExpect, kHold: the address behind the last line
  Cycle cycle = 0;        ///< kFetch
  Result result = Result::kHit;
  Cycle late = 0;  ///< kHit: cycles until the line arrives from the second level
};
using L1iProtocol = ProtocolOf<L1iRequest>;

class L1iPort : public sim::BlockInitiator<L1iProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = L1iRequest::Op;

  [[nodiscard]] L1iRequest fetch(std::uint64_t line, Cycle cycle) {
    return call({.op = Op::kFetch, .line = line, .cycle = cycle});
  }
  void flush() { call({.op = Op::kFlush}); }
  void expect(std::uint64_t begin, std::uint64_t end) {
    call({.op = Op::kExpect, .line = begin, .end = end});
  }
  void hold(std::uint64_t begin, std::uint64_t end) { call({.op = Op::kHold, .line = begin, .end = end}); }
};

/// From the instruction cache to fetch: `line` is there now.
struct L1iRefill {
  std::uint64_t line = 0;
};
using L1iRefillProtocol = ProtocolOf<L1iRefill>;

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::FetchProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::core::L1iProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::core::L1iRefillProtocol);
