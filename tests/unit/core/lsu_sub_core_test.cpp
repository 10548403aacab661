// The load/store unit with queues of sub-cores in front, passes apart, and the counts of a profiler.
#include "unit/core/lsu_rig.h"

namespace heddle::core::lsu_test {
namespace {

class LsuWithPassesApart : public Lsu {
  void change(CoreConfig& config) override {
    config.lsu.replay_issue = false;
    config.lsu.pass_cycles = 2;
  }
};

TEST_F(LsuWithPassesApart, AnotherInstructionFollowsAtOnce) {
  address(1, 0, 16);  // four words of each bank
  bench_->issue(shared_load_, 1);
  address(2, 0, 4);  // no conflict
  bench_->issue(shared_load_, 2);
  while (bench_->finished.size() < 2) bench_->tick();
  EXPECT_EQ(bench_->finished[0], 100 + config_.shared_memory.latency_cycles + 3 * 2);
  EXPECT_EQ(bench_->finished[1], bench_->finished[0] + 1);
}

/// L1 with 32 banks of a word and four tags a pass, two cycles from pass to pass.
class LsuWithBanksOfLines : public Lsu {
  void change(CoreConfig& config) override {
    config.lsu.replay_issue = false;
    config.lsu.pass_cycles = 2;
    config.lsu.tags_per_pass = 4;
  }

 protected:
  /// Cycles that a load with these addresses takes when its lines are in L1.
  Cycle hit(const std::vector<std::uint64_t>& offsets) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t at = bench_->base + offsets[lane % offsets.size()];
      std::memcpy(bench_->warps[0].registers.data() + lane * sizeof at, &at, sizeof at);
    }
    for (unsigned round = 0;; ++round) {
      const Cycle issued = bench_->cycle;
      bench_->finished.clear();
      bench_->issue(load_, 0);
      while (bench_->finished.empty()) {
        bench_->tick();
        while (!bench_->sent.empty()) bench_->respond(7);
      }
      if (round == 1) return bench_->finished[0] - issued;
    }
  }
};

TEST_F(LsuWithBanksOfLines, LanesOfDifferentBanksShareAPassWhateverTheirLines) {
  const Cycle one = hit({0});
  EXPECT_EQ(hit({0, 128 + 4, 256 + 8, 384 + 12}), one) << "four lines, four banks";
  EXPECT_EQ(hit({0, 128}), one + 2) << "two lines, one bank";
  EXPECT_EQ(hit({0, 128, 256, 384 + 4}), one + 2 * 2) << "a bank of three lines";
  EXPECT_EQ(hit({0, 0, 0, 128 + 4}), one) << "lanes of one word share it";
}

TEST_F(LsuWithBanksOfLines, APassLooksUpFourTags) {
  std::vector<std::uint64_t> nine;
  for (unsigned i = 0; i < 9; ++i) nine.push_back(i * 132);
  EXPECT_EQ(hit(nine), hit({0}) + 2 * 2) << "nine lines and banks: three passes";
}

TEST_F(LsuWithBanksOfLines, AStoreHasItsPassesAndAnAtomicALineAPass) {
  address(0, bench_->base, 132);
  EXPECT_EQ(bench_->issue(store_, 0).extra_passes, 7u) << "32 lines and no conflict";
  isa::Instruction add = instruction(isa::Opcode::kAtomic, isa::StateSpace::kGlobal);
  add.src[0] = add.dst[0];
  add.atomic_op = isa::AtomicOp::kAdd;
  address(1, bench_->base, 132);
  EXPECT_EQ(bench_->issue(add, 1).extra_passes, 31u);
}

/// The same, and passes after the first take issue slots.
class LsuWhosePassesReplay : public Lsu {
  void change(CoreConfig& config) override {
    config.lsu.replay_issue = true;
    config.lsu.tags_per_pass = 4;
    config.l1d.mshr_entries = 1;
  }

 protected:
  /// Issue slots that a load of lanes with these addresses takes, lines coming from memory a cycle after they
  /// are asked for.
  unsigned slots(const std::vector<std::uint64_t>& offsets) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t at = bench_->base + offsets[lane % offsets.size()];
      std::memcpy(bench_->warps[0].registers.data() + lane * sizeof at, &at, sizeof at);
    }
    unsigned taken = 0;
    bench_->finished.clear();
    bench_->issue(load_, 0);
    for (unsigned cycle = 0; cycle < 200 && bench_->finished.empty(); ++cycle) {
      taken += bench_->tick().replay;
      while (!bench_->sent.empty()) bench_->respond(7);
    }
    EXPECT_EQ(bench_->finished.size(), 1u);
    return taken;
  }
};

