// Random programs on the tables of a warp in Hanoi, beside the threads' own ways.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "simt/hanoi/warp_state.h"

namespace heddle::simt::hanoi_walk {

using Op = HanoiEvent::Op;

struct Code {
  enum class Kind : std::uint8_t {
    kWork,
    kBranch,  ///< per lane, to `target`
    kJump,
    kBssy,
    kBsync,
    kBreak,  ///< per lane, decided as the branch behind it
    kRead,
    kWrite,
    kYield,
    kExit,      ///< per lane
    kWarpSync,  ///< `barrier`: of lanes with the same number modulo it; 0: of all
    kEnd,
  };
  Kind kind = Kind::kWork;
  std::uint32_t barrier = 0;
  std::uint32_t target = 0;
};
using Program = std::vector<Code>;
using Kind = Code::Kind;

inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ (b * 0x9e3779b97f4a7c15ull)) * 0xbf58476d1ce4e5b9ull;
  x ^= x >> 29;
  return x * 0x94d049bb133111ebull ^ (x >> 32);
}

/// One thread's decisions: they depend on nothing but how far it has come.
class Thread {
 public:
  Thread(std::uint64_t seed, unsigned lane) : seed_(mixed(seed, lane + 1)) {}
  /// It executes `pc`; whether it is among those for which the instruction holds.
  bool decides(const Program& program, std::uint32_t pc) {
    constexpr std::uint64_t kLong = 300;
    path_ = mixed(path_, pc);
    ++steps_;
    const Kind kind = program[pc].kind;
    // A BREAK has the predicate of the branch behind it.
    if (kind == Kind::kBreak) return chance(program, steps_ + distance(program, pc));
    if (kind != Kind::kBranch && kind != Kind::kExit) return true;
    if (steps_ > kLong) return false;
    return chance(program, steps_);
  }
  [[nodiscard]] std::uint64_t path() const { return path_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  static std::uint64_t distance(const Program& program, std::uint32_t pc) {
    std::uint64_t steps = 0;
    while (program[pc].kind == Kind::kBreak) ++pc, ++steps;
    return steps;
  }
  [[nodiscard]] bool chance(const Program& /*program*/, std::uint64_t step) const {
    constexpr std::uint64_t kLong = 300;
    return step <= kLong && mixed(seed_, step) % 5 < 2;
  }
  std::uint64_t seed_;
  std::uint64_t path_ = 1;
  std::uint64_t steps_ = 0;
};

inline std::uint64_t path_alone(const Program& program, std::uint64_t seed, unsigned lane) {
  Thread thread(seed, lane);
  for (std::uint32_t pc = 0;;) {
    const bool holds = thread.decides(program, pc);
    const Code& code = program[pc];
    if (code.kind == Kind::kEnd || (code.kind == Kind::kExit && holds)) return thread.path();
    pc = code.kind == Kind::kJump || (code.kind == Kind::kBranch && holds) ? code.target : pc + 1;
  }
}

enum class Outcome : std::uint8_t {
  kRight,
  kWrong,  ///< a lane has gone elsewhere than it goes alone
  kStuck,
  kFault,
  kPassed,  ///< a lane has passed a WARPSYNC at which others of its mask have not been
};

/// Lanes whose WARPSYNC has this number, and whether they have been at it often enough.
class Meetings {
 public:
  explicit Meetings(unsigned lanes) : lanes_(lanes), arrived_(lanes, 0) {}
  [[nodiscard]] LaneMask members(unsigned lane, std::uint32_t modulus) const {
    LaneMask mask;
    for (unsigned other = 0; other < lanes_; ++other)
      if (modulus == 0 || other % modulus == lane % modulus) mask |= LaneMask(1u << other);
    return mask;
  }
  void arrive(unsigned lane) { ++arrived_[lane]; }
  /// The lane runs again, behind its last WARPSYNC.
  [[nodiscard]] bool complete(unsigned lane, LaneMask last, LaneMask finished) const {
    bool all = true;
    LaneMask::difference(last, finished).for_each([&](unsigned other) {
      all = all && arrived_[other] >= arrived_[lane];
    });
    return all;
  }

