// A warp: lanes, and the groups of lanes that execute together.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "oracle/sass/lane.h"

namespace heddle::oracle::machine_code {

inline constexpr unsigned kLanes = 32;

/// Lanes that are at one instruction and execute it together. Groups of a warp are disjoint; together they are its live lanes.
struct Group {
  enum class State : std::uint8_t {
    kReady,
    kAtConvergence,  ///< at a BSYNC of barrier `number`
    kAtWarpsync,
    kAtBarrier,  ///< at the CTA's barrier `number`
  };
  std::uint32_t lanes = 0;
  std::uint64_t pc = 0;  ///< code address, bytes
  State state = State::kReady;
  std::uint8_t number = 0;
  std::uint64_t turn = 0;  ///< the last round in which it ran
};

struct Warp {
  std::vector<Lane> lanes{kLanes};
  std::uint32_t live = 0;  ///< lanes that have not exited; lanes behind the CTA's last thread never are
  std::vector<Group> groups;
};

/// fn(lane number) for each lane of a mask, ascending.
template <class Fn>
void for_each_lane(std::uint32_t lanes, Fn fn) {
  for (; lanes != 0; lanes &= lanes - 1) fn(static_cast<unsigned>(std::countr_zero(lanes)));
}

// Convergence barriers. A value of B belongs to the lanes that hold it.

/// BSSY: the lanes meet again at the BSYNC of that barrier.
void begin_region(Warp& warp, unsigned barrier, std::uint32_t lanes);
/// BREAK: the lanes will not come to the BSYNC.
void leave_region(Warp& warp, unsigned barrier, std::uint32_t lanes);
/// YIELD: lanes that wait for one of these at a BSYNC wait for it no longer, nor it for them. A loop in which lanes wait for
/// a lock ends only if the holder, which waits behind the loop, may go on.
void stop_waiting_for(Warp& warp, std::uint32_t lanes);
/// Lets the groups go on for which no lane is missing any more, at their next instruction; lanes that leave one BSYNC, or
/// one WARPSYNC, together are one group. Whether any did.
bool release_complete(Warp& warp);
/// Lets every group at a BSYNC go on: for when nothing else can. Results do not depend on convergence.
bool release_all_regions(Warp& warp);

// Operations on the lanes of a group that execute an instruction together.

void vote(const Op& op, Warp& warp, std::uint32_t group, std::uint32_t executing, const Banks& banks);
void match(const Op& op, Warp& warp, std::uint32_t executing, const Banks& banks);
/// ELECT: the lowest executing lane is the elected one; its number is the whole group's.
void elect(const Op& op, Warp& warp, std::uint32_t group, std::uint32_t executing, const Banks& banks);
void shuffle(const Op& op, Warp& warp, std::uint32_t executing, const Banks& banks);
/// REDUX and R2UR: the result goes to the uniform registers of the whole group.
void reduce(const Op& op, Warp& warp, std::uint32_t group, std::uint32_t executing, const Banks& banks);
void to_uniform(const Op& op, Warp& warp, std::uint32_t group, std::uint32_t executing, const Banks& banks);

}  // namespace heddle::oracle::machine_code
