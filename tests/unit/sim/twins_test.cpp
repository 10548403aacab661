// Model, RTL or both: the framework of rtl/cosim, tested with twins that are wrong on purpose.
#include "sim/twins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/split_fifo.h"

namespace heddle::twins_test {
namespace {

using simt::SplitFifoBlock;
using simt::SplitFifoModel;
using simt::SplitFifoRequest;
using simt::SplitId;
using ::testing::HasSubstr;
using Op = SplitFifoRequest::Op;

/// A queue like the model's, that forgets to rotate when it holds three splits.
class WrongFifo final : public sim::Twin<SplitFifoRequest> {
 public:
  explicit WrongFifo(std::uint32_t warps, sim::TwinUse& use) : model_(warps), use_(use) {}
  void serve(SplitFifoRequest& request) override {
    use_.count(1);
    SplitFifoRequest look{.op = Op::kRead, .warp = request.warp};
    model_.serve(look);
    if (request.op == Op::kRotate && look.count == 3)
      request.op = Op::kRead, model_.serve(request), request.op = Op::kRotate;
    else
      model_.serve(request);
  }
  void inspect(SplitFifoRequest& request) override { model_.inspect(request); }

 private:
  SplitFifoModel model_;
  sim::TwinUse& use_;
};

struct Twinned {
  explicit Twinned(sim::Implementation impl) {
    twins.provide<SplitFifoBlock>([](const SplitFifoBlock::Shape& shape, sim::TwinUse& use) {
      return std::make_unique<WrongFifo>(shape.warps, use);
    });
    block = std::make_unique<sim::Twinned<SplitFifoBlock>>(impl, &twins, SplitFifoBlock::Shape{8},
                                                           "gpu.core0.split_fifo", SplitFifoModel(8));
  }
  SplitId push_and_rotate(std::uint8_t splits) {
    SplitFifoRequest request{.op = Op::kReset, .warp = base::WarpId{3}};
    block->serve(request);
    for (std::uint8_t id = 0; id < splits; ++id) {
      request = {.op = Op::kPush, .warp = base::WarpId{3}, .id = SplitId{id}};
      block->serve(request);
    }
    request = {.op = Op::kRotate, .warp = base::WarpId{3}};
    block->serve(request);
    return request.queued.id;
  }
  sim::Twins twins;
  std::unique_ptr<sim::Twinned<SplitFifoBlock>> block;
};

TEST(Twins, ImplDecidesWhoAnswers) {
  EXPECT_EQ(Twinned(sim::Implementation::kModel).push_and_rotate(3), SplitId{1});
  EXPECT_EQ(Twinned(sim::Implementation::kRtl).push_and_rotate(3), SplitId{0});  // the wrong one
}

TEST(Twins, LockstepStopsAtTheFirstDifferenceAndShowsBothSides) {
  Twinned both(sim::Implementation::kBoth);
  EXPECT_EQ(both.push_and_rotate(2), SplitId{1});
  try {
    both.push_and_rotate(3);
    FAIL() << "the difference was not seen";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::kTwinMismatch);
    EXPECT_THAT(error.what(),
                HasSubstr("gpu.core0.split_fifo, core cycle 0: model and RTL of split_fifo differ"));
    EXPECT_THAT(error.what(), HasSubstr(R"(request        {"op":"rotate","warp":3})"));
    EXPECT_THAT(error.what(), HasSubstr(R"(model answers  {"count":3,"clocks":1,"entry":{"split":1}})"));
    EXPECT_THAT(error.what(), HasSubstr(R"(RTL answers    {"count":3,"clocks":1,"entry":{"split":0}})"));
    EXPECT_THAT(error.what(), HasSubstr(R"(model's tables [{"split":1},{"split":2},{"split":0}])"));
    EXPECT_THAT(error.what(), HasSubstr(R"(RTL's tables   [{"split":0},{"split":1},{"split":2}])"));
    EXPECT_THAT(error.remedy(), HasSubstr("tb/blocks/split_fifo"));
  }
}

TEST(Twins, CountWhatTheyAreAsked) {
  Twinned rtl(sim::Implementation::kRtl);
  rtl.push_and_rotate(2);
  ASSERT_EQ(rtl.twins.uses().size(), 1u);
  const sim::TwinUse& use = rtl.twins.uses().front();
  EXPECT_EQ(use.block, "split_fifo");
  EXPECT_EQ(use.path, "gpu.core0.split_fifo");
  EXPECT_EQ(use.requests, 4u);
  EXPECT_EQ(use.clocks, 4u);
}

TEST(Twins, WithoutRtlOnlyTheModelCanBeAskedFor) {
  for (sim::Implementation impl : {sim::Implementation::kRtl, sim::Implementation::kBoth}) {
    sim::Twins none;
    for (sim::Twins* twins : {&none, static_cast<sim::Twins*>(nullptr)}) try {
        sim::Twinned<SplitFifoBlock> block(impl, twins, {8}, "gpu.core0.split_fifo", SplitFifoModel(8));
        FAIL();
      } catch (const base::InputError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("gpu.core0.split_fifo: this program has no RTL of the block split_fifo"));
        EXPECT_THAT(error.remedy(), HasSubstr("impl: model"));
      }
  }
}

TEST(Twins, ClockedOncePerCycleAndPortWhatIsMoreIsCounted) {
  sim::TwinUse use;
  use.timing = sim::Timing::kContract;
  use.step(0, 1, true);
  use.step(1, 0, false);
  use.step(9, 1, true);  // after a gap
  EXPECT_EQ(use.requests, 2u);
  EXPECT_EQ(use.clocks, 3u);
  EXPECT_EQ(use.most_clocks_in_a_cycle, 1u);
  EXPECT_EQ(use.beyond_ports, 0u);
  use.step(9, 0, false);  // clocked twice in one core cycle
  EXPECT_EQ(use.beyond_ports, 1u);
  EXPECT_EQ(use.most_clocks_in_a_cycle, 2u);
  use.step(10, 3, true);  // two answers more than a port has
  EXPECT_EQ(use.beyond_ports, 3u);
  EXPECT_EQ(use.busy_clocks, 3u);
  for (const char* operation : {"look", "flush", "look"}) use.ask(operation);
  EXPECT_THAT(use.operations,
              ::testing::ElementsAre(::testing::Pair("flush", 1u), ::testing::Pair("look", 2u)));
}

}  // namespace
}  // namespace heddle::twins_test