 private:
  unsigned lanes_;
  std::vector<std::uint64_t> arrived_;
};

struct Walked {
  Outcome outcome = Outcome::kRight;
  std::uint64_t issued = 1;  ///< hash of (PC, mask)
  std::uint64_t stall_breaks = 0;
};

inline Walked run(const Program& program, std::uint64_t seed, const HanoiConfig& config, unsigned lanes) {
  HanoiStats stats;
  const std::unique_ptr<HanoiWarp> tables = HanoiWarp::make(config, FirstSide::kAuto, stats);
  HanoiWarp& warp = *tables;
  std::vector<Thread> threads;
  std::vector<std::uint32_t> spilled(base::kLanes, 0);
  for (unsigned lane = 0; lane < lanes; ++lane) threads.emplace_back(seed, lane);
  Meetings meetings(lanes);
  std::vector<LaneMask> last(lanes);  // mask of the last WARPSYNC
  Walked result;
  HanoiEvent event;
  event.op = Op::kLaunch;
  event.exec = LaneMask::first_lanes(lanes);
  event.next = Pc{0};
  warp.serve(event);
  for (std::uint64_t issue = 0; !event.done; ++issue) {
    constexpr std::uint64_t kMost = 200'000;
    if (event.stuck || issue > kMost) {
      result.outcome = Outcome::kStuck;
      return result;
    }
    const Pc pc = event.top_pc;
    const LaneMask active = event.top_mask;
    // [Hanoi:I1]: paths, waiting and finished lanes are a partition.
    LaneMask all = warp.waiting() | warp.finished();
    unsigned sum = warp.waiting().count() + warp.finished().count();
    for (const HanoiWarp::Path& path : warp.paths()) all |= path.mask, sum += path.mask.count();
    if (config.waiting == HanoiWaiting::kAll) {
      EXPECT_EQ(all, LaneMask::all());
      EXPECT_EQ(sum, base::kLanes);
    }
    result.issued = mixed(mixed(result.issued, pc.value()), active.bits());
    const Code& code = program[pc.value()];
    bool passed = false;
    active.for_each([&](unsigned lane) {
      passed = passed || !meetings.complete(lane, last[lane], warp.finished());
      last[lane] = LaneMask{};
    });
    if (passed) {
      result.outcome = Outcome::kPassed;
      return result;
    }
    // Lanes with another mask than the lowest one's execute WARPSYNC again.
    const LaneMask members = meetings.members(active.lowest(), code.barrier);
    const LaneMask executes = code.kind == Kind::kWarpSync ? active & members : active;
    LaneMask holds;
    executes.for_each([&](unsigned lane) {
      if (threads[lane].decides(program, pc.value())) holds |= LaneMask(1u << lane);
    });
    event = {};
    event.next = Pc{pc.value() + 1};
    event.exec = holds;
    event.barrier = code.barrier;
    event.target = Pc{code.target};
    switch (code.kind) {
      case Kind::kWork:
        event.op = Op::kNext;
        break;
      case Kind::kBranch:
      case Kind::kJump:
        event.op = Op::kBranch;
        break;
      case Kind::kBssy:
        event.op = Op::kBssy;
        break;
      case Kind::kBsync:
        event.op = Op::kBsync;
        break;
      case Kind::kBreak:
        event.op = holds.any() ? Op::kBreak : Op::kNext;
        break;
      case Kind::kRead:
        event.op = Op::kBmovRead;
        event.clear = true;
        break;
      case Kind::kWrite:
        event.op = Op::kBmovWrite;
        event.value = LaneMask(spilled[active.lowest()]);
        break;
      case Kind::kYield:
        event.op = Op::kYield;
        break;
      case Kind::kExit:
        event.op = holds.any() ? Op::kExit : Op::kNext;
        break;
      case Kind::kWarpSync:
        event.op = Op::kWarpSync;
        event.value = members;
        event.again = LaneMask::difference(active, executes);
        executes.for_each([&](unsigned lane) {
          meetings.arrive(lane);
          last[lane] = members;
        });
        break;
      case Kind::kEnd:
        event.op = Op::kExit;
        break;
    }
    warp.serve(event);
    if (code.kind == Kind::kRead) active.for_each([&](unsigned lane) { spilled[lane] = event.value.bits(); });
    if (event.error != HanoiError::kNone) {
      result.outcome = Outcome::kFault;
      return result;
    }
  }
  result.stall_breaks = stats.stall_breaks;
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (threads[lane].path() != path_alone(program, seed, lane)) result.outcome = Outcome::kWrong;
  return result;
}

/// Structured code with a region around every branch and loop, its register by depth, early exits, and jumps out of
/// several regions at once.
class Structured {
 public:
  struct Options {
    bool breaks = true;
    bool drops = false;  ///< half of the regions are left out, their BREAKs too
    std::uint64_t syncs =
        0;                ///< so many statements at the top level in ten are WARPSYNCs, one mask at one place
    bool places = false;  ///< ... with one mask at several places
  };
  explicit Structured(std::uint64_t seed) : Structured(seed, Options{}) {}
  Structured(std::uint64_t seed, const Options& options) : random_(seed), options_(options) {
    for (std::uint64_t i = 0, count = options.syncs == 0 ? 1 + random_() % 3 : 6; i < count; ++i)
      options.syncs != 0 && random_() % 10 < options.syncs ? meet() : statement(0);
    program.push_back({Kind::kEnd});
  }
  Program program;

