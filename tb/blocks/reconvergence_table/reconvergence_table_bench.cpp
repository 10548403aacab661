// The reconvergence table through its socket, as model, as RTL and as both: the RT columns of the worked
// examples [AWARE:G4] to [AWARE:G9], and cases that these do not cover. Masks are written MSB..LSB.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cosim/lockstep_bench.h"
#include "cosim/twins.h"
#include "simt/reconvergence_table.h"

namespace heddle::reconvergence_table_bench {
namespace {

using simt::MeetingPoint;
using simt::Reconvergence;
using simt::ReconvergenceId;
using simt::ReconvergenceTableRequest;
using Op = ReconvergenceTableRequest::Op;
using base::Cycle;
using base::LaneMask;
using base::Pc;
using base::WarpId;

constexpr std::uint32_t kWarpSlots = 48;

LaneMask mask(const char* text) { return LaneMask(static_cast<std::uint32_t>(std::stoul(text, nullptr, 2))); }
/// Block X starts at PC 100 * (X - 'A').
Pc pc(char block) { return Pc{100u * static_cast<unsigned>(block - 'A')}; }
char block_of(Pc at) { return at == base::kNoPc ? '-' : static_cast<char>('A' + at.value() / 100); }

/// The table and its user.
struct Rig : sc_core::sc_module {
  Rig(const sc_core::sc_module_name& name, sim::Implementation impl,
      const simt::ReconvergenceTableConfig& config)
      : sc_module(name) {
    cosim::provide_twins(twins);
    table = std::make_unique<simt::ReconvergenceTable>("reconvergence_table", kWarpSlots, config,
                                                       sim::ClockedTwinConfig{{impl}, {}}, &twins);
    isock.bind(table->reconvergence_table_tsock);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  ReconvergenceTableRequest operator()(ReconvergenceTableRequest request) {
    request.cycle = cycle;
    isock.call(request);
    return request;
  }
  // Of one warp
  ReconvergenceTableRequest insert(const Reconvergence& entry) {
    return (*this)({.op = Op::kInsert, .warp = warp, .entry = entry});
  }
  ReconvergenceTableRequest on(Op op, ReconvergenceId id, LaneMask lanes = {}) {
    return (*this)({.op = op, .warp = warp, .id = id, .lanes = lanes});
  }
  ReconvergenceTableRequest fill(ReconvergenceId id, const std::array<std::uint32_t, 4>& words) {
    return (*this)({.op = Op::kFill, .warp = warp, .id = id, .words = words});
  }
  /// "G - 1111/1010 | F G 1010/1010": all entries as the examples print them; one in memory is marked '*'.
  std::string rt() {
    std::string text;
    for (std::uint8_t id = 0; id < simt::kTableEntries; ++id) {
      ReconvergenceTableRequest read{.op = Op::kRead, .warp = warp, .id = ReconvergenceId{id}};
      isock.inspect(read);
      if (!read.valid) continue;
      const auto lanes = [](LaneMask m) { return m.to_string().substr(simt::kTableEntries - 4); };
      text += fmt::format("{}{} {} {}/{}{}", text.empty() ? "" : " | ", block_of(read.entry.pc),
                          block_of(read.entry.rpc.pc), lanes(read.entry.rec), lanes(read.entry.pend),
                          read.ok ? "" : "*");
    }
    return text;
  }
  sim::Twins twins;
  std::unique_ptr<simt::ReconvergenceTable> table;
  sim::BlockInitiator<simt::ReconvergenceTableProtocol> isock{"isock"};
  Cycle cycle = 0;
  const WarpId warp{5};
};

Reconvergence point(char at, const char* rec, const char* pend, MeetingPoint parent = {}) {
  Reconvergence entry;
  entry.pc = pc(at);
  entry.rpc = parent;
  entry.rec = mask(rec);
  entry.pend = mask(pend);
  return entry;
}
MeetingPoint parent(char at, ReconvergenceId id) { return {pc(at), 0, id, MeetingPoint::Kind::kBranch}; }

class ReconvergenceTableBench : public ::testing::TestWithParam<sim::Implementation> {
 protected:
  static simt::ReconvergenceTableConfig of(std::uint32_t physical, std::uint32_t timeout = 0,
                                           std::uint32_t resolution = 1) {
    simt::ReconvergenceTableConfig config;
    config.physical = physical;
    config.timeout = {timeout, resolution};
    return config;
  }
};

TEST_P(ReconvergenceTableBench, MimdG4IfElse) {
  Rig rig("rig", GetParam(), of(32));
  rig({.op = Op::kReset, .warp = rig.warp});
  EXPECT_EQ(rig.rt(), "");
  const ReconvergenceId d = rig.insert(point('D', "1111", "1111")).id;
  EXPECT_EQ(rig.rt(), "D - 1111/1111");
  EXPECT_TRUE(rig.on(Op::kArrive, d, mask("0101")).entry.pend.any());  // B
  EXPECT_EQ(rig.rt(), "D - 1111/1010");
  const Reconvergence complete = rig.on(Op::kArrive, d, mask("1010")).entry;  // C
  EXPECT_EQ(rig.rt(), "D - 1111/0000");
  EXPECT_TRUE(complete.pend.none());
  EXPECT_EQ(complete.split().mask, mask("1111"));
  rig.on(Op::kFree, d);
  EXPECT_EQ(rig.rt(), "");
}

TEST_P(ReconvergenceTableBench, MimdG6Nested) {
  Rig rig("rig", GetParam(), of(32));
  rig({.op = Op::kReset, .warp = rig.warp});
  const ReconvergenceId g = rig.insert(point('G', "1111", "1111")).id;
  const ReconvergenceId f = rig.insert(point('F', "1010", "1010", parent('G', g))).id;
  EXPECT_EQ(rig.rt(), "G - 1111/1111 | F G 1010/1010");
  rig.on(Op::kArrive, g, mask("0101"));  // B
  EXPECT_EQ(rig.rt(), "G - 1111/1010 | F G 1010/1010");
  rig.on(Op::kArrive, f, mask("1000"));  // E
  EXPECT_EQ(rig.rt(), "G - 1111/1010 | F G 1010/0010");
  const Reconvergence release = rig.on(Op::kArrive, f, mask("0010")).entry;  // D
  EXPECT_EQ(rig.rt(), "G - 1111/1010 | F G 1010/0000");
  EXPECT_EQ(release.split().rpc, parent('G', g));
  rig.on(Op::kFree, f);
  EXPECT_EQ(rig.rt(), "G - 1111/1010");
  rig.on(Op::kArrive, g, release.rec);
  EXPECT_EQ(rig.rt(), "G - 1111/0000");
}

TEST_P(ReconvergenceTableBench, MimdG7DivergentBarrierLeavesThePointAsItIs) {
  Rig rig("rig", GetParam(), of(32, 100));
  rig({.op = Op::kReset, .warp = rig.warp});
  const auto inserted = rig.insert(point('D', "1111", "1111"));
  EXPECT_EQ(inserted.due, simt::kNever) << "nobody has arrived yet";
  rig.cycle = 1000;  // both sides wait at their barriers
  EXPECT_FALSE(rig({.op = Op::kFired}).ok);
  EXPECT_EQ(rig.rt(), "D - 1111/1111");
  EXPECT_EQ(rig.on(Op::kArrive, inserted.id, mask("0101")).due, 1101u);
  EXPECT_EQ(rig.rt(), "D - 1111/1010");
}

TEST_P(ReconvergenceTableBench, MimdG8DelayedReconvergence) {
  Rig rig("rig", GetParam(), of(32));
  rig({.op = Op::kReset, .warp = rig.warp});
  const ReconvergenceId p = rig.insert(point('P', "1111", "1111")).id;
  const char* pending[] = {"0111", "0011", "0001", "0000"};
  const char* winner[] = {"1000", "0100", "0010", "0001"};
  for (unsigned i = 0; i < 4; ++i) {
    rig.on(Op::kArrive, p, mask(winner[i]));
    EXPECT_EQ(rig.rt(), fmt::format("P - 1111/{}", pending[i]));
  }
}

TEST_P(ReconvergenceTableBench, MimdG9TimedOutReconvergence) {
  Rig rig("rig", GetParam(), of(32, 1000));
  rig({.op = Op::kReset, .warp = rig.warp});
  rig.cycle = 10;
  const auto inserted = rig.insert(point('C', "1111", "0111"));  // the exit side is at its RPC
  EXPECT_EQ(rig.rt(), "C - 1111/0111");
  EXPECT_EQ(inserted.due, 1011u) << "the counter exceeds the limit";
  rig.cycle = 1010;
  EXPECT_FALSE(rig({.op = Op::kFired}).ok);
  EXPECT_FALSE(rig.on(Op::kHasFired, inserted.id).ok);
  rig.cycle = 1011;
  const auto fired = rig({.op = Op::kFired});
  EXPECT_TRUE(fired.ok && fired.warp == rig.warp && fired.id == inserted.id);
  EXPECT_EQ(fired.due, simt::kNever);
  EXPECT_TRUE(rig.on(Op::kHasFired, inserted.id).ok);
  const auto alone = rig.on(Op::kGoAlone, inserted.id);
  EXPECT_EQ(alone.entry.arrived(), mask("1000")) << "as it was";
  EXPECT_EQ(rig.rt(), "C - 0111/0111");
  EXPECT_EQ(alone.due, simt::kNever);
  rig.cycle = 1500;
  EXPECT_EQ(rig.on(Op::kArrive, inserted.id, mask("0100")).due, 2501u);  // the next thread to get the lock
  EXPECT_EQ(rig.rt(), "C - 0111/0011");
  rig.cycle = 2501;
  EXPECT_TRUE(rig({.op = Op::kFired}).ok);
  rig.on(Op::kGoAlone, inserted.id);
  EXPECT_EQ(rig.rt(), "C - 0011/0011");
}

TEST_P(ReconvergenceTableBench, AnArrivalStopsTheTimerOfWhatFiredBefore) {
  Rig rig("rig", GetParam(), of(32, 100, 64));
  rig({.op = Op::kReset, .warp = rig.warp});
  rig.cycle = 5;
  const auto inserted = rig.insert(point('C', "1111", "0111"));
  EXPECT_EQ(inserted.due, 128u) << "the first look at the timers beyond cycle 105 ([AWARE:A8])";
  rig.cycle = 127;
  EXPECT_FALSE(rig({.op = Op::kFired}).ok);
  rig.cycle = 129;
  EXPECT_TRUE(rig({.op = Op::kFired}).ok);
  EXPECT_EQ(rig.on(Op::kArrive, inserted.id, mask("0001")).due, 256u);
  EXPECT_FALSE(rig.on(Op::kHasFired, inserted.id).ok) << "something has changed since";
}

TEST_P(ReconvergenceTableBench, TimersFireInTheOrderOfWarpsAndNumbers) {
  Rig rig("rig", GetParam(), of(32, 10));
  for (const std::uint32_t warp : {40u, 7u}) {
    rig({.op = Op::kReset, .warp = WarpId{warp}});
    for (int i = 0; i < 2; ++i)
      rig({.op = Op::kInsert, .warp = WarpId{warp}, .entry = point('C', "1111", "0111")});
    rig.cycle += 2;
  }
  rig.cycle = 12;  // those of warp 40 have expired, those of warp 7 not yet
  EXPECT_EQ(rig({.op = Op::kFired}).warp, WarpId{40});
  rig.cycle = 20;
  std::string order;
  for (auto fired = rig({.op = Op::kFired}); fired.ok; fired = rig({.op = Op::kFired}))
    order += fmt::format("{}.{} ", fired.warp.value(), fired.id.value());
  EXPECT_EQ(order, "7.0 7.1 40.1 ");
}

TEST_P(ReconvergenceTableBench, TheNumberThatBecameFreeLastIsUsedNext) {
  Rig rig("rig", GetParam(), of(32));
  rig({.op = Op::kReset, .warp = rig.warp});
  for (std::uint8_t id = 0; id < 32; ++id)
    EXPECT_EQ(rig.insert(point('C', "1111", "1111")).id, ReconvergenceId{id});
  EXPECT_EQ(rig.insert(point('C', "1111", "1111")).id, simt::kNoReconvergence);
  for (const std::uint8_t id : {3, 30, 17}) rig.on(Op::kFree, ReconvergenceId{id});
  for (const std::uint8_t id : {17, 30, 3})
    EXPECT_EQ(rig.insert(point('C', "1111", "1111")).id, ReconvergenceId{id});
  rig({.op = Op::kReset, .warp = rig.warp});
  EXPECT_EQ(rig.insert(point('C', "1111", "1111")).id, ReconvergenceId{0});
}

TEST_P(ReconvergenceTableBench, AnEntryInMemoryComesBackAsItLeft) {
  Rig rig("rig", GetParam(), of(1, 100));
  rig({.op = Op::kReset, .warp = rig.warp});
  Reconvergence outer = point('G', "1111", "0111");
  outer.frame = 3;
  outer.kind = MeetingPoint::Kind::kReturn;
  outer.rpc = {base::kNoPc, 2, ReconvergenceId{21}, MeetingPoint::Kind::kReturn};
  const auto first = rig.insert(outer);
  EXPECT_TRUE(first.ok);
  const auto second = rig.insert(point('F', "0111", "0111"));
  EXPECT_FALSE(second.ok) << "there is no room for it";
  EXPECT_EQ(rig.rt(), "G - 1111/0111 | F - 0111/0111*");
  const auto words = simt::pack(point('F', "0111", "0111"));
  EXPECT_FALSE(rig.fill(second.id, words).ok);
  const auto evicted = rig({.op = Op::kEvict, .warp = rig.warp});
  EXPECT_EQ(evicted.id, first.id);
  EXPECT_EQ(evicted.words, simt::pack(outer));
  EXPECT_TRUE(rig.fill(second.id, words).ok);
  EXPECT_EQ(rig.rt(), "G - 1111/0111* | F - 0111/0111");
  rig.cycle = 101;
  EXPECT_EQ(rig({.op = Op::kFired}).id, first.id) << "timers stay ([AWARE] §5.5.2)";
  EXPECT_EQ(rig({.op = Op::kEvict, .warp = rig.warp}).id, second.id);
  EXPECT_TRUE(rig.fill(first.id, evicted.words).ok);
  EXPECT_EQ(rig.on(Op::kRead, first.id).entry, outer) << "so do frames and kinds";
  EXPECT_TRUE(rig.on(Op::kHasFired, first.id).ok);
}

TEST_P(ReconvergenceTableBench, TheEntryWrittenLongestAgoGoes) {
  Rig rig("rig", GetParam(), of(4));
  rig({.op = Op::kReset, .warp = rig.warp});
  for (int i = 0; i < 4; ++i) rig.insert(point('C', "1111", "1111"));
  rig.on(Op::kArrive, ReconvergenceId{0}, mask("0001"));
  rig.on(Op::kRead, ReconvergenceId{1});  // does not count
  EXPECT_EQ(rig({.op = Op::kEvict, .warp = rig.warp}).id, ReconvergenceId{1});
  EXPECT_EQ(rig({.op = Op::kEvict, .warp = rig.warp}).id, ReconvergenceId{2});
  rig.on(Op::kFree, ReconvergenceId{3});
  EXPECT_EQ(rig({.op = Op::kEvict, .warp = rig.warp}).id, ReconvergenceId{0});
}

TEST_P(ReconvergenceTableBench, OrTheOneWrittenLast) {
  simt::ReconvergenceTableConfig config = of(4);
  config.victim = simt::TableVictim::kMostRecent;
  Rig rig("rig", GetParam(), config);
  rig({.op = Op::kReset, .warp = rig.warp});
  for (int i = 0; i < 4; ++i) rig.insert(point('C', "1111", "1111"));
  rig.on(Op::kArrive, ReconvergenceId{1}, mask("0001"));
  EXPECT_EQ(rig({.op = Op::kEvict, .warp = rig.warp}).id, ReconvergenceId{1});
  rig.on(Op::kFree, ReconvergenceId{3});
  EXPECT_EQ(rig({.op = Op::kEvict, .warp = rig.warp}).id, ReconvergenceId{2});
}

TEST(ReconvergenceTableTwin, SizesThatWereNotBuiltAreNamedWithTheRemedy) {
  simt::ReconvergenceTableConfig config;
  config.physical = 3;
  try {
    Rig rig("rig", sim::Implementation::kRtl, config);
    FAIL() << "there is no such RTL";
  } catch (const base::InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("1, 2, 4 or 32 entries"), std::string::npos) << text;
    EXPECT_NE(text.find("this core has 3"), std::string::npos) << text;
    EXPECT_NE(text.find("reconvergence_table.cmake"), std::string::npos) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(As, ReconvergenceTableBench, cosim::every_implementation(),
                         cosim::name_implementation);

}  // namespace
}  // namespace heddle::reconvergence_table_bench
