// Likely-convergence points on the per-warp stack: [TBC:G6] ([TBC] Fig 3.8). Threads 1 2 3 4 are lanes 0 to 3.
#include <gtest/gtest.h>

#include "blocks/simt/rig.h"

namespace heddle::simt::stack_likely_test {
namespace {

ControlFlowConfig likely() {
  ControlFlowConfig config = on(SimtStack::kName);
  config.likely_convergence = LikelyConvergence::kLoops;
  return config;
}

class LikelyRig : public SimtRig {
 public:
  LikelyRig() : SimtRig(likely()) {
    facts.likely_point.assign(1000, kNoPc);
    // The branches that end A and C: A to C or B, C to E or D.
    facts.likely_point[pc('B').value() - 1] = pc('E');
    facts.likely_point[pc('D').value() - 1] = pc('E');
  }
  void begin() {
    ControlFlowRequest r;
    r.set(ControlFlowEvent::kBeginLaunch);
    r.facts = &facts;
    send(r);
    launch('A', mask("1111"));
  }
  /// "F - 1111 | E F 0000 | B F 0001 E@1"
  std::string stack() {
    std::vector<std::string> rows;
    for (const auto& row : table()) {
      std::string text = fmt::format("{} {} {}", pc_name(pc_in(row.at("pc"))), pc_name(pc_in(row.at("rpc"))),
                                     short_mask(row, "mask", 4));
      if (row.contains("lpc"))
        text += fmt::format(" {}@{}", pc_name(pc_in(row.at("lpc"))), row.at("lpos").get<unsigned>());
      rows.push_back(text);
    }
    return fmt::format("{}", fmt::join(rows, " | "));
  }
  void arrive(char at_block) {
    ControlFlowRequest r = event(ControlFlowEvent::kAdvance, kGroup, pc(at_block));
    const Group& group = groups.at(kGroup);
    EXPECT_TRUE(group.watch == pc(at_block) || update_also_watch() == pc(at_block))
        << "nobody watches for " << at_block;
    send(r);
  }
  Pc update_also_watch() const { return answered.empty() ? kNoPc : answered.back().also_watch; }
  isa::ProgramFacts facts;
};

TEST(StackLikelyConvergence, G6) {
  LikelyRig rig;
  rig.begin();
  rig.branch('C', "1110", 'B', 'F');
  EXPECT_EQ(rig.stack(), "F - 1111 | E F 0000 | B F 0001 E@1 | C F 1110 E@1");
  rig.branch('E', "0010", 'D', 'F');
  // 2 is at E: it is popped at once.
  EXPECT_EQ(rig.stack(), "F - 1111 | E F 0010 | B F 0001 E@1 | D F 1100 E@1");
  rig.arrive('F');
  EXPECT_EQ(rig.stack(), "F - 1111 | E F 0010 | B F 0001 E@1");
  rig.arrive('E');
  EXPECT_EQ(rig.stack(), "F - 1111 | E F 0011");
  EXPECT_EQ(rig.groups.at(kGroup).mask, mask("0011"));
  rig.arrive('F');
  EXPECT_EQ(rig.stack(), "F - 1111");
}

/// Entries keep their numbers when all their lanes exit.
TEST(StackLikelyConvergence, EntriesStayWhereTheyAreWhenLanesExit) {
  LikelyRig rig;
  rig.begin();
  rig.branch('C', "1110", 'B', 'F');
  rig.exit(kGroup, mask("1110"), pc('C', 1));
  EXPECT_EQ(rig.stack(), "F - 0001 | E F 0000 | B F 0001 E@1");
  rig.arrive('E');
  EXPECT_EQ(rig.stack(), "F - 0001 | E F 0001");
  rig.exit(kGroup, mask("0001"), pc('E', 1));
  EXPECT_TRUE(rig.groups.empty());
}

}  // namespace
}  // namespace heddle::simt::stack_likely_test
