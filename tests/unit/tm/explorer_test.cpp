// Random transactions through commit units: serialisable under every option, without a deadlock, an overflow, or a broken
// assertion of [KiloTM] §5.3. What the explorer sees if a rule of the protocol is missing: of the commit units by mutants
// (tests/mutants/tm.json), of the cores, which the explorer plays itself, in CoresWithoutARule.
#include <gtest/gtest.h>

#include <functional>

#include "unit/tm/explorer.h"

namespace heddle::tm::testing::explorer_test {
namespace {

ExplorerOptions base_options() {
  ExplorerOptions options;
  options.unit.ring_entries = 512;
  options.unit.cid_bits = 16;
  options.unit.set_buffers = 0;
  options.unit.history = {2, 2, 2, 2, false};
  options.unit.access_bytes = 32;
  return options;
}

ExplorerOptions by_warp(ExplorerOptions options) {
  options.unit.by_warp = true;
  options.unit.gathered_words = 8;
  options.unit.hazard_words = 2;
  options.lanes = 4;
  options.words = 12;
  return options;
}

ExplorerOptions temporal(Temporal mode) {
  ExplorerOptions options = base_options();
  options.temporal = mode;
  options.stride = 128;
  options.units = 3;
  options.transactions = 8;
  options.warps = 1;
  options.words = 5;
  return options;
}

/// By the assertions of [KiloTM] §5.3, too; the other runs by what transactions leave alone.
enum class Checked : bool { kNever, kEveryOther };

/// In how many of so many runs something was wrong, and what first.
/// `enough`: bad runs after which no more are made.
std::pair<unsigned, std::string> explore(ExplorerOptions options, unsigned runs, unsigned enough,
                                         Checked checked) {
  unsigned bad = 0;
  std::string first;
  for (unsigned seed = 1; seed <= runs && bad < enough; ++seed) {
    options.checks = checked == Checked::kEveryOther && seed % 2 == 0;
    const std::string problem = Explorer(options, seed).run();
    if (problem.empty()) continue;
    if (bad++ == 0) first = "seed " + std::to_string(seed) + ": " + problem;
  }
  return {bad, first};
}

struct Variant {
  const char* name;
  std::function<void(ExplorerOptions&)> change;
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class Serialisable : public ::testing::TestWithParam<Variant> {};
TEST_P(Serialisable, EveryRun) {
  ExplorerOptions options = base_options();
  GetParam().change(options);
  const auto [bad, first] = explore(options, 600, 1, Checked::kEveryOther);
  EXPECT_EQ(bad, 0u) << first;
}
INSTANTIATE_TEST_SUITE_P(
    Units, Serialisable,
    ::testing::Values(Variant{"base", [](ExplorerOptions&) {}},
                      Variant{"three_units", [](ExplorerOptions& o) { o.units = 3; }},
                      Variant{"lanes", [](ExplorerOptions& o) { o.lanes = 3; }},
                      Variant{"perfect", [](ExplorerOptions& o) { o.unit.history.perfect = true; }},
                      Variant{"bf_array",
                              [](ExplorerOptions& o) { o.unit.hazard_detection = HazardKind::kBfArray; }},
                      Variant{"small_bf_array",
                              [](ExplorerOptions& o) {
                                o.unit.hazard_detection = HazardKind::kBfArray;
                                o.unit.signature_bits = 16;
                                o.unit.signatures_checked = 1;
                                o.unit.set_buffers = 2;
                                o.unit.set_words = 1;
                              }},
                      Variant{"narrow_ids",
                              [](ExplorerOptions& o) {
                                o.unit.cid_bits = 4;
                                o.unit.ring_entries = 8;
                                o.credits = 2;
                                o.transactions = 12;
                              }},
                      Variant{"whole_ring",
                              [](ExplorerOptions& o) {
                                o.unit.cid_bits = 4;
                                o.unit.ring_entries = 16;
                                o.credits = 5;
                                o.transactions = 12;
                              }},
                      Variant{"few_entries",
                              [](ExplorerOptions& o) {
                                o.unit.ring_entries = 6;
                                o.credits = 2;
                                o.transactions = 8;
                              }},
                      // Entries of different sets are not evicted in the order of their ids.
                      Variant{"one_way_history",
                              [](ExplorerOptions& o) {
                                o.unit.history = {4, 1, 2, 2, false};
                                o.words = 12;
                              }},
                      Variant{"two_buffers", [](ExplorerOptions& o) { o.unit.set_buffers = 2; }},
                      Variant{"small_buffers",
                              [](ExplorerOptions& o) {
                                o.unit.set_buffers = 2;
                                o.unit.set_words = 1;
                              }},
                      Variant{"small_buffers_of_lanes",
                              [](ExplorerOptions& o) {
                                o.lanes = 4;
                                o.unit.set_buffers = 2;
                                o.unit.set_words = 1;
                              }},
                      Variant{"small_sets_of_lanes",
                              [](ExplorerOptions& o) {
                                o.lanes = 3;
                                o.words = 16;
                                o.most_reads = 5;
                                o.most_writes = 4;
                                o.unit.set_words = 2;
                              }},
                      Variant{"bf_array_of_lanes",
                              [](ExplorerOptions& o) {
                                o.lanes = 3;
                                o.unit.hazard_detection = HazardKind::kBfArray;
                                o.unit.signature_bits = 16;
                                o.unit.signatures_checked = 1;
                                o.unit.set_buffers = 2;
                                o.unit.set_words = 1;
                              }},
                      Variant{"needed_buffers",
                              [](ExplorerOptions& o) {
                                o.unit.set_buffers = 3;
                                o.unit.buffer_scheme = BufferScheme::kNeeded;
                              }},
                      Variant{"accessed_buffers",
                              [](ExplorerOptions& o) {
                                o.unit.set_buffers = 5;
                                o.unit.buffer_scheme = BufferScheme::kAccessed;
                              }},
                      Variant{"all_buffers",
                              [](ExplorerOptions& o) {
                                o.unit.set_buffers = 6;
                                o.unit.buffer_scheme = BufferScheme::kAll;
                              }},
                      Variant{"temporal", [](ExplorerOptions& o) { o = temporal(Temporal::kStrict); }},
                      Variant{"temporal_by_warp",
                              [](ExplorerOptions& o) {
                                o = by_warp(temporal(Temporal::kStrict));
                                o.words = 8;
                              }},
                      Variant{"by_warp", [](ExplorerOptions& o) { o = by_warp(o); }},
                      Variant{"by_warp_small_buffers",
                              [](ExplorerOptions& o) {
                                o = by_warp(o);
                                o.unit.set_buffers = 4;
                                o.unit.set_words = 1;
                              }}),
    [](const auto& test) { return std::string(test.param.name); });

// The sets of a warp's lanes that find no room are asked for together, at each stage, not lane by lane.
TEST(ResentSets, OfAWarpComeAtOneRequest) {
  ExplorerOptions options = base_options();
  options.lanes = 16;
  options.words = 256;  // few conflicts
  options.unit.set_buffers = 1;
  options.unit.set_words = 1;
  std::uint64_t resends = 0, overflows = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Explorer explorer(options, seed);
    EXPECT_EQ(explorer.run(), "") << seed;
    for (unsigned unit = 0; unit < options.units; ++unit) {
      resends += explorer.counters(unit).resends;
      overflows += explorer.counters(unit).overflows;
    }
  }
  // One by one each read set would be asked for at least once, and each write set twice. (Final outcomes come one by one, and what
  // has none yet is not asked for.)
  EXPECT_GT(resends, 0u);
  EXPECT_LT(3 * resends, 2 * overflows);
}

class CoresWithoutARule : public ::testing::TestWithParam<Variant> {};
TEST_P(CoresWithoutARule, AreNoticed) {
  ExplorerOptions options = base_options();
  GetParam().change(options);
  const auto [bad, first] =
      explore(options, options.temporal == Temporal::kOff ? 1500 : 20'000, 10, Checked::kNever);
  EXPECT_GT(bad, 0u);
  RecordProperty("bad_runs", static_cast<int>(bad));
  RecordProperty("first", first);
}
INSTANTIATE_TEST_SUITE_P(
    Units, CoresWithoutARule,
    ::testing::Values(Variant{"E3_early_credits",
                              [](ExplorerOptions& o) {
                                o.unit.ring_entries = 6;
                                o.credits = 2;
                                o.transactions = 8;
                                o.early_credits = true;
                              }},
                      // As published: it may miss part of a transaction that commits (G17).
                      Variant{"temporal_as_published",
                              [](ExplorerOptions& o) { o = temporal(Temporal::kPublished); }},
                      Variant{"E4_own_id",
                              [](ExplorerOptions& o) {
                                o = temporal(Temporal::kStrict);
                                o.own_id_matters = false;
                              }}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace heddle::tm::testing::explorer_test
