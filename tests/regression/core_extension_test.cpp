// What a program adds to every core: a tap that counts, a gate that keeps memory instructions back now and then, and a
// unit that delays what goes to the load/store unit. Results stay the same, and every slot is accounted for.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "core/core_extension.h"
#include "core/memory/held_operation.h"
#include "core/memory/lsu_interposer.h"
#include "core/state/core_state.h"
#include "gpu/platform_files.h"
#include "sim/block_socket.h"
#include "workload_scenario.h"

namespace heddle::core_extension_test {
namespace {

using base::Cycle;
using base::WarpId;

/// Counts the instructions that issue, and keeps the memory instructions of warps back for a while: each time a warp
/// has issued a random number of instructions, until a random cycle.
class Meter : public sc_core::sc_module {
 public:
  Meter(const sc_core::sc_module_name& name, const core::CoreExtensionSite& site)
      : sc_module(name),
        warps_(site.config.occupancy.max_warps),
        clock_(site.services.clock, sim::on_tick<&Meter::tick>(this)) {
    base::StatGroup& stats = site.stats.child("meter", "a test's tap and gate");
    stats.counter("issued", "warp-instructions", "seen by the tap", &issued_);
    stats.counter("compares", "lanes", "whose predicate a compare's first operand was read for", &read_);
    stats.counter("asked", "questions", "asked of the gate", &asked_);
  }

 private:
  struct Warp {
    unsigned until_closed = 5;
    Cycle opens = 0;
    bool closed = false;
  };
  void tap(core::IssueTapRequest& request) {
    if (request.op == core::IssueTapRequest::Op::kInterest) {
      request.wanted = true;
      return;
    }
    ++issued_;
    if (request.instruction->compare && request.exec.any())
      read_ += request.operands->value(request.instruction->src[0], request.exec.lowest()) == 0 ? 1 : 2;
    Warp& warp = warps_[request.warp.value()];
    if (warp.closed || --warp.until_closed != 0) return;
    warp.until_closed = 1 + static_cast<unsigned>(random_() % 9);
    warp.closed = true;
    warp.opens = request.cycle + 1 + random_() % 90;
    control(core::GateControlRequest::Op::kClose, request.warp);
    clock_.wake();
  }
  void ask(core::IssueGateRequest& request) {
    if (request.op == core::IssueGateRequest::Op::kInterest) {
      gate_ = request.gate;
      request.closed = request.instruction->unit == isa::Unit::kMemory;
      return;
    }
    ++asked_;
    request.closed = warps_[request.warp.value()].closed;
  }
  void control(core::GateControlRequest::Op op, WarpId warp) {
    core::GateControlRequest request;
    request.op = op;
    request.gate = gate_;
    request.warp = warp;
    control_isock.call(request);
  }
  void tick() {
    const Cycle now = clock_.cycle();
    Cycle next = base::kNever;
    for (std::uint32_t w = 0; w < warps_.size(); ++w) {
      if (!warps_[w].closed) continue;
      if (warps_[w].opens <= now) {
        warps_[w].closed = false;
        control(core::GateControlRequest::Op::kOpen, WarpId{w});
      } else {
        next = std::min(next, warps_[w].opens);
      }
    }
    if (next == base::kNever)
      clock_.park();
    else
      clock_.sleep_until(next);
  }

 public:
  sim::BlockTarget<core::IssueTapProtocol, Meter, &Meter::tap> tap_tsock{"tap_tsock", this};
  sim::BlockTarget<core::IssueGateProtocol, Meter, &Meter::ask> gate_tsock{"gate_tsock", this};
  sim::BlockInitiator<core::GateControlProtocol> control_isock{"control_isock"};

 private:
  std::vector<Warp> warps_;
  sim::ClockMember clock_;
  std::uint32_t gate_ = 0;
  std::mt19937 random_{7};
  std::uint64_t issued_ = 0, read_ = 0, asked_ = 0;
};

/// Keeps operations in order for a few cycles each.
class Delay : public core::LsuInterposer {
 public:
  static constexpr std::size_t kCapacity = 3;
  Delay(const sc_core::sc_module_name& name, base::StatGroup& core) : LsuInterposer(name) {
    core.child("delay", "a test's interposer").counter("held", "operations", "kept back", &count_);
  }

