// The splits table behind AWARE and Multi-Path. With the RTL alone, the core gets the same answers, and an
// inspection of the tables shows the same contents, including spilled entries. Also unsupported
// configurations of the RTL.
#include <gmock/gmock.h>

#include "blocks/simt/rig.h"
#include "cosim/twins.h"
#include "simt/split_table.h"

namespace heddle::simt::split_table_users {
namespace {

using sim::Implementation;

/// A mechanism on the model of the table, and one on its RTL.
struct Pair {
  explicit Pair(const ControlFlowConfig& config)
      : model(config, 1, "model"), rtl(on_rtl(config), 1, "rtl", &rtl_twins()), both{&model, &rtl} {}
  static ControlFlowConfig on_rtl(ControlFlowConfig config) {
    config.clocked_block("split_table").impl = Implementation::kRtl;
    return config;
  }
  /// Applies the same step to both; afterwards their states must be equal.
  template <class Fn>
  void step(Fn&& fn) {
    for (SimtRig* rig : both) fn(*rig);
    EXPECT_EQ(model.table(), rtl.table()) << model.table().dump() << "\n" << rtl.table().dump();
    ASSERT_EQ(model.groups.size(), rtl.groups.size());
    for (const auto& [id, group] : model.groups) {
      const SimtRig::Group& other = rtl.groups.at(id);
      EXPECT_EQ(group.pc, other.pc);
      EXPECT_EQ(group.watch, other.watch);
      EXPECT_EQ(group.mask, other.mask);
      EXPECT_EQ(group.blocked, other.blocked);
      EXPECT_EQ(group.cause, other.cause);
      EXPECT_EQ(group.hold, other.hold);
      EXPECT_EQ(model.digest(group.mask), rtl.digest(other.mask));
    }
    const auto left = model.suspended();
    const auto right = rtl.suspended();
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
      EXPECT_EQ(left[i].mask, right[i].mask);
      EXPECT_EQ(left[i].at, right[i].at);
      EXPECT_EQ(left[i].why, right[i].why);
    }
    EXPECT_EQ(model.memory, rtl.memory);
  }
  /// Performs transfers until the warp can continue.
  void settle() {
    while (!model.fills.empty() || model.due <= model.cycle)
      step([](SimtRig& rig) {
        rig.tick(rig.cycle);
        if (!rig.fills.empty()) rig.fill();
      });
  }

  sim::Twins twins;
  SimtRig model, rtl;
  std::vector<SimtRig*> both;

 private:
  sim::Twins& rtl_twins() {
    cosim::provide_twins(twins);
    return twins;
  }
};

class SplitTableUsers : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(SplitTableUsers, AwareIsTheSame) {
  ControlFlowConfig config = aware();
  config.get<AwareConfig>().st_entries = GetParam();
  config.get<AwareConfig>().rt_entries = std::min(GetParam(), 2u);
  Pair pair(config);
  // G6, then every lane on its own, calls and a barrier.
  pair.step([](SimtRig& rig) { rig.launch('A', mask("1111")); });
  const auto then = [&](auto&& event) {
    pair.step(event);
    pair.settle();
  };
  then([](SimtRig& rig) { rig.branch('B', "0101", 'C', 'G'); });
  then([](SimtRig& rig) { rig.branch('D', "0010", 'E', 'F'); });
  const GroupId group{0};
  for (unsigned turn = 0; turn < 8; ++turn) {
    const Pc at = pair.model.groups.at(group).pc;
    if (at == pc('D'))
      then([&](SimtRig& rig) { rig.barrier(group, pc('D', 1)); });
    else if (at == pc('E'))
      then([&](SimtRig& rig) { rig.call(group, pc('M'), rig.groups.at(group).mask, pc('E', 1)); });
    else
      // A taken branch back to the same PC: the other splits take their turn.
      then([&](SimtRig& rig) { rig.branch(group, at, rig.groups.at(group).mask, pc('Z'), pc('F')); });
  }
  if (GetParam() < 3) {
    EXPECT_GT(pair.model.spills, 0u);
  }
  ASSERT_EQ(pair.rtl.unit.traits().groups_per_warp, 1u);
  EXPECT_GT(pair.twins.uses().front().requests, 20u);
}

INSTANTIATE_TEST_SUITE_P(Entries, SplitTableUsers, ::testing::Values(1, 2, 4, 6, 32));

TEST(SplitTableUsers, MultiPathIsTheSame) {
  Pair pair(multi_path(2, true));
  pair.step([](SimtRig& rig) { rig.launch('A', mask("1111")); });
  pair.step([](SimtRig& rig) { rig.branch(rig.at('A'), pc('B'), mask("1010"), pc('C'), pc('D')); });
  // G11: C goes back to A and from there to B, where it catches up with the split that has advanced to B+1.
  pair.step([](SimtRig& rig) { rig.go(rig.at('B'), pc('B', 1)); });
  pair.step([](SimtRig& rig) { rig.branch(rig.at('C'), pc('A'), mask("0101"), pc('D'), pc('D')); });
  pair.step([](SimtRig& rig) { rig.branch(rig.at('A'), pc('B'), mask("0101"), pc('C'), pc('D')); });
  EXPECT_EQ(pair.rtl.st(), "B B+1 0101");
  EXPECT_EQ(pair.rtl.rt(), "D - 1111/1111 | B+1 D 1111/0101");
  pair.step([](SimtRig& rig) { rig.go(rig.at('B'), pc('B', 1)); });
  EXPECT_EQ(pair.rtl.st(), "B+1 D 1111");
  pair.step([](SimtRig& rig) { rig.barrier(rig.at(pc('B', 1)), pc('B', 2)); });
  pair.step([](SimtRig& rig) { rig.release(mask("1111")); });
}

// ---- Shapes and contents that the RTL does not support

SplitTableRequest in_frame(std::uint32_t frame, std::uint32_t point_frame) {
  SplitTableRequest request{.op = SplitTableRequest::Op::kInsert};
  request.split.frame = frame;
  request.split.rpc.frame = point_frame;
  return request;
}

std::string message_of(const std::function<void()>& fn) {
  try {
    fn();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SplitTableLimits, AreSaidClearly) {
  sim::Twins twins;
  cosim::provide_twins(twins);
  const auto make = [&](std::uint32_t warps, std::uint32_t physical) {
    return sim::Twins::make<SplitTableBlock>(&twins, Implementation::kRtl, {warps, physical},
                                             "core.split_table");
  };
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  EXPECT_THAT(message_of([&] { make(48, 3); }),
              AllOf(HasSubstr("core.split_table: "), HasSubstr("1, 2, 4, 6 and 32"), HasSubstr("has 3"),
                    HasSubstr("rtl/split_table/split_table.cmake")));
  EXPECT_THAT(message_of([&] { make(65, 32); }), HasSubstr("64 warps, this core has 65"));
  const auto twin = make(64, 6);
  SplitTableRequest deepest = in_frame(0xffff, 0xfffe);
  twin->serve(deepest);
  EXPECT_TRUE(deepest.ok);
  for (const auto& [frame, point_frame] : {std::pair(0x10000u, 0u), std::pair(0u, 0x10000u)})
    EXPECT_THAT(message_of([&, f = frame, p = point_frame] {
                  SplitTableRequest request = in_frame(f, p);
                  twin->serve(request);
                }),
                AllOf(HasSubstr("core.split_table: "), HasSubstr("65535 nested calls"), HasSubstr("65536"),
                      HasSubstr("impl: model")));
}

}  // namespace
}  // namespace heddle::simt::split_table_users