 private:
  static constexpr std::uint32_t kDeepest = 5;
  static constexpr std::uint32_t kDropped = 0xffff'ffffu;
  std::uint32_t here() const { return static_cast<std::uint32_t>(program.size()); }
  std::uint32_t add(Kind kind, std::uint32_t barrier = 0) {
    program.push_back({kind, barrier, 0});
    return here() - 1;
  }
  void body(std::uint32_t depth) {
    for (std::uint64_t i = 0, count = 1 + random_() % 3; i < count; ++i) statement(depth);
  }
  /// All lanes come here: WARPSYNC of all or of groups, in a region at whose end the groups meet; or in both arms of a
  /// branch.
  void meet() {
    constexpr std::uint32_t kGroups[] = {0, 0, 2, 4};
    const std::uint32_t groups = kGroups[random_() % std::size(kGroups)];
    open(0);
    if (!options_.places || random_() % 2 == 0) {
      add(Kind::kWarpSync, groups);
      close(0);
      return;
    }
    stays_in_ = 1;  // nobody leaves without having been at the WARPSYNC
    const std::uint32_t to_else = add(Kind::kBranch);
    body(2);
    add(Kind::kWarpSync, groups);
    ends_.back().push_back(add(Kind::kJump));
    program[to_else].target = here();
    add(Kind::kWarpSync, groups);
    body(2);
    stays_in_ = 0;
    close(0);
  }
  void statement(std::uint32_t depth) {
    const std::uint64_t kind = random_() % 10;
    if (depth == kDeepest || kind < 2) {
      add(Kind::kWork);
    } else if (kind < 3) {
      add(Kind::kYield);
    } else if (kind < 4) {
      add(Kind::kExit);
    } else if (kind < 5 && ends_.size() > stays_in_ + 1) {
      leave();
    } else if (kind < 8) {
      choice(depth);
    } else {
      loop(depth);
    }
  }
  /// Out of the two innermost regions, to the BSYNC of the next one.
  void leave() {
    const std::size_t inner = ends_.size() - 1;
    if (options_.breaks && region_[inner] != kDropped) add(Kind::kBreak, static_cast<std::uint32_t>(inner));
    ends_[inner - 1].push_back(add(Kind::kBranch));
  }
  void open(std::uint32_t depth) {
    region_.push_back(options_.drops && random_() % 2 == 0 ? kDropped : add(Kind::kBssy, depth));
    ends_.emplace_back();
  }
  void close(std::uint32_t depth) {
    const std::uint32_t sync = here();
    if (region_.back() != kDropped) program[region_.back()].target = add(Kind::kBsync, depth) + 1;
    for (const std::uint32_t branch : ends_.back()) program[branch].target = sync;
    ends_.pop_back();
    region_.pop_back();
  }
  void choice(std::uint32_t depth) {
    open(depth);
    const std::uint32_t to_else = add(Kind::kBranch);
    body(depth + 1);
    ends_.back().push_back(add(Kind::kJump));
    program[to_else].target = here();
    body(depth + 1);
    close(depth);
  }
  void loop(std::uint32_t depth) {
    open(depth);
    const std::uint32_t head = here();
    add(Kind::kWork);
    body(depth + 1);
    program[add(Kind::kBranch)].target = head;
    close(depth);
  }

  std::mt19937_64 random_;
  Options options_;
  std::size_t stays_in_ = 0;                      ///< so many regions
  std::vector<std::vector<std::uint32_t>> ends_;  ///< by open region: branches to its BSYNC
  std::vector<std::uint32_t> region_;
};

inline HanoiConfig of(HanoiProfile which) {
  HanoiConfig config;
  config.profile = which;
  config.barrier_registers = 12;
  return config;
}

}  // namespace heddle::simt::hanoi_walk
