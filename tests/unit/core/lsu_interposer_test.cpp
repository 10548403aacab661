// A unit between the core and the load/store unit that holds, answers and repeats operations. Every warp must
// still get its own values, and the core must get correct information on whether it may issue.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "core/memory/held_operation.h"
#include "unit/core/lsu_bench.h"

namespace heddle::core::lsu_interposer_test {
namespace {

using isa::Opcode;

constexpr std::uint64_t kPrivateBytes = 1024;  ///< bytes of device memory per warp
constexpr std::uint64_t kPrivate = 0x2000;
constexpr std::uint64_t kAnsweredFrom = 0x6000;  ///< the interposer answers loads of these addresses
constexpr std::uint32_t kAnswer = 0x5eed'0000;   ///< plus the lane
constexpr std::uint32_t kDataRow = 256;

std::uint64_t address_of(const MemorySlice& slice, unsigned lane) {
  std::uint64_t address = 0;
  std::memcpy(&address, slice.sources + lane * sizeof address, sizeof address);
  return address;
}
std::uint32_t data_of(const std::byte* rows, unsigned lane) {
  std::uint32_t value = 0;
  std::memcpy(&value, rows + kDataRow + lane * sizeof value, sizeof value);
  return value;
}

/// Keeps operations in order and holds each for a few cycles; repeats some loads as a separate client.
class Delay : public LsuInterposer {
 public:
  static constexpr std::size_t kCapacity = 3;
  explicit Delay(const sc_core::sc_module_name& name) : LsuInterposer(name) {}
  void bind_unit(LoadStoreUnit& unit) override {
    LsuInterposer::bind_unit(unit);
    LsuClientPort& port = unit.add_client("delay");
    own_ = port.id;
    own_isock_.bind(port.lsu_tsock);
    port.completion_isock.bind(own_tsock_);
  }
  void answer_from(std::uint64_t address) { answered_from_ = address; }
  [[nodiscard]] bool idle() const {
    return held_.empty() && repeats_.empty() && counters_.memory_outstanding == 0;
  }

  unsigned held = 0, answered = 0, repeated = 0, refused = 0, woken = 0, different = 0;

 private:
  struct Held {
    std::unique_ptr<HeldOperation> operation;
    Cycle until = 0;
    bool answer = false;
  };
  /// A load that is repeated, with its own rows.
  struct Repeat {
    isa::Instruction instruction;
    LaneMask lanes;
    isa::RowBytes rows;
    isa::RowBytes expected;
    bool offered = false, seen = false, expects = false;
    const WarpContext* home = nullptr;
  };

  [[nodiscard]] bool full() const { return held_.size() >= kCapacity; }

