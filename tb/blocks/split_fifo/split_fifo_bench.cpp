// The queue of splits, as model and as RTL.
#include "VSplitFifo.h"
// verilated headers first: pin_driver.h
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <set>

#include "cosim/coverage.h"
#include "cosim/lockstep_bench.h"
#include "cosim/split_fifo_pins.h"
#include "cosim/twins.h"

namespace heddle::split_fifo_bench {
namespace {

using simt::SplitFifoBlock;
using simt::SplitFifoModel;
using simt::SplitFifoRequest;
using simt::SplitId;
using Op = SplitFifoRequest::Op;
using base::LaneMask;
using base::WarpId;

constexpr std::uint32_t kWarps = 48;

// ---- Directed, through the block's socket

/// The queue and its user.
struct Rig : sc_core::sc_module {
  Rig(const sc_core::sc_module_name& name, sim::Implementation impl) : sc_module(name) {
    cosim::provide_twins(twins);
    fifo =
        std::make_unique<simt::SplitFifo>("split_fifo", kWarps, sim::ClockedTwinConfig{{impl}, {}}, &twins);
    isock.bind(fifo->split_fifo_tsock);
  }
  SplitFifoRequest operator()(SplitFifoRequest request) {
    isock.call(request);
    return request;
  }
  sim::Twins twins;
  std::unique_ptr<simt::SplitFifo> fifo;
  sim::BlockInitiator<simt::SplitFifoProtocol> isock{"isock"};
};

class SplitFifoBench : public ::testing::TestWithParam<sim::Implementation> {
 protected:
  SplitFifoBench() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
  Rig rig{"rig", GetParam()};
  const WarpId warp{5};
};

TEST_P(SplitFifoBench, SplitsTakeTurnsInTheOrderOfTheirArrival) {
  rig({.op = Op::kReset, .warp = warp});
  for (std::uint8_t id : {7, 0, 31}) rig({.op = Op::kPush, .warp = warp, .id = SplitId{id}});
  EXPECT_EQ(rig({.op = Op::kRead, .warp = warp}).queued.id, SplitId{7});
  EXPECT_EQ(rig({.op = Op::kRotate, .warp = warp}).queued.id, SplitId{0});
  const auto popped = rig({.op = Op::kPop, .warp = warp});
  EXPECT_EQ(popped.queued.id, SplitId{31});
  EXPECT_EQ(popped.count, 2u);
  EXPECT_EQ(rig({.op = Op::kRead, .warp = warp, .position = 1}).queued.id, SplitId{7});
}

TEST_P(SplitFifoBench, ABarrierReleasesOnlySplitsAllOfWhoseLanesAreNamed) {
  rig({.op = Op::kReset, .warp = warp});
  for (std::uint8_t id : {1, 2}) {
    rig({.op = Op::kPush, .warp = warp, .id = SplitId{id}});
    if (id == 2) rig({.op = Op::kRotate, .warp = warp});
    rig({.op = Op::kBlock, .warp = warp, .lanes = LaneMask(0xfu << (4 * id))});
  }
  rig({.op = Op::kUnblock, .warp = warp, .lanes = LaneMask(0x077)});
  const auto first = rig({.op = Op::kRead, .warp = warp, .position = 1}).queued;
  EXPECT_TRUE(first.blocked);
  rig({.op = Op::kUnblock, .warp = warp, .lanes = LaneMask(0x0ff0)});
  for (std::uint32_t position : {0u, 1u})
    EXPECT_FALSE(rig({.op = Op::kRead, .warp = warp, .position = position}).queued.blocked);
}

TEST_P(SplitFifoBench, TheVictimIsTheLastSplitWithContents) {
  rig({.op = Op::kReset, .warp = warp});
  for (std::uint8_t id : {3, 4, 5})
    rig({.op = Op::kPush, .warp = warp, .id = SplitId{id}, .spilled = id == 5});
  EXPECT_EQ(rig({.op = Op::kVictim, .warp = warp}).id, SplitId{4});
  rig({.op = Op::kSpilled, .warp = warp, .id = SplitId{4}});
  EXPECT_EQ(rig({.op = Op::kVictim, .warp = warp}).id, SplitId{3});
  EXPECT_EQ(rig({.op = Op::kVictim, .warp = warp, .keep_front = true}).id, simt::kNoSplit);
  rig({.op = Op::kFilling, .warp = warp, .id = SplitId{5}});
  EXPECT_TRUE(rig({.op = Op::kRead, .warp = warp, .position = 2}).queued.transient);
  rig({.op = Op::kFilled, .warp = warp, .id = SplitId{5}});
  const auto back = rig({.op = Op::kRead, .warp = warp, .position = 2}).queued;
  EXPECT_FALSE(back.spilled);
  EXPECT_TRUE(back.transient);
  EXPECT_EQ(rig({.op = Op::kVictim, .warp = warp, .keep_front = true}).id, simt::kNoSplit)
      << "it is back and has not had its turn";
  rig({.op = Op::kResident, .warp = warp, .id = SplitId{5}});
  EXPECT_EQ(rig({.op = Op::kVictim, .warp = warp, .keep_front = true}).id, SplitId{5});
}

INSTANTIATE_TEST_SUITE_P(As, SplitFifoBench, cosim::every_implementation(), cosim::name_implementation);

// ---- Random, clock by clock

/// Legal requests: a block's user never pops an empty queue, nor queues a split twice.
class Traffic {
 public:
  SplitFifoRequest operator()(const SplitFifoModel& model, std::mt19937& random) {
    // Few warps, so that their queues get long; each is reset first.
    const WarpId warp{static_cast<std::uint32_t>(random() % 4) * 15};
    SplitFifoRequest request{.warp = warp};
    if (started_.insert(warp.value()).second) {
      request.op = Op::kReset;
      return request;
    }
    std::vector<simt::QueuedSplit> queue;
    SplitFifoRequest read{.op = Op::kRead, .warp = warp};
    do {
      model.inspect(read);
      if (read.position < read.count) queue.push_back(read.queued);
    } while (++read.position < read.count);
    std::uint32_t free = ~0u;
    for (const auto& queued : queue) free &= ~(1u << queued.id.value());

    const auto any = [&] { return queue[random() % queue.size()].id; };
    const unsigned kind = random() % 64;
    // Alternately long and short queues.
    const bool grow = (random() & 0x3ff) < 0x200 + (phase_++ / 1024 % 2 ? 0x180u : 0u);
    if (queue.empty() || (kind < 24 && grow && free != 0)) {
      request.op = Op::kPush;
      std::uint8_t id;
      do id = static_cast<std::uint8_t>(random() % 32);
      while ((free >> id & 1) == 0);
      request.id = SplitId{id};
      request.spilled = random() % 4 == 0;
    } else if (kind < 24) {
      request.op = Op::kPop;
    } else if (kind < 30) {
      request.op = Op::kRotate;
    } else if (kind < 38) {
      request.op = Op::kBlock;
      request.lanes = LaneMask(1u << (random() % 32) | (random() & random()));
    } else if (kind < 44) {
      request.op = Op::kUnblock;
      request.lanes = LaneMask(random() | random() | (random() % 3 == 0 ? ~0u : 0u));
    } else if (kind < 48) {
      request.op = Op::kSpilled, request.id = any();
    } else if (kind < 52) {
      request.op = Op::kFilling, request.id = any();
    } else if (kind < 56) {
      request.op = random() % 2 ? Op::kResident : Op::kFilled, request.id = any();
    } else if (kind < 60) {
      request.op = Op::kVictim, request.keep_front = random() % 2;
    } else if (kind == 63 && random() % 32 == 0) {
      request.op = Op::kReset;
    } else {
      request.op = Op::kRead;
      request.position = random() % static_cast<std::uint32_t>(queue.size());
    }
    cover(request, queue, model);
    return request;
  }

