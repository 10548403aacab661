// Which regions are found in known graphs: the placements of [Hanoi:P1], table-exact, and rules that random programs do
// not exercise.
#include "compiler/convergence/regions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "compiler/convergence/allocation.h"

namespace heddle::compiler::regions_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Nodes are letters; the first one is entered. Where a node before a loop is inserted it is called "pA", where back edges
/// are joined "lA".
class Flow {
 public:
  /// "A>BC B>D": branches of A to B and C ...
  explicit Flow(const std::string& edges) {
    graph.add_node();
    names_.push_back("*");
    std::istringstream text(edges);
    for (std::string from; text >> from;) {
      const NodeId start = node(from.substr(0, 1));
      if (start == 1) graph.add_edge(0, start);
      for (std::size_t i = 2; i < from.size(); ++i) graph.add_edge(start, node(from.substr(i, 1)));
    }
    for (NodeId n = 1; n < graph.size(); ++n) {
      graph[n].parts = graph[n].successors.size() > 1;
      graph[n].ends = graph[n].successors.empty();
    }
    for (const LoopNodes& loop : separate_loops(graph)) {
      names_.resize(graph.size());
      for (std::size_t i = 0; i < loop.before.size(); ++i)
        names_[loop.before[i]] = std::string(i + 1, 'p') + names_[loop.header];
      for (const NodeId latch : loop.latches)
        if (latch != kNoNode) names_[latch] = "l" + names_[loop.header];
    }
  }

  NodeId node(const std::string& name) {
    const auto known = std::find(names_.begin(), names_.end(), name);
    if (known != names_.end()) return static_cast<NodeId>(known - names_.begin());
    names_.push_back(name);
    return graph.add_node();
  }
  [[nodiscard]] const std::string& name(NodeId n) const { return names_[n]; }

  /// "A-F" for (A,F), "A-B early, leaves C>D" ...
  std::vector<std::string> text(const std::vector<Region>& regions) const {
    std::vector<std::string> list;
    for (const Region& region : regions) {
      std::string out = name(region.from) + "-" + name(region.to) + (region.early ? " early" : "");
      if (!region.leaving.empty()) out += ", leaves";
      std::vector<std::string> edges;
      for (const auto& [from, to] : region.leaving) edges.push_back(" " + name(from) + ">" + name(to));
      std::sort(edges.begin(), edges.end());
      list.push_back(out + fmt::format("{}", fmt::join(edges, "")));
    }
    std::sort(list.begin(), list.end());
    return list;
  }

  std::vector<std::string> regions(const std::map<NodeId, MeetingPlace>& elsewhere = {},
                                   const RegionOptions& options = {}) {
    Regions found(graph, options);
    found.find(elsewhere, {});
    return text(found.all());
  }

  FlowGraph graph{0};

 private:
  std::vector<std::string> names_;
};

TEST(Regions, Figure3) { EXPECT_THAT(Flow("A>BF B>CD C>E D>E E>F").regions(), ElementsAre("A-F", "B-E")); }

TEST(Regions, Figure4) {
  EXPECT_THAT(Flow("A>BC B>D C>BD D>E").regions(), ElementsAre("A-B early, leaves C>D", "A-D"));
}

TEST(Regions, Figure5) {
  Flow flow("A>B B>C C>BD D>E");
  EXPECT_THAT(flow.regions(), ElementsAre("pB-D")) << "as if nobody waited for the lock";
  EXPECT_THAT(flow.regions({{flow.node("C"), {flow.node("E"), 1}}}), ElementsAre("pB-E"));
}

TEST(Regions, LoopWithABreak) {
  // do { A; if (c) { B; break; } C } while (); D
  EXPECT_THAT(Flow("A>BC B>D C>AD D>E").regions(), ElementsAre("pA-D"));
}

TEST(Regions, EitherConditionInALoop) {
  // do { if (A || X) B; L } while (); R
  EXPECT_THAT(Flow("A>BX X>BL B>L L>AR R>Z").regions(), ElementsAre("A-B early, leaves X>L", "A-L", "pA-R"));
}

TEST(Regions, TwoJoinsOfTwoBranches) {
  EXPECT_THAT(Flow("A>BC B>DE C>DE D>F E>F F>G").regions(),
              ElementsAre("A-D early, leaves B>E C>E", "A-E early, leaves B>D C>D", "A-F"));
}