  void serve(LsuRequest& request) override {
    switch (request.op) {
      case LsuRequest::Op::kIssue: {
        EXPECT_FALSE(full()) << "the core was told that there is no room";
        const bool answer = address_of(request.slices[0], request.slices[0].lanes.lowest()) >= answered_from_;
        if (held_.empty() && !answer && random_() % 3 == 0 && offer(request)) {
          request.full = full();
          return;
        }
        ++held;
        held_.push_back({std::make_unique<HeldOperation>(request), request.cycle + random_() % 20, answer});
        request.full = full();
        return;
      }
      case LsuRequest::Op::kTick:
        lsu_isock.call(request);
        pass_on(request.cycle);
        request.full = full();
        if (!held_.empty() || !repeats_.empty())
          request.next_due = std::min(request.next_due, request.cycle + 1);
        return;
      default:
        lsu_isock.call(request);
        return;
    }
  }
  /// Offers the operation, and directly after it the same one again for this client.
  bool offer(const LsuRequest& operation) {
    LsuRequest request = operation;
    request.op = LsuRequest::Op::kOffer;
    lsu_isock.call(request);
    if (!request.accepted) {
      ++refused;
      return false;
    }
    if (request.instruction->op == Opcode::kLoad && !request.full && random_() % 2 == 0) repeat(request);
    return true;
  }
  void repeat(const LsuRequest& request) {
    const MemorySlice& original = request.slices[0];
    auto again = std::make_unique<Repeat>();
    again->instruction = *request.instruction;
    again->lanes = original.lanes;
    again->rows.assign(kDataRow + 128, std::byte{0});
    std::memcpy(again->rows.data(), original.sources, 256);
    again->home = static_cast<const WarpContext*>(original.counters);
    const MemorySlice mine{
        original.warp, original.lanes, again->rows.data(), again->rows.data(), nullptr, &counters_, 0};
    LsuRequest own = request;
    own.client = own_;
    own.tag = next_tag_++;
    own.instruction = &again->instruction;
    own.slices = {&mine, 1};
    own_isock_.call(own);
    ASSERT_TRUE(own.accepted);
    ++repeated;
    repeats_.push_back(std::move(again));
  }
  void pass_on(Cycle cycle) {
    while (!held_.empty() && held_.front().until <= cycle) {
      Held& oldest = held_.front();
      if (oldest.answer) {
        const MemorySlice& slice = oldest.operation->slices()[0];
        slice.lanes.for_each([&](unsigned lane) {
          const std::uint32_t value = kAnswer + lane;
          std::memcpy(slice.registers + kDataRow + lane * sizeof value, &value, sizeof value);
        });
        LsuCompletion done = oldest.operation->answered();
        completion_isock.call(done);
        ++answered;
      } else {
        if (!offer(oldest.operation->request(LsuRequest::Op::kOffer, cycle))) return;
        oldest.operation->passed_on();
      }
      held_.pop_front();
    }
  }
  void inspect(LsuRequest& request) override {
    lsu_isock.inspect(request);
    if (request.look->ask != LsuInspection::Ask::kPendingLoads) return;
    for (const Held& waiting : held_)
      for (const MemorySlice& slice : waiting.operation->slices())
        if (slice.warp == request.look->warp && waiting.operation->instruction().write_count != 0)
          request.look->pending->push_back({&waiting.operation->instruction(), slice.lanes});
  }
  void complete(LsuCompletion& done) override {
    if (done.kind == LsuCompletion::Kind::kFinished && done.instruction->op == Opcode::kLoad)
      for (const auto& again : repeats_)
        if (again->home == done.slices[0].counters && !again->expects) {
          again->expected.assign(done.slices[0].registers, done.slices[0].registers + kDataRow + 128);
          again->expects = true;
          check(*again);
          break;
        }
    completion_isock.call(done);
    std::erase_if(repeats_, [](const auto& again) { return again->expects && again->seen; });
  }
  void take_own(LsuCompletion& done) {
    EXPECT_EQ(done.client, own_);
    if (done.kind != LsuCompletion::Kind::kFinished) return;
    for (const auto& again : repeats_)
      if (&again->instruction == done.instruction) {
        again->seen = true;
        check(*again);
      }
    std::erase_if(repeats_, [](const auto& again) { return again->expects && again->seen; });
  }
  void check(const Repeat& again) {
    if (!again.seen || !again.expects) return;
    again.lanes.for_each([&](unsigned lane) {
      if (data_of(again.rows.data(), lane) != data_of(again.expected.data(), lane)) ++different;
    });
  }
  void wake(LsuWake& wake) override {
    ++woken;
    wake.full = full();
    wake_isock.call(wake);
  }

