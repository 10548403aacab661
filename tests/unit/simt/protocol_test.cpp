// The control-flow protocol itself: user-defined mechanisms, event families that a mechanism does not serve,
// convergence operations, facts of a program, and launches of whole CTAs.
#include <gmock/gmock.h>

#include <functional>

#include "base/error.h"
#include "blocks/simt/rig.h"
#include "simt/lockstep.h"
#include "simt/simt_stack.h"

namespace heddle::simt::protocol_test {
namespace {

using ::testing::HasSubstr;

template <class Error>
std::string error_of(const std::function<void()>& fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Barrier registers only: lanes run straight on until they sync.
class Barriers final : public ControlFlow {
 public:
  explicit Barriers(Scope scope = Scope::kWarp) : scope_(scope) {}
  [[nodiscard]] const char* name() const override { return "barriers"; }
  void inspect(ControlFlowRequest& /*request*/) const override {}
  void register_stats(base::StatGroup& /*stats*/) override {}

  Pc first_start = kNoPc;  ///< of the kernel's blocks

 private:
  void begin_launch(ControlFlowRequest& request) override {
    for (std::uint32_t pc = 0; pc < request.facts->marks.size() && first_start == kNoPc; ++pc)
      if (request.facts->has(Pc{pc}, isa::ProgramFacts::kBlockStart)) first_start = Pc{pc};
  }
  void launch(ControlFlowRequest& request) override {
    const WarpLaunch one{request.warp, request.mask};
    for (const WarpLaunch& warp : scope_ == Scope::kCta ? request.warps : std::span(&one, 1))
      answer(
          {.group = GroupId{warp.warp.value()}, .pc = request.next, .mask = warp.mask, .also_watch = Pc{9}});
  }
  void converge(ControlFlowRequest& request) override {
    ConvergenceOperation& operation = *request.convergence;
    LaneMask& barrier = barriers_.at(operation.barrier);
    switch (operation.op) {
      case ConvergenceOp::kSet:
        barrier = request.mask;
        return;
      case ConvergenceOp::kBreak:
        barrier = LaneMask::difference(barrier, request.mask);
        return;
      case ConvergenceOp::kRead:
        operation.value = barrier;
        return;
      case ConvergenceOp::kWrite:
        barrier = operation.value;
        return;
      case ConvergenceOp::kSync:
        answer({request.group, GroupChange::kBlocked, request.next, kNoPc, request.mask});
        return;
      default:
        refuse(request);
    }
  }

  Scope scope_;
  std::array<LaneMask, 8> barriers_{};
};

ControlFlowRequest convergence(ConvergenceOperation& operation, LaneMask lanes) {
  ControlFlowRequest request;
  request.set(ControlFlowEvent::kConvergence);
  request.convergence = &operation;
  request.mask = lanes;
  request.next = Pc{1};
  return request;
}

TEST(ConvergenceEvents, AreAnsweredByAMechanismThatServesThem) {
  Barriers barriers;
  const auto operate = [&](ConvergenceOp op, const char* lanes, const char* value = "0") {
    ConvergenceOperation operation{op, 3, kNoPc, mask(value)};
    ControlFlowRequest request = convergence(operation, mask(lanes));
    barriers.serve(request);
    return std::pair{operation.value, request.updates.size()};
  };
  EXPECT_EQ(operate(ConvergenceOp::kSet, "1111").second, 0u) << "no update: the group goes on";
  operate(ConvergenceOp::kBreak, "0010");
  EXPECT_EQ(operate(ConvergenceOp::kRead, "1101").first, mask("1101"));
  operate(ConvergenceOp::kWrite, "1101", "0101");
  EXPECT_EQ(operate(ConvergenceOp::kRead, "0101").first, mask("0101"));
  EXPECT_EQ(operate(ConvergenceOp::kSync, "0101").second, 1u);
}

TEST(ConvergenceEvents, AreRefusedByNameElsewhere) {
  SimtRig stack(on(SimtStack::kName), 1, "stack"), aware_rig(aware(), 1, "aware"),
      paths(multi_path(), 1, "paths");
  for (const auto& [rig, mechanism] :
       {std::pair{&stack, SimtStack::kName}, {&aware_rig, Aware::kName}, {&paths, MultiPath::kName}}) {
    rig->launch('A', mask("1111"));
    ConvergenceOperation operation{ConvergenceOp::kSet, 0, pc('B')};
    const std::string error =
        error_of<base::InputError>([&, unit = rig] { unit->send(convergence(operation, mask("1111"))); });
    EXPECT_THAT(error, HasSubstr(fmt::format("core.control_flow.mechanism: {} has no", mechanism)));
    EXPECT_THAT(error, HasSubstr("Choose a mechanism"));
  }
}

TEST(FamiliesOfEvents, ThatAMechanismDoesNotServeAreRefusedByName) {
  Barriers barriers;
  for (const auto& [event, name] : {std::pair{ControlFlowEvent::kTick, "tick"},
                                    {ControlFlowEvent::kTableFilled, "table_filled"},
                                    {ControlFlowEvent::kBarrierArrive, "barrier_arrive"},
                                    {ControlFlowEvent::kTransfer, "branch"},
                                    {ControlFlowEvent::kExit, "exit"}}) {
    ControlFlowRequest request;
    request.set(event);
    EXPECT_EQ(error_of<std::logic_error>([&] { barriers.serve(request); }),
              fmt::format("barriers: serves no event '{}'", name));
  }
  SimtStack stack(1, FirstSide::kTaken);
  ControlFlowRequest tick;
  tick.set(ControlFlowEvent::kTick);
  EXPECT_EQ(error_of<std::logic_error>([&] { stack.serve(tick); }), "simt_stack: serves no event 'tick'");
}

TEST(ProgramFacts, AreThereWhenAKernelBegins) {
  isa::ProgramFacts facts;
  facts.marks = {0, 0, isa::ProgramFacts::kUniformBranch, 0, 0, isa::ProgramFacts::kBlockStart};
  ControlFlowRequest begin;
  begin.set(ControlFlowEvent::kBeginLaunch);
  begin.facts = &facts;
  Barriers barriers;
  barriers.serve(begin);
  EXPECT_EQ(barriers.first_start, Pc{5});
  // Mechanisms that do not use facts are unaffected.
  SimtStack stack(1, FirstSide::kTaken);
  stack.serve(begin);
  EXPECT_TRUE(begin.updates.empty());
}

TEST(Scope, OfACtaIsLaunchedWithAllItsWarps) {
  const std::array warps{WarpLaunch{WarpId{2}, mask("1111")}, WarpLaunch{WarpId{5}, mask("0111")}};
  ControlFlowRequest launch;
  launch.set(ControlFlowEvent::kLaunch);
  launch.next = Pc{0};
  launch.warp = WarpId{2};
  launch.mask = mask("1111");
  const auto launching = [](Scope scope) {
    Mechanism mechanism{"barriers", "a test's", {}, {}, [scope](const MechanismSite&) {
                          return std::make_unique<Barriers>(scope);
                        }};
    mechanism.traits = [scope](const ControlFlowConfig&) { return Traits{.scope = scope}; };
    return ControlFlowConfig({mechanism});
  };
  SimtRig of_ctas(launching(Scope::kCta), 8, "ctas"), of_warps(launching(Scope::kWarp), 8, "warps");
  EXPECT_THAT(error_of<std::logic_error>([&] { of_ctas.send(launch); }),
              HasSubstr("barriers: a launch of one"));
  launch.warps = warps;
  of_ctas.send(launch);
  ASSERT_EQ(of_ctas.answered.size(), 2u);
  EXPECT_EQ(of_ctas.answered[0].group, GroupId{2});
  EXPECT_EQ(of_ctas.answered[1].group, GroupId{5});
  EXPECT_EQ(of_ctas.answered[1].also_watch, Pc{9});
  EXPECT_THAT(error_of<std::logic_error>([&] { of_warps.send(launch); }), HasSubstr("a launch of a CTA"));
}

TEST(Lockstep, TellsASecondWatchFromNone) {
  const std::array one{GroupUpdate{.pc = Pc{1}}};
  const std::array other{GroupUpdate{.pc = Pc{1}, .also_watch = Pc{4}}};
  ControlFlowRequest left, right;
  left.updates = one, right.updates = one;
  EXPECT_TRUE(same_answer(left, right));
  right.updates = other;
  EXPECT_FALSE(same_answer(left, right));
}

/// Lanes that branch go one instruction too far.
class TooFar final : public ControlFlow {
 public:
  [[nodiscard]] const char* name() const override { return SimtStack::kName; }
  void inspect(ControlFlowRequest& request) const override { right_.inspect(request); }
  void register_stats(base::StatGroup& /*stats*/) override {}

 private:
  void handle(ControlFlowRequest& request) override {
    right_.serve(request);
    for (GroupUpdate update : request.updates) {
      if (request.is(Transfer::kJump)) update.pc = Pc{update.pc.value() + 1};
      answer(update);
    }
  }
  SimtStack right_{4, FirstSide::kTaken};
};

TEST(Lockstep, AnotherAnswerThanTheModelsEndsTheRunAndShowsBoth) {
  LockstepControlFlow both(SimtStackBlock::kName, "gpu.core0.control_flow",
                           std::make_unique<SimtStack>(4, FirstSide::kTaken), std::make_unique<TooFar>());
  ControlFlowRequest request;
  request.set(ControlFlowEvent::kLaunch);
  request.warp = WarpId{2}, request.group = GroupId{2}, request.mask = LaneMask(3), request.next = Pc{0};
  both.serve(request);
  ASSERT_EQ(request.updates.size(), 1u);
  EXPECT_EQ(request.updates[0].pc, Pc{0});
  request.set(Transfer::kJump);
  request.cycle = 9, request.taken = request.mask, request.target = Pc{5}, request.next = Pc{1};
  try {
    both.serve(request);
    FAIL() << "the difference was not noticed";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::kTwinMismatch);
    EXPECT_THAT(error.what(),
                HasSubstr("gpu.core0.control_flow, core cycle 9: model and RTL of simt_stack differ"));
    EXPECT_THAT(error.what(), HasSubstr(R"("target":5,"next":1)"));
    EXPECT_THAT(error.what(), ::testing::ContainsRegex(R"(model answers  .*"pc":5,)"));
    EXPECT_THAT(error.what(), ::testing::ContainsRegex(R"(RTL answers    .*"pc":6,)"));
    EXPECT_THAT(error.what(), HasSubstr("model's tables"));
  }
}

// ---- By name

TEST(Mechanisms, OfOnesOwnAreSelectedByNameWithTheirOwnKeys) {
  struct Keys {
    std::uint32_t registers = 8;
    void visit(base::ConfigVisitor& v) {
      v.field("registers", registers, {.doc = "barrier registers", .max = 16});
    }
  };
  std::uint32_t made_with = 0;
  const Mechanism own{"barriers",
                      "barrier registers",
                      {base::ConfigOption::section<Keys>("barriers", "mechanism barriers")},
                      {},
                      [&](const MechanismSite& site) {
                        made_with = site.config.get<Keys>().registers;
                        return std::make_unique<Barriers>();
                      }};
  ControlFlowConfig config({simt_stack_mechanism(), aware_mechanism(), multi_path_mechanism(), own});
  EXPECT_EQ(config.mechanism, "simt_stack") << "the first one is the default";
  base::ConfigSource source;
  source.add_text("mechanism: barriers\nbarriers:\n  registers: 5\n", "own.yaml");
  base::load_config(source, config);
  SimtRig rig(config);
  EXPECT_EQ(made_with, 5u);
  EXPECT_EQ(ControlFlowConfig(config).get<Keys>().registers, 5u) << "a copy has its own";
}

TEST(Mechanisms, UnknownNamesAreToldWithTheNearestOne) {
  ControlFlowConfig config = on("awaer");
  EXPECT_EQ(error_of<base::InputError>([&] { (void)config.factory(); }),
            "core.control_flow.mechanism: there is no 'awaer'; did you mean 'aware'?\n"
            "  choices: simt_stack, aware, multi_path");
  base::ConfigSource source;
  source.add_text("mechanism: multi_pth\n", "own.yaml");
  EXPECT_THAT(
      error_of<base::InputError>([&] { base::load_config(source, config); }),
      HasSubstr("own.yaml:1: 'multi_pth' is not a choice for 'mechanism'; did you mean 'multi_path'?"));
}

TEST(Mechanisms, ShareSectionsOfOneTypeOnly) {
  Mechanism twice = aware_mechanism();
  twice.options.push_back(base::ConfigOption::section<MultiPathConfig>("timeout", "another"));
  EXPECT_THAT(error_of<std::logic_error>([&] { ControlFlowConfig({twice}); }), HasSubstr("timeout"));
}

TEST(Mechanisms, AreKnownByTheirTraitsNotByTheirNames) {
  const ControlFlowConfig config(
      {simt_stack_mechanism(),
       aware_mechanism(),
       multi_path_mechanism(),
       {"plain", "a test's", {}, {}, [](const MechanismSite&) { return std::make_unique<Barriers>(); }}});
  EXPECT_EQ(config.mechanisms_with([](const Traits& of) { return of.calls_are_frames; }),
            "simt_stack, aware or multi_path");
  EXPECT_EQ(config.mechanisms_with([](const Traits& of) { return of.runs_lanes_apart; }),
            "aware or multi_path");
  EXPECT_EQ(config.mechanisms_with([](const Traits& of) { return !of.timed; }), "plain");
  EXPECT_EQ(config.mechanisms_with([](const Traits& of) { return of.convergence.has_value(); }), "");
}

TEST(Mechanisms, AnswerForTheirTablesThemselves) {
  ControlFlowConfig config = aware();
  config.get<AwareConfig>().st_entries = 4;
  SimtRig virtualised(config, 1, "virtualised");
  SimtRig plain(aware(), 1, "plain");
  SimtRig stack(on(SimtStack::kName), 1, "stack");
  EXPECT_EQ(virtualised.unit.traits().spill_bytes_per_warp, kTableBytesPerWarp);
  EXPECT_EQ(plain.unit.traits().spill_bytes_per_warp, 0u);
  EXPECT_EQ(stack.unit.traits().spill_bytes_per_warp, 0u);
  EXPECT_TRUE(plain.unit.traits().runs_lanes_apart);
  EXPECT_FALSE(stack.unit.traits().runs_lanes_apart);
}

}  // namespace
}  // namespace heddle::simt::protocol_test