TEST(Regions, TwoLocksHaveARegionEach) {
  Flow flow("A>B B>BC C>CD D>R R>Z");
  EXPECT_THAT(flow.regions({{flow.node("B"), {flow.node("R"), 1}}, {flow.node("C"), {flow.node("R"), 2}}}),
              ElementsAre("pB-R", "pC-R"));
}

TEST(Regions, AnEarlyReturnDoesNotHideTheJoin) {
  EXPECT_THAT(Flow("A>BJ B>XK K>J J>Z").regions(), ElementsAre("A-J, leaves B>X"));
}

// Both sides of an iteration meet before the next one, although only the header post-dominates the branch.
TEST(Regions, BackEdgesAreJoined) {
  EXPECT_THAT(Flow("A>BZ B>CD C>A D>A").regions(), ElementsAre("B-lA", "pA-Z"));
}

TEST(Regions, LoopsWithOneHeaderAreSeparated) {
  // do { do A; while (); B } while (); Z
  EXPECT_THAT(Flow("A>AB B>AZ").regions(), ElementsAre("pA-Z", "ppA-B"));
}

TEST(Regions, EntriesInTheMiddleOfALoop) {
  // A cycle of B and C that is entered at both has no place where all lanes come in once, but before both.
  EXPECT_THAT(Flow("A>BC B>CZ C>BZ").regions(), ElementsAre("A-Z"));
}

TEST(Regions, CodeThatNeverEnds) { EXPECT_THAT(Flow("A>B B>CD C>E D>E E>B").regions(), ElementsAre("B-E")); }

TEST(Regions, ExitOnlyTailsHaveRegionsOfTheirOwn) {
  EXPECT_THAT(Flow("A>BT B>CD C>E D>E E>Z T>UV U>W V>W").regions(), ElementsAre("B-E", "T-W"));
}

// Corrections 3: without (2,6) lanes would enter (2,5) a second time.
TEST(Regions, DroppingARegionDropsEarlyOnesThatRelyOnIt) {
  Flow flow("A>B B>EC C>FD D>FE E>F F>BZ");
  Regions regions(flow.graph, {});
  regions.find({}, {});
  ASSERT_THAT(flow.text(regions.all()), ElementsAre("B-E early, leaves C>F D>F", "B-F", "pB-Z"));
  std::size_t inner = 0;
  while (flow.name(regions.all()[inner].to) != "F") ++inner;
  regions.drop(inner);
  EXPECT_THAT(flow.text(regions.all()), ElementsAre("pB-Z"));
}

// A region that would open within another one and close behind it.
TEST(Regions, CrossingRegions) {
  const char* const kCrossing = "A>BF B>CE C>DE D>FZ E>DF F>Z";
  Flow flow(kCrossing);
  Regions regions(flow.graph, {});
  regions.find({}, {});
  for (const Region& a : regions.all())
    for (const Region& b : regions.all())
      EXPECT_FALSE(a.body.test(b.from) && a.from != b.from && b.body.test(a.to) && a.to != b.to);
}

// ---- Registers

struct Allocated {
  Flow flow;
  Allocation result;
  explicit Allocated(const std::string& edges, const AllocationOptions& options,
                     const std::string& exits = "", const std::vector<std::string>& waiting = {})
      : flow(edges) {
    for (const char each : exits) flow.graph[flow.node(std::string(1, each))].may_exit = true;
    Regions regions(flow.graph, {});
    regions.find({}, {});
    std::vector<NodeId> loops;
    for (const std::string& header : waiting) loops.push_back(flow.node(header));
    result = allocate(std::move(regions), std::vector<NodeCalls>(flow.graph.size()), loops, false, options);
  }
  [[nodiscard]] std::vector<std::string> text() const {
    std::vector<std::string> list;
    for (const PlacedRegion& placed : result.regions)
      list.push_back(flow.name(placed.region.from) + "-" + flow.name(placed.region.to) +
                     (placed.spilled() ? fmt::format(" spilled {}", placed.spill_register)
                                       : fmt::format(" B{}", placed.barrier)));
    return list;
  }
};

const char* const kNested = "A>BZ B>CY C>DX D>X X>Y Y>Z";