  sim::BlockInitiator<LsuProtocol> own_isock_{"own_isock"};
  sim::BlockTarget<LsuCompletionProtocol, Delay, &Delay::take_own> own_tsock_{"own_tsock", this};
  LsuClient own_ = LsuClient::kCore;
  std::uint64_t answered_from_ = 0;
  std::deque<Held> held_;
  std::vector<std::unique_ptr<Repeat>> repeats_;
  MemoryCounters counters_;
  std::uint32_t next_tag_ = 0;
  std::mt19937 random_{3};
};

TEST(LsuInterposer, RandomTrafficKeepsItsValues) {
  std::mt19937 random(11);
  CoreConfig config;
  config.l1d.size_kib = 1;
  config.l1d.ways = 2;
  config.lsu.queue_entries = 4;
  Delay delay("delay");
  LsuBench bench("bench", config, &delay);
  delay.answer_from(bench.base + kAnsweredFrom);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.begin_launch();
  TableTrafficRequest tables;
  tables.base = bench.base + 0x8000;
  bench.table_control_isock.call(tables);

  isa::Instruction load;
  load.op = Opcode::kLoad;
  load.space = isa::StateSpace::kGlobal;
  load.type = isa::Type::kU32;
  load.unit = isa::Unit::kMemory;
  load.memory.base.width = isa::RowWidth::k64;
  load.memory.base.present = true;
  load.dst[0].offset = kDataRow;
  load.dst[0].present = true;
  load.write_count = 1;
  isa::Instruction store = load;
  store.op = Opcode::kStore;
  store.src[0] = load.dst[0];
  store.dst[0] = {};
  store.write_count = 0;

  // The expected contents of each warp's memory once its operations are done, and the value its load must
  // return.
  std::array<std::vector<std::uint32_t>, kBenchWarps> words;
  std::array<std::vector<std::uint32_t>, kBenchWarps> expected;
  std::array<bool, kBenchWarps> loading{};
  for (unsigned w = 0; w < kBenchWarps; ++w) {
    words[w].resize(kPrivateBytes / 4);
    bench.warps[w].registers.assign(1024, std::byte{0});
    bench.warps[w].special.assign(isa::kSpecialBlockBytes, std::byte{0});
  }
  unsigned loads = 0, pending_seen = 0;
  bench.on_finish = [&](const LsuCompletion& done) {
    if (done.instruction->op != Opcode::kLoad) return;
    const unsigned w = done.slices[0].warp.value();
    ASSERT_TRUE(loading[w]) << "a completion too many";
    loading[w] = false;
    done.slices[0].lanes.for_each([&](unsigned lane) {
      ASSERT_EQ(data_of(bench.warps[w].registers.data(), lane), expected[w][lane]) << "warp " << w;
    });
    ++loads;
  };
  const auto issue = [&](unsigned w) {
    if (loading[w]) return;  // the scoreboard: the load's destination is pending
    const bool answered = random() % 8 == 0;
    const bool is_load = answered || random() % 2 == 0;
    const LaneMask lanes(static_cast<std::uint32_t>(random()) | 1u);
    std::byte* const rows = bench.warps[w].registers.data();
    const unsigned first = random() % (kPrivateBytes / 4 - kLanes), stride = 1 + random() % 3;
    expected[w].assign(kLanes, 0);
    lanes.for_each([&](unsigned lane) {
      const std::size_t word = (first + lane * stride) % (kPrivateBytes / 4);
      const std::uint64_t address =
          bench.base + (answered ? kAnsweredFrom + lane * 4 : kPrivate + w * kPrivateBytes + word * 4);
      std::memcpy(rows + lane * 8, &address, 8);
      if (is_load) {
        expected[w][lane] = answered ? kAnswer + lane : words[w][word];
        return;
      }
      const auto value = static_cast<std::uint32_t>(random());
      std::memcpy(rows + kDataRow + lane * 4, &value, 4);
      words[w][word] = value;
    });
    loading[w] = is_load;
    bench.issue(is_load ? load : store, w, lanes);
    // Nothing prevents the warp from overwriting what a store reads, or any operation's address.
    std::memset(rows, 0xee, is_load ? kDataRow : kDataRow + 128);
    if (is_load) {
      std::vector<PendingLoad> pending;
      (void)bench.ask({.ask = LsuInspection::Ask::kPendingLoads, .warp = WarpId{w}, .pending = &pending});
      EXPECT_EQ(pending.size(), 1u) << "held or not";
      pending_seen += static_cast<unsigned>(pending.size());
    }
  };
  simt::TableEntryTransfer spill;
  spill.word_count = 3;
  for (unsigned cycle = 0; cycle < 20'000; ++cycle) {
    bench.tick();
    for (unsigned i = 0; i < 2; ++i)
      if (!bench.full && random() % 2 == 0) issue(random() % kBenchWarps);
    if (random() % 16 == 0) {  // another client takes entries of the queue
      spill.warp = WarpId{static_cast<std::uint32_t>(random() % kBenchWarps)};
      spill.cycle = bench.cycle;
      bench.table_isock.call(spill);
    }
    if (!bench.sent.empty() && random() % 2 == 0) bench.serve_memory();
  }
  for (unsigned cycle = 0; cycle < 2'000; ++cycle) {
    bench.tick();
    if (!bench.sent.empty()) bench.serve_memory();
  }
  EXPECT_TRUE(delay.idle());
  for (unsigned w = 0; w < kBenchWarps; ++w) {
    EXPECT_FALSE(loading[w]);
    EXPECT_EQ(bench.warps[w].memory_outstanding, 0u);
    EXPECT_EQ(bench.warps[w].order_outstanding, 0u);
    EXPECT_EQ(bench.warps[w].fills_outstanding, 0u);
    for (std::size_t i = 0; i < words[w].size(); ++i) {
      std::uint32_t stored = 0;
      std::memcpy(&stored, bench.memory.data() + kPrivate + w * kPrivateBytes + i * 4, 4);
      ASSERT_EQ(stored, words[w][i]) << "warp " << w << " word " << i;
    }
  }
  EXPECT_EQ(delay.different, 0u) << "a repeated load found something else";
  EXPECT_GT(loads, 500u);
  EXPECT_EQ(pending_seen, loads);
  EXPECT_GT(delay.held, 100u);
  EXPECT_GT(delay.answered, 50u);
  EXPECT_GT(delay.repeated, 100u);
  EXPECT_GT(delay.refused, 10u) << "others filled the queue";
  EXPECT_GT(delay.woken, 100u);
}

}  // namespace
}  // namespace heddle::core::lsu_interposer_test
