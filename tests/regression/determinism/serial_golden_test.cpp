// G15 of gpudet, exact: an atomic takes as long as the example says, whatever memory does.
#include <gtest/gtest.h>

#include <deque>

#include "core/memory/held_operation.h"
#include "core/memory/lsu_interposer.h"
#include "regression/determinism/rig.h"

namespace heddle::testing::serial_golden_test {
namespace {

/// From the issue of an atomic to the next one that waits for its answer.
constexpr base::Cycle kRoundTrip = 200;

/// In place of the memory system, for atomics: answers each after a round trip.
class Answers final : public core::LsuInterposer {
 public:
  explicit Answers(const sc_core::sc_module_name& name) : LsuInterposer(name) {}

 private:
  void serve(core::LsuRequest& request) override {
    using Op = core::LsuRequest::Op;
    if (request.op == Op::kIssue && request.instruction->op == isa::Opcode::kAtomic) {
      // The answer comes in the cycle before the one in which the next atomic can issue.
      held_.push_back({std::make_unique<core::HeldOperation>(request), request.cycle + kRoundTrip - 1});
      return;
    }
    lsu_isock.call(request);
    if (request.op != Op::kTick) return;
    while (!held_.empty() && held_.front().until <= request.cycle) {
      core::LsuCompletion done = held_.front().operation->answered();
      completion_isock.call(done);
      held_.pop_front();
    }
    if (!held_.empty()) request.next_due = std::min(request.next_due, held_.front().until);
  }

  struct Held {
    std::unique_ptr<core::HeldOperation> operation;
    base::Cycle until = 0;
  };
  std::deque<Held> held_;
};

class AnswersExtension final : public core::CoreExtension {
 public:
  [[nodiscard]] core::LsuInterposer* interposer() override { return &answers_; }

 private:
  Answers answers_{"answers"};
};

/// Cycles of the serial mode in which all wavefronts but one (if it is not negative) execute an atomic.
std::uint64_t serial_cycles(const Settings& settings, std::uint32_t ctas, std::uint32_t warps, int without) {
  const std::string body = "  mov.u32 %r0, %ctaid.x;\n  mad.lo.u32 %r0, %r0, " + std::to_string(warps) +
                           ", %w;\n  setp.eq.s32 %p0, %r0, " + std::to_string(without) +
                           ";\n  @%p0 bra END;\n  red.global.add.u32 [%a], 1;\nEND:\n  ret;";
  const Extras extras{.core_extensions = {[](const core::CoreExtensionSite&) {
                        return std::make_unique<AnswersExtension>();
                      }}};
  const Json result = run_body(settings, body, ctas, warps * 32, {}, extras);
  EXPECT_FALSE(result.contains("errors")) << result["errors"].dump();
  if (result.contains("errors")) return 0;
  EXPECT_EQ(result["statistics"]["determinism"]["serial_modes"], 1);
  return result["statistics"]["determinism"]["cycles"]["serial"].get<std::uint64_t>();
}

// Two cores with three wavefronts, of which the fifth has no atomic.
const Settings kFive{"determinism.bta=false", "determinism.dwp=false"};
// 15 cores with 48.
const Settings kAll{"cores=15", "core.occupancy.max_warps=48", "core.occupancy.max_ctas=3"};

Settings in_mode(Settings settings, const char* mode) {
  settings.push_back(std::string("determinism.serial_mode=") + mode);
  return settings;
}

TEST(SerialGoldens, G15_FiveAtomics) {
  EXPECT_EQ(serial_cycles(in_mode(kFive, "wavefront"), 2, 3, 4), 1000u);
  EXPECT_EQ(serial_cycles(in_mode(kFive, "core"), 2, 3, 4), 403u);
}

TEST(SerialGoldens, G15_AllWavefronts) {
  EXPECT_EQ(serial_cycles(in_mode(kAll, "wavefront"), 45, 16, -1), 144'000u);
  EXPECT_EQ(serial_cycles(in_mode(kAll, "core"), 45, 16, -1), 3705u);
}

}  // namespace
}  // namespace heddle::testing::serial_golden_test