  cosim::Coverage coverage{{"reset with splits",
                            "push into empty",
                            "push of a spilled split",
                            "32 splits",
                            "pop to empty",
                            "rotate one split",
                            "rotate a full queue",
                            "rotate a blocked split",
                            "block",
                            "block again",
                            "unblock none waiting",
                            "unblock some",
                            "unblock all of several",
                            "unblock none of several",
                            "spill front",
                            "fill on its way",
                            "filled",
                            "resident",
                            "filled front is no victim",
                            "victim is front",
                            "victim with front kept",
                            "no victim",
                            "no victim but the front",
                            "read behind the front",
                            "front wraps"}};

 private:
  void cover(const SplitFifoRequest& request, const std::vector<simt::QueuedSplit>& queue,
             const SplitFifoModel& model) {
    const std::size_t count = queue.size();
    std::size_t blocked = 0, released = 0, contents = 0;  // contents: contents that may be victims
    for (const auto& queued : queue) {
      blocked += queued.blocked;
      released += queued.blocked && request.lanes.contains(queued.lanes);
      contents += !queued.spilled && !queued.transient;
    }
    switch (request.op) {
      case Op::kReset:
        coverage.hit("reset with splits", count != 0);
        pushed_ = 0;
        break;
      case Op::kPush:
        coverage.hit("push into empty", count == 0);
        coverage.hit("push of a spilled split", request.spilled);
        coverage.hit("32 splits", count == 31);
        coverage.hit("front wraps", ++pushed_ > 40);
        break;
      case Op::kPop:
        coverage.hit("pop to empty", count == 1);
        break;
      case Op::kRotate:
        coverage.hit("rotate one split", count == 1);
        coverage.hit("rotate a full queue", count == 32);
        coverage.hit("rotate a blocked split", queue.front().blocked);
        break;
      case Op::kBlock:
        coverage.hit(queue.front().blocked ? "block again" : "block");
        break;
      case Op::kUnblock:
        coverage.hit("unblock none waiting", blocked == 0);
        coverage.hit("unblock some", released != 0 && released < blocked);
        coverage.hit("unblock all of several", blocked > 1 && released == blocked);
        coverage.hit("unblock none of several", blocked > 1 && released == 0);
        break;
      case Op::kSpilled:
        coverage.hit("spill front", request.id == queue.front().id);
        break;
      case Op::kFilling:
        coverage.hit("fill on its way");
        break;
      case Op::kResident:
        coverage.hit("resident");
        break;
      case Op::kFilled:
        coverage.hit("filled");
        break;
      case Op::kVictim: {
        SplitFifoModel copy = model;
        SplitFifoRequest victim = request;
        copy.serve(victim);
        coverage.hit("victim is front", victim.id == queue.front().id);
        coverage.hit("victim with front kept", request.keep_front && victim.id != simt::kNoSplit);
        coverage.hit("no victim", contents == 0);
        coverage.hit("no victim but the front", request.keep_front && contents == 1 &&
                                                    !queue.front().spilled && !queue.front().transient);
        coverage.hit("filled front is no victim", contents == 0 && !queue.front().spilled);
        break;
      }
      case Op::kRead:
        coverage.hit("read behind the front", request.position != 0);
        break;
    }
  }
  std::set<std::uint32_t> started_;
  unsigned phase_ = 0;
  unsigned pushed_ = 0;
};

class SplitFifoLockstep : public ::testing::TestWithParam<cosim::StallRates> {};

TEST_P(SplitFifoLockstep, EqualsItsModelClockByClock) {
  cosim::LockstepBench<VSplitFifo, cosim::SplitFifoPins, SplitFifoBlock> bench(SplitFifoModel(kWarps),
                                                                               "split_fifo", 1);
  Traffic traffic;
  bench.run(60000, GetParam(), std::ref(traffic));
  EXPECT_TRUE(traffic.coverage.missing().empty())
      << ::testing::PrintToString(traffic.coverage.missing()) << " of\n"
      << traffic.coverage.table();
}

INSTANTIATE_TEST_SUITE_P(Stalls, SplitFifoLockstep, cosim::stall_rates(), cosim::name_stalls);

/// A block that differs from the RTL in a corner: it releases splits some of whose lanes are named.
struct GenerousFifo : SplitFifoBlock {
  struct Model : SplitFifoModel {
    using SplitFifoModel::SplitFifoModel;
    void serve(SplitFifoRequest& request) {
      if (request.op == Op::kUnblock && request.lanes.count() > 24) request.lanes = LaneMask::all();
      SplitFifoModel::serve(request);
    }
  };
};

TEST(SplitFifoLockstep, SeesADifferenceInACorner) {
  // Not the object itself: a failure of the inner run is expected, once.
  static auto differ = [] {
    cosim::LockstepBench<VSplitFifo, cosim::SplitFifoPins, GenerousFifo> bench(GenerousFifo::Model(kWarps),
                                                                               "split_fifo_differs", 1);
    Traffic traffic;
    bench.run(60000, {}, std::ref(traffic));
  };
  EXPECT_FATAL_FAILURE(differ(), "clock");
}

}  // namespace
}  // namespace heddle::split_fifo_bench