 private:
  struct Held {
    std::unique_ptr<core::HeldOperation> operation;
    Cycle until = 0;
  };
  void serve(core::LsuRequest& request) override {
    using Op = core::LsuRequest::Op;
    if (request.op == Op::kIssue) {
      ++count_;
      held_.push_back({std::make_unique<core::HeldOperation>(request), request.cycle + 1 + random_() % 12});
    } else {
      lsu_isock.call(request);
      if (request.op != Op::kTick) return;
      while (!held_.empty() && held_.front().until <= request.cycle) {
        core::LsuRequest oldest = held_.front().operation->request(Op::kOffer, request.cycle);
        lsu_isock.call(oldest);
        if (!oldest.accepted) break;
        held_.front().operation->passed_on();
        held_.pop_front();
        request.next_due = std::min(request.next_due, request.cycle + 1);
      }
      if (!held_.empty()) request.next_due = std::min(request.next_due, request.cycle + 1);
    }
    request.full = held_.size() >= kCapacity;
  }
  void inspect(core::LsuRequest& request) override {
    lsu_isock.inspect(request);
    core::LsuInspection& look = *request.look;
    for (const Held& held : held_) {
      const isa::Instruction& instruction = held.operation->instruction();
      if (look.ask == core::LsuInspection::Ask::kPendingLoads && instruction.write_count != 0)
        for (const core::MemorySlice& slice : held.operation->slices())
          if (slice.warp == look.warp) look.pending->push_back({&instruction, slice.lanes});
      if (look.ask == core::LsuInspection::Ask::kOldWrites && instruction.op != isa::Opcode::kLoad)
        look.yes = true;
    }
  }
  void wake(core::LsuWake& wake) override {
    wake.full = held_.size() >= kCapacity;
    wake_isock.call(wake);
  }

  std::deque<Held> held_;
  std::mt19937 random_{11};
  std::uint64_t count_ = 0;
};

class TestExtension final : public core::CoreExtension {
 public:
  explicit TestExtension(const core::CoreExtensionSite& site)
      : meter_("meter", site), delay_("delay", site.stats) {}
  [[nodiscard]] std::vector<TapTarget*> taps() override { return {&meter_.tap_tsock}; }
  [[nodiscard]] std::vector<Gate> gates() override {
    return {{"tokens", &meter_.gate_tsock, &meter_.control_isock}};
  }
  [[nodiscard]] core::LsuInterposer* interposer() override { return &delay_; }

 private:
  Meter meter_;
  Delay delay_;
};

class CoreExtensions : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(CoreExtensions, ChangeTimeAndNothingElse) {
  testing::Scenario extended{
      std::get<0>(GetParam()), "tiny", workloads::Compiler::kNvcc, {std::get<1>(GetParam())}};
  extended.oracle = true;
  extended.statistics = testing::all_of;
  extended.core_extensions = {
      [](const core::CoreExtensionSite& site) { return std::make_unique<TestExtension>(site); }};
  const auto result = testing::run(extended);
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
  if (testing::same_on_the_oracle(*workloads::find(extended.workload))) {
    EXPECT_EQ(result["oracle"], "same");
  }
  const std::uint64_t schedulers = gpu::load_platform("tiny", {}).core.scheduler.count;
  std::uint64_t waited = 0;
  std::uint64_t held = 0;
  for (const auto& launch : result["launches"]) {
    const auto& core = launch["stats"]["core0"];
    const auto& issue = core["issue"];
    std::uint64_t slots = 0;
    for (const auto& [use, count] : issue["slots"].items()) slots += count.get<std::uint64_t>();
    EXPECT_EQ(slots, launch["cycles"].get<std::uint64_t>() * schedulers);
    EXPECT_EQ(core["meter"]["issued"], issue["warp_instructions"]) << "the tap hears of every instruction";
    waited += issue["slots"]["tokens"].get<std::uint64_t>();
    held += core["delay"]["held"].get<std::uint64_t>();
  }
  EXPECT_GT(waited, 0u) << "the gate's stall cause has its name";
  EXPECT_GT(held, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, CoreExtensions,
                         ::testing::Combine(::testing::Values("vecadd", "reduction", "bfs", "histogram",
                                                              "hashtable", "nqueens-recursive"),
                                            ::testing::Values("core.control_flow.mechanism=simt_stack",
                                                              "core.control_flow.mechanism=aware",
                                                              "core.control_flow.mechanism=multi_path")),
                         [](const auto& test) {
                           const std::string mechanism = std::get<1>(test.param);
                           return testing::test_name(std::get<0>(test.param) + "_" +
                                                     mechanism.substr(mechanism.find('=') + 1));
                         });

}  // namespace
}  // namespace heddle::core_extension_test