TEST_F(LsuWhosePassesReplay, APassThatWaitedForAnMshrGoesOnWithoutAnother) {
  EXPECT_EQ(slots({0, 128 + 4}), 0u) << "two lines in one pass, one MSHR";
  EXPECT_GT(count("lsu.mshr_stall_cycles"), 0u);
  EXPECT_EQ(count("lsu.replays.uncoalesced"), 0u);
  std::vector<std::uint64_t> nine;
  for (unsigned i = 0; i < 9; ++i) nine.push_back(4096 + i * 132);
  EXPECT_EQ(slots(nine), 2u) << "three passes";
  EXPECT_EQ(count("lsu.replays.uncoalesced"), 2u);
}

class LsuWithUniformLoads : public Lsu {
  void change(CoreConfig& config) override {
    config.constant_cache.uniform_at_issue = true;
    config.constant_cache.latency_cycles = 20;
    config.constant_cache.second_kib = 2;
    config.constant_cache.second_latency_cycles = 60;
  }

 protected:
  /// Cycles from its issue until its value is there.
  Cycle run(const isa::Instruction& what) {
    const std::size_t before = bench_->finished.size();
    const Cycle issued = bench_->cycle;
    bench_->issue(what, 0);
    while (bench_->finished.size() == before) {
      bench_->tick();
      while (!bench_->sent.empty()) bench_->respond(7);
    }
    return bench_->cycle - issued;
  }
};

TEST_F(LsuWithUniformLoads, AHitIsAsFastAsAnOperand) {
  isa::Instruction uniform = param_load_;
  uniform.codes.pipe = isa::CodePipe::kUniformMove;
  address(0, 0, 0);
  EXPECT_GT(run(uniform), 1u) << "the line comes from L2";
  EXPECT_EQ(run(uniform), 1u);
  EXPECT_EQ(value(0, 31), 0x07070707u);
  EXPECT_EQ(run(param_load_), 20u) << "other loads take the queue";
  address(0, 128, 0);
  const std::array<std::byte, 64> held{std::byte{9}};
  bench_->lsu.constant_isock.hold(bench_->launch.param_base + 128, held);
  EXPECT_EQ(run(uniform), 59u) << "the second level, which the queue asks a cycle later";
  EXPECT_EQ(value(0, 0), 9u);
  EXPECT_EQ(run(uniform), 1u);
}

class LsuWhoseAtomicsReturnApart : public Lsu {
  void change(CoreConfig& config) override { config.lsu.atomic_return_cycles = 2; }
};

TEST_F(LsuWhoseAtomicsReturnApart, OldValuesOfOneWordFollowEachOther) {
  isa::Instruction add = instruction(isa::Opcode::kAtomic, isa::StateSpace::kGlobal);
  add.src[0] = add.dst[0];
  add.atomic_op = isa::AtomicOp::kAdd;
  const auto finished = [&](std::uint64_t stride, unsigned warps) {
    bench_->finished.clear();
    for (unsigned w = 0; w < warps; ++w) {
      address(w, bench_->base, stride);
      bench_->issue(add, w);
      bench_->tick();
    }
    while (bench_->sent.size() < warps) bench_->tick();
    const Cycle answered = bench_->cycle + 1;
    while (!bench_->sent.empty()) bench_->serve_memory();
    while (bench_->finished.size() < warps) bench_->tick();
    for (Cycle& cycle : bench_->finished) cycle -= answered;
    return bench_->finished;
  };
  EXPECT_EQ(finished(4, 1), (std::vector<Cycle>{1})) << "32 words";
  EXPECT_EQ(finished(0, 1), (std::vector<Cycle>{1 + 31 * 2})) << "one word";
  EXPECT_EQ(finished(0, 2), (std::vector<Cycle>{1 + 31 * 2, 1 + 62 * 2})) << "through one port";
}

class LsuWhoseReductionsTakeTheirLanes : public Lsu {
  void change(CoreConfig& config) override {
    config.lsu.reduction_lane_cycles = 3;
    config.lsu.pass_cycles = 2;
  }
};

