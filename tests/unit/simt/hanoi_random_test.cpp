// Random programs on Hanoi against threads that run alone (hanoi §8, §11): conforming code on P and X, garbage on X, and
// what each completion of the paper is good for.
#include <gtest/gtest.h>

#include <random>

#include "simt/hanoi/warp_state.h"

namespace heddle::simt {
namespace {

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
    kExit,  ///< per lane
    kEnd,
  };
  Kind kind = Kind::kWork;
  std::uint32_t barrier = 0;
  std::uint32_t target = 0;
};
using Program = std::vector<Code>;
using Kind = Code::Kind;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
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

std::uint64_t path_alone(const Program& program, std::uint64_t seed, unsigned lane) {
  Thread thread(seed, lane);
  for (std::uint32_t pc = 0;;) {
    const bool holds = thread.decides(program, pc);
    const Code& code = program[pc];
    if (code.kind == Kind::kEnd || (code.kind == Kind::kExit && holds)) return thread.path();
    pc = code.kind == Kind::kJump || (code.kind == Kind::kBranch && holds) ? code.target : pc + 1;
  }
}

enum class Outcome : std::uint8_t { kRight, kWrong, kStuck, kFault };

struct Walked {
  Outcome outcome = Outcome::kRight;
  std::uint64_t issued = 1;  ///< hash of (PC, mask)
  std::uint64_t stall_breaks = 0;
};

