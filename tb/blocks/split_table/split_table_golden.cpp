// The splits table alone through the worked examples [AWARE:G4] to [AWARE:G9]; the test plays the RT and the
// FIFO. Masks are written MSB..LSB.
#include "cosim/lockstep_bench.h"
#include "split_table_rig.h"

namespace heddle::split_table_golden {
namespace {

using Op = simt::SplitTableRequest::Op;
using simt::SplitId;

class SplitTableGolden : public ::testing::TestWithParam<sim::Implementation> {
 protected:
  SplitTableGolden() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (SplitTableRig* each : {&st, &two}) each->reset();
  }
  SplitTableRig st{"st", GetParam(), 32};
  SplitTableRig two{"two", GetParam(), 2};  ///< virtualised: two physical entries
};

TEST_P(SplitTableGolden, MimdG4IfElse) {
  EXPECT_EQ(st.insert("A", "-", "1111").id, SplitId{0});
  EXPECT_EQ(st.contents(), "A - 1111");
  st.end("A");
  EXPECT_EQ(st.insert("B", "D", "0101", 0).id, SplitId{0});
  EXPECT_EQ(st.insert("C", "D", "1010", 0).id, SplitId{1});
  EXPECT_EQ(st.contents(), "B D 0101 | C D 1010");
  st.end("B");
  EXPECT_EQ(st.contents(), "C D 1010");
  st.end("C");
  EXPECT_EQ(st.contents(), "");
  st.insert("D", "-", "1111");
  EXPECT_EQ(st.contents(), "D - 1111");
}

TEST_P(SplitTableGolden, MimdG6Nested) {
  st.insert("A", "-", "1111");
  st.end("A");
  st.insert("C", "G", "1010", 0);
  st.insert("B", "G", "0101", 0);
  EXPECT_EQ(st.contents(), "B G 0101 | C G 1010");
  st.end("C");
  EXPECT_EQ(st.insert("E", "F", "1000", 1).id, SplitId{0});
  EXPECT_EQ(st.insert("D", "F", "0010", 1).id, SplitId{2});
  EXPECT_EQ(st.contents(), "B G 0101 | D F 0010 | E F 1000");
  EXPECT_EQ(st({.op = Op::kRead, .id = SplitId{2}}).split.rpc.index, simt::ReconvergenceId{1});
  st.end("B");
  EXPECT_EQ(st.contents(), "D F 0010 | E F 1000");
  st.end("E");
  EXPECT_EQ(st.contents(), "D F 0010");
  st.end("D");
  EXPECT_EQ(st.contents(), "");
  st.insert("F", "G", "1010", 0);
  EXPECT_EQ(st.contents(), "F G 1010");
  st.end("F");
  st.insert("G", "-", "1111");
  EXPECT_EQ(st.contents(), "G - 1111");
}

// The same with two physical entries ([AWARE] §5.5.2): the victim is the split that runs last.
TEST_P(SplitTableGolden, MimdG6NestedWithTwoPhysicalEntries) {
  two.insert("C", "G", "1010", 0);
  two.insert("B", "G", "0101", 0);
  two.end("C");
  two.insert("E", "F", "1000", 1);
  EXPECT_EQ(two.contents(), "B G 0101 | E F 1000");
  const auto inserted = two.insert("D", "F", "0010", 1);
  EXPECT_FALSE(inserted.ok);
  EXPECT_EQ(two.contents(), "(D F 0010) | B G 0101 | E F 1000");
  const auto d_words = simt::pack(inserted.split);
  EXPECT_FALSE(two.fill(inserted.id, d_words));  // no free entry yet
  const SplitId e = two.at("E");
  const auto e_words = two.evict("E");
  EXPECT_TRUE(two.fill(inserted.id, d_words));
  EXPECT_EQ(two.contents(), "(E F 1000) | B G 0101 | D F 0010");
  two.end("B");
  EXPECT_TRUE(two.fill(e, e_words));
  EXPECT_EQ(two.contents(), "D F 0010 | E F 1000");
  EXPECT_EQ(two({.op = Op::kRead, .id = e}).split.rpc.index, simt::ReconvergenceId{1});
}

TEST_P(SplitTableGolden, MimdG7ASplitAtABarrierIsToGoOnBehindIt) {
  st.insert("B", "D", "0101", 0);
  st.insert("C", "D", "1010", 0);
  st({.op = Op::kWrite, .id = st.at("B"), .split = st.split("B'", "D", "0101", 0)});
  EXPECT_EQ(st.contents(), "B' D 0101 | C D 1010");
  st({.op = Op::kWrite, .id = st.at("C"), .split = st.split("C'", "D", "1010", 0)});
  EXPECT_EQ(st.contents(), "B' D 0101 | C' D 1010");
}

TEST_P(SplitTableGolden, MimdG8DelayedReconvergence) {
  st.insert("A", "-", "1111");
  EXPECT_EQ(st.contents(), "A - 1111");
  st.end("A");
  // One thread after the other gets the lock.
  static constexpr const char* kWins[] = {"1000", "0100", "0010"};
  static constexpr const char* kSpins[] = {"0111", "0011", "0001"};
  for (unsigned i = 0; i < 3; ++i) {
    if (i != 0) st.end("B");
    st.insert("C", "C'", kWins[i], 0);
    st.insert("B", "C'", kSpins[i], 0);
    EXPECT_EQ(st.contents(), std::string("B C' ") + kSpins[i] + " | C C' " + kWins[i]);
    st.end("C");
    EXPECT_EQ(st.contents(), std::string("B C' ") + kSpins[i]);
  }
  st({.op = Op::kWrite, .id = st.at("B"), .split = st.split("C", "C'", "0001", 0)});
  EXPECT_EQ(st.contents(), "C C' 0001");
  st.end("C");
  st.insert("C'", "-", "1111");
  EXPECT_EQ(st.contents(), "C' - 1111");
}

TEST_P(SplitTableGolden, MimdG9TimeOut) {
  st.insert("B", "C", "0111", 0);
  EXPECT_EQ(st.contents(), "B C 0111");
  st.insert("C", "-", "1000");
  EXPECT_EQ(st.contents(), "B C 0111 | C - 1000");
  st.end("C");
  st.end("B");
  st.insert("B", "C", "0011", 0);
  st.insert("C", "-", "0100");
  EXPECT_EQ(st.contents(), "B C 0011 | C - 0100");
  st.end("C");
  st.end("B");
  st.insert("C", "-", "0001");
  EXPECT_EQ(st.contents(), "C - 0001");
}

// The splits are looked up by the start of their block, which the table stores.
TEST_P(SplitTableGolden, MimdG11OpportunisticReconvergence) {
  st.insert("A", "D", "0101", 0);
  st.insert("B", "D", "1010", 0);
  EXPECT_EQ(st.contents(), "A D 0101 | B D 1010");
  const auto leader = st({.op = Op::kMatch, .id = st.at("A"), .split = st.split("B", "D", "0101", 0)});
  ASSERT_TRUE(leader.ok);
  EXPECT_EQ(leader.split.mask, base::LaneMask(0b1010));
  EXPECT_EQ(leader.id, st.at("B"));
  st({.op = Op::kFree, .id = leader.id});
  st({.op = Op::kWrite, .id = st.at("A"), .split = st.split("B", "B'", "0101", 1)});
  EXPECT_EQ(st.contents(), "B B' 0101");
  st.end("B");
  st.insert("B'", "D", "1111", 0);
  EXPECT_EQ(st.contents(), "B' D 1111");
}

TEST_P(SplitTableGolden, OnlyAnEqualSplitThatRunsIsCaughtUpWith) {
  simt::Split split = st.split("B", "D", "0001", 3);
  split.frame = 2;
  st({.op = Op::kInsert, .split = split});
  const auto found = [&](const simt::Split& key, SplitId besides) {
    return st({.op = Op::kMatch, .id = besides, .split = key}).ok;
  };
  EXPECT_TRUE(found(split, simt::kNoSplit));
  EXPECT_FALSE(found(split, SplitId{0}));
  for (auto change :
       {+[](simt::Split& s) { s.pc = base::Pc{7}; }, +[](simt::Split& s) { s.frame = 3; },
        +[](simt::Split& s) { s.rpc.pc = base::kNoPc; }, +[](simt::Split& s) { s.rpc.frame = 1; },
        +[](simt::Split& s) { s.rpc.index = simt::ReconvergenceId{4}; },
        +[](simt::Split& s) { s.rpc.index = simt::kNoReconvergence; },
        +[](simt::Split& s) { s.rpc.kind = simt::MeetingPoint::Kind::kEarly; }}) {
    simt::Split other = split;
    change(other);
    EXPECT_FALSE(found(other, simt::kNoSplit));
  }
  split.blocked = true;
  st({.op = Op::kWrite, .id = SplitId{0}, .split = split});
  EXPECT_FALSE(found(split, simt::kNoSplit));
}

// [AWARE] §5.5.2: 29-bit PCs, the R-Index in the six remaining bits.
TEST_P(SplitTableGolden, RecordsHaveTwelveBytes) {
  simt::Split split;
  split.pc = base::Pc{0x1234567};
  split.rpc.pc = base::Pc{0x1fff'fffe};
  split.rpc.index = simt::ReconvergenceId{21};
  split.mask = base::LaneMask(0x8000'0001);
  two({.op = Op::kInsert, .split = split});
  using Words = std::array<std::uint32_t, 3>;
  EXPECT_EQ(two({.op = Op::kEvict, .id = SplitId{0}}).words,
            (Words{0x1234567 | 5u << 29, 0x1fff'fffe | 2u << 29, 0x8000'0001}));
  // Neither point nor RPC.
  EXPECT_TRUE(two.fill(SplitId{0}, {0x1234567, 0x9fff'ffff, 0x8000'0001}));
  const auto read = two({.op = Op::kRead, .id = SplitId{0}});
  EXPECT_TRUE(read.ok);
  EXPECT_EQ(read.split.rpc, simt::MeetingPoint{});
  EXPECT_EQ(read.split.mask, split.mask);
  EXPECT_EQ(two({.op = Op::kEvict, .id = SplitId{0}}).words, (Words{0x1234567, 0x9fff'ffff, 0x8000'0001}));
}

TEST_P(SplitTableGolden, CallFramesStayWhenTheContentsLeave) {
  simt::Split split = two.split("B", "D", "0001", 3);
  split.frame = 0xffff;
  split.rpc.frame = 0xfffe;
  split.rpc.kind = simt::MeetingPoint::Kind::kReturn;
  two({.op = Op::kInsert, .split = split});
  two.insert("C", "-", "0010");
  const auto words = two.evict("B");
  EXPECT_TRUE(two.insert("D", "-", "0100").ok);  // in its entry
  two.end("C");
  EXPECT_TRUE(two.fill(SplitId{0}, words));
  EXPECT_EQ(two({.op = Op::kRead, .id = SplitId{0}}).split, split);
}

INSTANTIATE_TEST_SUITE_P(As, SplitTableGolden, cosim::every_implementation(), cosim::name_implementation);

}  // namespace
}  // namespace heddle::split_table_golden