TEST_F(LsuWhoseReductionsTakeTheirLanes, AnAccessTakesTheLanesOfItsMostWantedWord) {
  isa::Instruction add = instruction(isa::Opcode::kAtomic, isa::StateSpace::kGlobal);
  add.src[0] = add.dst[0];
  add.atomic_op = isa::AtomicOp::kAdd;
  /// Cycles from the first request of one to that of the next one.
  const auto cycles = [&](std::uint64_t stride, bool returns) {
    add.write_count = returns ? 1 : 0;
    address(0, bench_->base, stride);
    const auto accesses = std::max<std::size_t>(1, 32 * stride / 128);
    bench_->issue(add, 0);
    bench_->issue(add, 0);
    while (bench_->sent.empty()) bench_->tick();
    const Cycle first = bench_->cycle;
    while (bench_->sent.size() <= accesses) bench_->tick();
    const Cycle taken = bench_->cycle - first;
    while (bench_->sent.size() < 2 * accesses) bench_->tick();
    while (!bench_->sent.empty()) bench_->serve_memory();
    for (unsigned i = 0; i < 200; ++i) bench_->tick();
    return taken;
  };
  EXPECT_EQ(cycles(4, false), 3u) << "32 words";
  EXPECT_EQ(cycles(0, false), 96u) << "one word";
  EXPECT_EQ(cycles(128, false), 96u) << "32 lines";
  EXPECT_EQ(cycles(0, true), 1u) << "an atomic with a result takes what other accesses take";
}

class LsuWithRoomForReductions : public Lsu {
  void change(CoreConfig& config) override { config.lsu.reductions_in_flight = 40; }
};

TEST_F(LsuWithRoomForReductions, WaitsForL2WhenItIsTaken) {
  isa::Instruction add = instruction(isa::Opcode::kAtomic, isa::StateSpace::kGlobal);
  add.src[0] = add.dst[0];
  add.atomic_op = isa::AtomicOp::kAdd;
  /// Of four, how many leave the core before L2 answers the first; all do in the end.
  const auto sent = [&](std::uint64_t stride, bool returns) {
    add.write_count = returns ? 1 : 0;
    address(0, bench_->base, stride);
    for (unsigned i = 0; i < 4; ++i) bench_->issue(add, 0);
    for (unsigned i = 0; i < 200; ++i) bench_->tick();
    const std::size_t before = bench_->sent.size();
    const LsuRequest waits = bench_->tick();
    EXPECT_EQ(waits.next_due, kNever) << "the core may sleep until L2 answers";
    EXPECT_FALSE(waits.wants_port);
    for (unsigned i = 0; i < 4; ++i) {
      while (!bench_->sent.empty()) bench_->serve_memory();
      for (unsigned tick = 0; tick < 200; ++tick) bench_->tick();
    }
    EXPECT_TRUE(bench_->sent.empty());
    return before;
  };
  EXPECT_EQ(sent(0, false), 2u) << "32 lanes of a word are 32 messages: 32 leave room, 64 do not";
  EXPECT_GT(count("lsu.reduction_stall_cycles"), 150u);
  EXPECT_EQ(count("lsu.port_stall_cycles"), 0u);
  EXPECT_EQ(sent(4, false), 4u) << "32 words of a line are one";
  EXPECT_EQ(sent(0, true), 4u) << "atomics with a result are not counted";
}

class LsuWithLocalQueues : public Lsu {
  void change(CoreConfig& config) override {
    config.scheduler.count = config.scheduler.sub_cores = 2;
    config.lsu.local_queue_entries = 2;
    config.lsu.address_cycles = 4;
    config.lsu.queue_entries = 1;
  }
};

TEST_F(LsuWithLocalQueues, EachSubCoreHasRoomAndAnAddressUnitOfItsOwn) {
  for (const unsigned w : {0u, 1u, 2u}) address(w, 0, 4);
  EXPECT_EQ(bench_->issue(shared_load_, 0).full_sub_cores, 0u);
  const LsuRequest second = bench_->issue(shared_load_, 2);
  EXPECT_EQ(second.full_sub_cores, 1u) << "warps 0 and 2 are of sub-core 0";
  EXPECT_FALSE(second.full) << "sub-core 1 has room";
  EXPECT_EQ(bench_->issue(shared_load_, 1).full_sub_cores, 1u);
  while (bench_->finished.size() < 3) bench_->tick();
  const Cycle first = 100 + config_.shared_memory.latency_cycles;
  EXPECT_EQ(bench_->finished, (std::vector<Cycle>{first, first + 1, first + 4}))
      << "sub-core 0, sub-core 1, and sub-core 0 again when its address unit is free";
}