Walked run(const Program& program, std::uint64_t seed, const HanoiConfig& config, unsigned lanes) {
  HanoiStats stats;
  HanoiWarp warp(config, FirstSide::kAuto, stats);
  std::vector<Thread> threads;
  std::vector<std::uint32_t> spilled(base::kLanes, 0);
  for (unsigned lane = 0; lane < lanes; ++lane) threads.emplace_back(seed, lane);
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
    // I1: paths, waiting and finished lanes are a partition.
    LaneMask all = warp.waiting() | warp.finished();
    unsigned sum = warp.waiting().count() + warp.finished().count();
    for (const HanoiWarp::Path& path : warp.paths()) all |= path.mask, sum += path.mask.count();
    if (config.waiting == HanoiWaiting::kAll) {
      EXPECT_EQ(all, LaneMask::all());
      EXPECT_EQ(sum, base::kLanes);
    }
    result.issued = mixed(mixed(result.issued, pc.value()), active.bits());
    const Code& code = program[pc.value()];
    LaneMask holds;
    active.for_each([&](unsigned lane) {
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
  explicit Structured(std::uint64_t seed, bool breaks = true) : random_(seed), breaks_(breaks) {
    body(0);
    program.push_back({Kind::kEnd});
  }
  Program program;

 private:
  static constexpr std::uint32_t kDeepest = 5;
  std::uint32_t here() const { return static_cast<std::uint32_t>(program.size()); }
  std::uint32_t add(Kind kind, std::uint32_t barrier = 0) {
    program.push_back({kind, barrier, 0});
    return here() - 1;
  }
  void body(std::uint32_t depth) {
    for (std::uint64_t i = 0, count = 1 + random_() % 3; i < count; ++i) statement(depth);
  }
  void statement(std::uint32_t depth) {
    const std::uint64_t kind = random_() % 10;
    if (depth == kDeepest || kind < 2) {
      add(Kind::kWork);
    } else if (kind < 3) {
      add(Kind::kYield);
    } else if (kind < 4) {
      add(Kind::kExit);
    } else if (kind < 5 && ends_.size() > 1) {
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
    if (breaks_) add(Kind::kBreak, static_cast<std::uint32_t>(inner));
    ends_[inner - 1].push_back(add(Kind::kBranch));
  }
  void open(std::uint32_t depth) {
    region_.push_back(add(Kind::kBssy, depth));
    ends_.emplace_back();
  }
  void close(std::uint32_t depth) {
    const std::uint32_t sync = add(Kind::kBsync, depth);
    for (const std::uint32_t branch : ends_.back()) program[branch].target = sync;
    ends_.pop_back();
    program[region_.back()].target = sync + 1;
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
  bool breaks_;
  std::vector<std::vector<std::uint32_t>> ends_;  ///< by open region: branches to its BSYNC
  std::vector<std::uint32_t> region_;
};

HanoiConfig of(HanoiProfile which) {
  HanoiConfig config;
  config.profile = which;
  config.barrier_registers = 12;
  return config;
}

TEST(HanoiRandom, ConformingCodeRunsRightAndTheSameInBothProfiles) {
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    const Structured code(seed);
    const Walked p = run(code.program, seed, of(HanoiProfile::kP), seed % 2 == 0 ? 32 : 8);
    const Walked x = run(code.program, seed, of(HanoiProfile::kX), seed % 2 == 0 ? 32 : 8);
    ASSERT_EQ(p.outcome, Outcome::kRight) << seed;
    ASSERT_EQ(x.outcome, Outcome::kRight) << seed;
    ASSERT_EQ(p.issued, x.issued) << seed;
    ASSERT_EQ(x.stall_breaks, 0u) << seed;
  }
}

/// Any code: branches to anywhere, convergence instructions anywhere.
Program garbage(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto size = static_cast<std::uint32_t>(10 + random() % 60);
  Program program;
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    constexpr Kind kKinds[] = {Kind::kWork,  Kind::kBranch, Kind::kBranch, Kind::kBssy,
                               Kind::kBsync, Kind::kBssy,   Kind::kBsync,  Kind::kBreak,
                               Kind::kRead,  Kind::kWrite,  Kind::kYield,  Kind::kExit};
    Code code{kKinds[random() % std::size(kKinds)], static_cast<std::uint32_t>(random() % 4), 0};
    code.target = static_cast<std::uint32_t>(random() % (size + 1));
    // Half of the regions end at a BSYNC.
    if (code.kind == Kind::kBssy && random() % 2 == 0)
      for (std::uint32_t i = 0; i < pc; ++i)
        if (program[i].kind == Kind::kBsync) code.target = i + 1, code.barrier = program[i].barrier;
    program.push_back(code);
  }
  program.push_back({Kind::kEnd});
  return program;
}

TEST(HanoiRandom, GarbageRunsRightInX) {
  std::uint64_t breaks = 0;
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    HanoiConfig config = of(HanoiProfile::kX);
    if (seed % 3 == 1) config.yield_releases = 1 + seed % 4;
    if (seed % 5 == 0) config.bsync_skip = 3;
    config.yield = static_cast<HanoiYield>(seed % 4);
    config.reconvergence_entries = seed % 7 == 0 ? 2 : 31;
    const Walked x = run(garbage(seed), seed, config, seed % 2 == 0 ? 32 : 4);
    ASSERT_EQ(x.outcome, Outcome::kRight) << seed;
    breaks += x.stall_breaks;
  }
  EXPECT_GT(breaks, 100u);
}

struct Failures {
  int wrong = 0;
  int stuck = 0;
  int faults = 0;
};
Failures failures(const HanoiConfig& config, bool breaks = true) {
  Failures count;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    const Structured code(seed, breaks);
    const Outcome outcome = run(code.program, seed, config, 32).outcome;
    count.wrong += outcome == Outcome::kWrong ? 1 : 0;
    count.stuck += outcome == Outcome::kStuck ? 1 : 0;
    count.faults += outcome == Outcome::kFault ? 1 : 0;
  }
  return count;
}

TEST(HanoiAblation, WithoutTheEmptyPopKernelsDeadlock) {
  HanoiConfig config = of(HanoiProfile::kP);
  config.pops_empty = false;
  EXPECT_GT(failures(config).stuck, 0);
}

TEST(HanoiAblation, WithTheTopsWaitingMaskKernelsDeadlock) {
  HanoiConfig config = of(HanoiProfile::kP);
  config.waiting = HanoiWaiting::kTop;
  EXPECT_GT(failures(config).stuck, 0);
}

TEST(HanoiAblation, WithoutBreakPFailsAndXDoesNot) {
  HanoiConfig config = of(HanoiProfile::kP);
  EXPECT_GT(failures(config, false).faults, 0) << "the contract is checked";
  config.checks_contract = false;
  const Failures p = failures(config, false);
  EXPECT_GT(p.wrong + p.stuck, 0);
  const Failures x = failures(of(HanoiProfile::kX), false);
  EXPECT_EQ(x.wrong + x.stuck + x.faults, 0);
}

}  // namespace
}  // namespace heddle::simt