TEST(Allocation, NestedRegionsHaveRegistersOfTheirOwn) {
  EXPECT_THAT(Allocated(kNested, {.registers = 3}).text(), ElementsAre("A-Z B0", "B-Y B1", "C-X B2"));
}

TEST(Allocation, WithoutEnoughRegistersRegionsAreSpilled) {
  EXPECT_THAT(Allocated(kNested, {.registers = 1}).text(),
              ElementsAre("A-Z spilled 0", "B-Y spilled 1", "C-X spilled 2"));
  EXPECT_THAT(Allocated(kNested, {.registers = 2}).text(),
              ElementsAre("A-Z B1", "B-Y spilled 0", "C-X spilled 1"));
}

TEST(Allocation, RegionsOneAfterTheOtherShareARegister) {
  EXPECT_THAT(Allocated("A>BC B>C C>DE D>E E>Z", {.registers = 1}).text(), ElementsAre("A-C B0", "C-E B0"));
}

TEST(Allocation, RegionsThatLanesMayLeaveAreNotSpilled) {
  // Lanes exit in D.
  EXPECT_THAT(Allocated(kNested, {.registers = 2}, "D").text(), ElementsAre("A-Z B0", "C-X B1"))
      << "one of three is dropped";
  EXPECT_THAT(Allocated(kNested, {.registers = 3}, "D").text(), ElementsAre("A-Z B0", "B-Y B1", "C-X B2"));
}

TEST(Allocation, TheRegionOfALoopThatYieldsIsNotSpilled) {
  const Allocated code("A>BZ B>CZ C>CD D>B Z>Q", {.registers = 2}, "", {"C"});
  for (const PlacedRegion& placed : code.result.regions)
    EXPECT_FALSE(code.flow.name(placed.region.to) == "D" && placed.spilled());
}

TEST(Allocation, NoMoreRegionsAtATimeThanTheStackHolds) {
  EXPECT_THAT(Allocated(kNested, {.registers = 3, .entries = 2}).text(), ElementsAre("A-Z B0", "B-Y B1"));
  EXPECT_EQ(Allocated(kNested, {.registers = 3, .entries = 2}).result.dropped, 1u);
  EXPECT_EQ(Allocated(kNested, {.registers = 3}).result.use.entries, 3u);
}

/// Where lanes may wait in some nodes for lanes elsewhere, and those of the loop A meet behind it only at E.
std::vector<std::string> with_waits(const std::string& waits, bool later, bool function,
                                    const AllocationOptions& options = {}) {
  Flow flow("A>AB B>CD C>D D>EQ Q>E E>F");
  Regions regions(flow.graph, {});
  std::map<NodeId, MeetingPlace> elsewhere;
  if (later) elsewhere[flow.node("A")] = {flow.node("E"), 1};
  regions.find(elsewhere, {});
  std::vector<NodeCalls> calls(flow.graph.size());
  for (const char each : waits) calls[flow.node(std::string(1, each))].waits = true;
  std::vector<std::string> list;
  for (const PlacedRegion& placed : allocate(std::move(regions), calls, {}, function, options).regions)
    list.push_back(flow.name(placed.region.from) + flow.name(placed.region.to));
  std::sort(list.begin(), list.end());
  return list;
}

// [Hanoi:K1], [Hanoi:K5]: lanes that leave the loop come to B one after the other; those that wait in C would be forgotten
// when others execute B's BSSY.
TEST(Allocation, LanesThatComeOneAfterTheOtherHaveNoRegionToWaitIn) {
  EXPECT_THAT(with_waits("", true, false), ElementsAre("BD", "DE", "pAE"));
  EXPECT_THAT(with_waits("C", true, false), ElementsAre("DE", "pAE"));
  EXPECT_THAT(with_waits("C", true, false, {.entered_together = false}), ElementsAre("BD", "DE", "pAE"));
  EXPECT_THAT(with_waits("C", false, false), ElementsAre("BD", "DE", "pAB")) << "they meet at B";
  EXPECT_THAT(with_waits("D", true, false), ElementsAre("BD", "DE", "pAE"))
      << "in front of a BSSY, not in its region";
  EXPECT_THAT(with_waits("C", false, true), ElementsAre("DE", "pAB"))
      << "who knows how a function's lanes come";
}

}  // namespace
}  // namespace heddle::compiler::regions_test