class LsuWithOverlappedPasses : public LsuWithLocalQueues {
  void change(CoreConfig& config) override {
    config.scheduler.count = config.scheduler.sub_cores = 2;
    config.lsu.local_queue_entries = 2;
    config.lsu.pass_cycles = 2;
    config.lsu.passes_overlap = true;
  }

 protected:
  /// When loads of these warps, issued at once with four passes each, are finished, from the first one's end on.
  std::vector<Cycle> finished(std::initializer_list<unsigned> warps) {
    bench_->finished.clear();
    for (const unsigned w : warps) {
      address(w, 0, 16);
      bench_->issue(shared_load_, w);
    }
    while (bench_->finished.size() < warps.size()) bench_->tick();
    const Cycle first = bench_->finished.front();
    for (Cycle& cycle : bench_->finished) cycle -= first;
    return bench_->finished;
  }
};

TEST_F(LsuWithOverlappedPasses, OfOneSubCoreAreTwoCyclesApartAndOfAnotherBetweenThem) {
  EXPECT_EQ(finished({0, 2}), (std::vector<Cycle>{0, 1 + 3 * 2})) << "both of sub-core 0";
  EXPECT_EQ(finished({0, 1}), (std::vector<Cycle>{0, 4})) << "shared memory makes a pass a cycle";
}

TEST_F(LsuWithOverlappedPasses, ALoadAloneTakesAsLongAsWithout) {
  address(0, 0, 16);
  bench_->issue(shared_load_, 0);
  while (bench_->finished.empty()) bench_->tick();
  EXPECT_EQ(bench_->finished, std::vector<Cycle>{100 + config_.shared_memory.latency_cycles + 3 * 2});
}

class LsuThatCounts : public Lsu {
  void change(CoreConfig& config) override {
    config.lsu.access_statistics = true;
    config.l1d.sector_bytes = 32;
  }

 protected:
  /// Issues it and runs until it has finished.
  void run(const isa::Instruction& what, unsigned warp) {
    const std::size_t before = bench_->finished.size();
    bench_->issue(what, warp);
    for (unsigned i = 0; i < 200 && bench_->finished.size() == before; ++i) {
      bench_->tick();
      while (!bench_->sent.empty()) bench_->respond(1);
    }
    EXPECT_EQ(bench_->finished.size(), before + 1);
  }
};

TEST_F(LsuThatCounts, InstructionsSectorsAndHitsByKind) {
  address(0, bench_->base, 4);
  run(load_, 0);  // four sectors of a line, none there
  EXPECT_EQ(count("lsu.requests.global_load"), 1u);
  EXPECT_EQ(count("lsu.sectors.global_load"), 4u);
  EXPECT_EQ(count("lsu.sectors.global_load_hit"), 0u);
  run(load_, 0);
  EXPECT_EQ(count("lsu.sectors.global_load_hit"), 4u);
  address(0, bench_->base + 96, 32);  // 32 sectors of nine lines, the first of them there
  run(load_, 0);
  EXPECT_EQ(count("lsu.requests.global_load"), 3u);
  EXPECT_EQ(count("lsu.sectors.global_load"), 40u);
  EXPECT_EQ(count("lsu.sectors.global_load_hit"), 5u);
  address(1, bench_->base, 0);
  run(store_, 1);
  EXPECT_EQ(count("lsu.requests.global_store"), 1u);
  EXPECT_EQ(count("lsu.sectors.global_store"), 1u);
  address(2, 0, 0);
  run(local_store_, 2);  // the same word of every lane: a line
  run(local_load_, 2);
  EXPECT_EQ(count("lsu.requests.local_store"), 1u);
  EXPECT_EQ(count("lsu.requests.local_load"), 1u);
  EXPECT_EQ(count("lsu.sectors.local_load"), 4u);
  EXPECT_EQ(count("lsu.sectors.global_load"), 40u);
  EXPECT_EQ(count("lsu.sectors.global_load_hit"), 5u);
  run(shared_load_, 2);
  EXPECT_EQ(count("lsu.requests.global_load"), 3u) << "shared memory is none of them";
  for (const unsigned warp : {3u, 4u}) address(warp, bench_->base + 4096, 0), bench_->issue(load_, warp);
  for (unsigned i = 0; i < 4; ++i) bench_->tick();
  EXPECT_EQ(count("lsu.sectors.global_load_hit"), 6u) << "the sector was on its way";
}

}  // namespace
}  // namespace heddle::core::lsu_test
