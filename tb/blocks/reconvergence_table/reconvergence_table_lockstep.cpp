// Random traffic on the reconvergence table's RTL, compared with its model clock by clock.
#include "VReconvergenceTable1.h"
#include "VReconvergenceTable2.h"
#include "VReconvergenceTable32.h"
#include "VReconvergenceTable32Plain.h"
#include "VReconvergenceTable4.h"
#include "VReconvergenceTable4Plain.h"
// verilated headers first: pin_driver.h
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "cosim/coverage.h"
#include "cosim/lockstep_bench.h"
#include "cosim/reconvergence_table_pins.h"

namespace heddle {
namespace {

using simt::MeetingPoint;
using simt::Reconvergence;
using simt::ReconvergenceId;
using simt::ReconvergenceTableBlock;
using simt::ReconvergenceTableConfig;
using simt::ReconvergenceTableModel;
using simt::ReconvergenceTableRequest;
using Op = ReconvergenceTableRequest::Op;
using base::Cycle;
using base::LaneMask;
using base::Pc;
using base::WarpId;

constexpr std::uint32_t kWarps = 48;
constexpr std::uint32_t kWarpsUsed[] = {0, 15, 30, 47};  // few, so that their tables get full

/// A verilated parameter point and its configuration.
struct Point {
  const char* label;
  std::uint32_t physical;
  simt::TableVictim victim;
  std::uint32_t timeout;
  std::uint32_t resolution;
  bool calls;
  [[nodiscard]] ReconvergenceTableConfig config() const { return {physical, victim, {timeout, resolution}}; }
  [[nodiscard]] bool spills() const { return physical < simt::kTableEntries; }
};
void PrintTo(const Point& point, std::ostream* out) { *out << point.label; }

/// Legal requests: entries that are not physical are filled before they are used, and Pend stays within Rec.
class Traffic {
 public:
  explicit Traffic(const Point& point) : point_(point), coverage(events(point)) {}

  ReconvergenceTableRequest operator()(const ReconvergenceTableModel& model, std::mt19937& random) {
    random_ = &random;
    // Occasionally long enough for timers to expire; initially just before the pins' time wraps.
    const Cycle before = cycle_;
    const bool wrap_is_near = (before >> 32) != ((before + point_.timeout + 250) >> 32);  // stay near it
    cycle_ += wrap_is_near ? one_of(8) : one_of(64) ? 40 + below(200) : below(4);
    coverage_hit("time wraps", (before >> 32) != (cycle_ >> 32));
    ReconvergenceTableRequest request{.warp = WarpId{kWarpsUsed[below(4)]}, .cycle = cycle_};
    // Every other warp is used as it is after the reset of the block.
    if (started_.insert(request.warp.value()).second && request.warp.value() % 2 == 0) {
      request.op = Op::kReset;
      return request;
    }
    read_table(model, request.warp);
    choose(request);
    cover(request, model);
    return request;
  }

 private:
  struct Entry {
    ReconvergenceId id;
    bool physical = false;
    Reconvergence contents;
  };

  unsigned below(unsigned limit) { return static_cast<unsigned>((*random_)() % limit); }
  bool one_of(unsigned n) { return below(n) == 0; }
  LaneMask lanes() {
    const std::uint32_t any = static_cast<std::uint32_t>((*random_)());
    switch (below(4)) {
      case 0:
        return LaneMask(any);
      case 1:
        return LaneMask(1u << (any & 31));
      case 2:
        return LaneMask(any & static_cast<std::uint32_t>((*random_)()));
      default:
        return LaneMask::all();
    }
  }

  void read_table(const ReconvergenceTableModel& model, WarpId warp) {
    entries_.clear(), physical_.clear(), away_.clear();
    for (std::uint8_t id = 0; id < simt::kTableEntries; ++id) {
      ReconvergenceTableRequest read{.op = Op::kRead, .warp = warp, .id = ReconvergenceId{id}};
      model.inspect(read);
      if (!read.valid) continue;
      entries_.push_back({read.id, read.ok, read.entry});
      (read.ok ? physical_ : away_).push_back(entries_.back());
    }
  }
  const Entry& any(const std::vector<Entry>& of) { return of[below(static_cast<unsigned>(of.size()))]; }

  MeetingPoint parent() {
    if (one_of(4)) return {};
    MeetingPoint point;
    point.index = ReconvergenceId{static_cast<std::uint8_t>(below(32))};
    point.pc = Pc{below(0x1fffffff)};
    if (!point_.calls) return point;
    point.frame = below(3) == 0 ? static_cast<std::uint32_t>((*random_)()) : below(4);
    point.kind = static_cast<MeetingPoint::Kind>(below(3));
    if (point.kind == MeetingPoint::Kind::kReturn && one_of(2)) point.pc = base::kNoPc;
    return point;
  }
  Reconvergence entry() {
    Reconvergence result;
    result.pc = Pc{below(0x1fffffff)};
    result.rpc = parent();
    result.rec = lanes();
    result.pend = one_of(3) ? result.rec & lanes() : result.rec;
    if (!point_.calls) return result;
    result.frame = below(4);
    result.kind = static_cast<MeetingPoint::Kind>(below(3));
    if (result.kind == MeetingPoint::Kind::kReturn && one_of(2)) result.pc = base::kNoPc;
    return result;
  }

  void choose(ReconvergenceTableRequest& request) {
    const bool grow = phase_++ / 1500 % 2 == 0;  // full and empty tables in turn
    const unsigned kind = below(64);
    if (kind < (grow ? 14u : 5u) || entries_.empty()) {
      request.op = Op::kInsert;
      request.entry = entry();
    } else if (kind < 16) {
      request.op = Op::kFree;
      request.id = any(entries_).id;
    } else if (kind < 22) {
      request.op = Op::kFired;
    } else if (kind < 26) {
      request.op = Op::kHasFired;
      request.id = fired_.empty() || one_of(2) ? any(entries_).id : any(fired_).id;
      if (!in_use(request.id)) request.id = any(entries_).id;
    } else if (kind < 30) {
      request.op = Op::kRead;
      request.id = ReconvergenceId{static_cast<std::uint8_t>(below(32))};
    } else if (kind < 42 && !away_.empty()) {
      const Entry& back = any(away_);
      request.op = Op::kFill;
      request.id = back.id;
      // Usually its last contents; memory may return anything.
      request.words = simt::pack(one_of(8) ? entry() : back.contents);
    } else if (kind < 48 && point_.spills() && !physical_.empty()) {
      request.op = Op::kEvict;
    } else if (kind == 63 && one_of(8)) {
      request.op = Op::kReset;
    } else if (!physical_.empty()) {
      update(request, any(physical_));
    } else {
      request.op = Op::kRead;
      request.id = any(entries_).id;
    }
  }
  void update(ReconvergenceTableRequest& request, const Entry& entry) {
    request.id = entry.id;
    switch (below(6)) {
      case 0: {
        request.op = Op::kWrite;
        request.entry = entry.contents;
        request.entry.rpc = parent();
        break;
      }
      case 1:
        request.op = Op::kGoAlone;
        break;
      case 2:
        request.op = Op::kLeave;
        request.lanes = lanes();
        break;
      default:
        request.op = Op::kArrive;
        request.lanes = one_of(2) ? lanes() : entry.contents.pend & lanes();
        request.pc = one_of(2) ? base::kNoPc : Pc{below(0x1fffffff)};
    }
  }

  [[nodiscard]] bool in_use(ReconvergenceId id) const { return find(id) != nullptr; }
  [[nodiscard]] const Entry* find(ReconvergenceId id) const {
    for (const Entry& entry : entries_)
      if (entry.id == id) return &entry;
    return nullptr;
  }

  static std::vector<std::string> events(const Point& point) {
    std::vector<std::string> names{"reset with entries",
                                   "insert into an empty table",
                                   "insert of the last number",
                                   "no number left",
                                   "free number comes back",
                                   "read of a free number",
                                   "read",
                                   "write",
                                   "arrive: some",
                                   "arrive: the last",
                                   "arrive again",
                                   "leave: some",
                                   "leave: the last",
                                   "go alone: some had come",
                                   "go alone: nobody had",
                                   "free",
                                   "search: no timers",
                                   "time wraps"};
    if (point.calls)
      names.insert(names.end(),
                   {"arrive: its PC becomes known", "arrive: its PC is known", "parent's PC is not known"});
    if (point.timeout != 0)
      names.insert(names.end(),
                   {"insert: lanes wait", "reset with timers", "timer runs anew", "timer stops",
                    "search: none expired", "search: the first", "search: behind others of its warp",
                    "search: behind another warp's", "search: expired long ago", "has fired", "has not fired",
                    "change after it fired", "free while its timer runs", "timer across the wrap"});
    if (point.spills())
      names.insert(names.end(),
                   {"insert: no room", "read of an entry in memory", "fill", "fill: no room",
                    "fill: no parent", "fill: parent", "free of an entry in memory", "evict the only one"});
    if (point.spills() && point.physical > 1)
      names.insert(names.end(), {"evict one of a full table", "free while others stay"});
    if (point.spills() && point.physical > 2) names.insert(names.end(), {"evict one of several"});
    if (point.spills() && point.timeout != 0)
      names.insert(names.end(), {"timer of an entry in memory expires"});
    if (point.spills() && point.calls) names.insert(names.end(), {"fill: PC not known"});
    return names;
  }
  /// Events that cannot happen at this parameter point are not in the coverage list.
  void coverage_hit(const char* event, bool happened = true) {
    if (happened) coverage.hit(event);
  }

  void cover(const ReconvergenceTableRequest& request, const ReconvergenceTableModel& model);
  void cover_search(const ReconvergenceTableRequest& request, const ReconvergenceTableModel& model);
  void cover_change(const ReconvergenceTableRequest& request, const ReconvergenceTableModel& model,
                    const Reconvergence& before, LaneMask rec, LaneMask pend);

  Point point_;
  std::mt19937* random_ = nullptr;
  Cycle cycle_ = (Cycle{1} << 32) - 30000;
  unsigned phase_ = 0;
  std::set<std::uint32_t> started_;
  std::vector<Entry> entries_, physical_, away_;  // of the warp
  std::vector<Entry> fired_;                      // recently
  std::set<std::pair<std::uint32_t, ReconvergenceId>> freed_;

 public:
  cosim::Coverage coverage;
};

void Traffic::cover_change(const ReconvergenceTableRequest& request, const ReconvergenceTableModel& model,
                           const Reconvergence& before, LaneMask rec, LaneMask pend) {
  const bool runs = model.timer(request.warp, request.id) != simt::kNever;
  const bool will_run = point_.timeout != 0 && LaneMask::difference(rec, pend).any();
  coverage_hit("timer runs anew", runs && will_run);
  coverage_hit("timer stops", runs && !will_run);
  coverage_hit("timer across the wrap",
               will_run && (request.cycle >> 32) != ((request.cycle + point_.timeout + 1) >> 32));
  // It has fired if its lanes wait and yet it does not run.
  coverage_hit("change after it fired", point_.timeout != 0 && !runs && before.arrived().any());
}

void Traffic::cover_search(const ReconvergenceTableRequest& request, const ReconvergenceTableModel& model) {
  unsigned visited = 0, others = 0;  // timers before the one found; of these, other warps'
  std::uint32_t last_warp = 0;
  bool found = false;
  for (std::uint32_t warp = 0; warp < model.warps() && !found; ++warp)
    for (std::uint8_t id = 0; id < simt::kTableEntries && !found; ++id) {
      const Cycle timer = model.timer(WarpId{warp}, ReconvergenceId{id});
      if (timer == simt::kNever) continue;
      if (warp != last_warp) others = visited;
      last_warp = warp;
      found = timer <= request.cycle;
      if (!found) ++visited;
      if (!found) continue;
      coverage_hit("search: the first", visited == 0);
      coverage_hit("search: behind others of its warp", visited > others);
      coverage_hit("search: behind another warp's", others != 0);
      coverage_hit("search: expired long ago", timer + 500 < request.cycle);
      ReconvergenceTableRequest read{.op = Op::kRead, .warp = WarpId{warp}, .id = ReconvergenceId{id}};
      model.inspect(read);
      coverage_hit("timer of an entry in memory expires", !read.ok);
      if (fired_.size() > 8) fired_.clear();
      fired_.push_back({ReconvergenceId{id}, read.ok, read.entry});
    }
  coverage_hit("search: no timers", !found && visited == 0);
  coverage_hit("search: none expired", !found && visited != 0);
}

void Traffic::cover(const ReconvergenceTableRequest& request, const ReconvergenceTableModel& model) {
  const std::size_t used = entries_.size();
  const bool room = physical_.size() < point_.physical;
  const Entry* const named = request.op == Op::kInsert ? nullptr : find(request.id);
  const Reconvergence before = named == nullptr ? Reconvergence{} : named->contents;
  const LaneMask left = LaneMask::difference(before.pend, request.lanes);
  const auto runs = [&](ReconvergenceId id) { return model.timer(request.warp, id) != simt::kNever; };
  switch (request.op) {
    case Op::kReset:
      coverage_hit("reset with entries", used != 0);
      for (const Entry& entry : entries_)
        if (runs(entry.id)) coverage_hit("reset with timers");
      break;
    case Op::kInsert:
      coverage_hit("insert into an empty table", used == 0);
      coverage_hit("insert of the last number", used == simt::kTableEntries - 1);
      coverage_hit("no number left", used == simt::kTableEntries);
      coverage_hit("free number comes back", used < simt::kTableEntries && !freed_.empty());
      coverage_hit("insert: lanes wait", point_.timeout != 0 && request.entry.arrived().any());
      coverage_hit("insert: no room", used < simt::kTableEntries && !room);
      coverage_hit("parent's PC is not known",
                   request.entry.rpc.exists() && request.entry.rpc.pc == base::kNoPc);
      break;
    case Op::kRead:
      coverage_hit("read of a free number", named == nullptr);
      coverage_hit("read", named != nullptr && named->physical);
      coverage_hit("read of an entry in memory", named != nullptr && !named->physical);
      break;
    case Op::kWrite:
      coverage_hit("write");
      break;
    case Op::kArrive:
      coverage_hit("arrive: some", left.any() && left != before.pend);
      coverage_hit("arrive: the last", left.none() && before.pend.any());
      coverage_hit("arrive again", left == before.pend);
      coverage_hit("arrive: its PC becomes known", before.pc == base::kNoPc && request.pc != base::kNoPc);
      coverage_hit("arrive: its PC is known",
                   point_.calls && before.pc != base::kNoPc && request.pc != base::kNoPc);
      cover_change(request, model, before, before.rec, left);
      break;
    case Op::kLeave: {
      const LaneMask rest = LaneMask::difference(before.rec, request.lanes);
      coverage_hit("leave: some", rest.any() && rest != before.rec);
      coverage_hit("leave: the last", rest.none() && before.rec.any());
      cover_change(request, model, before, rest, left);
      break;
    }
    case Op::kGoAlone:
      coverage_hit("go alone: some had come", before.arrived().any());
      coverage_hit("go alone: nobody had", before.arrived().none());
      cover_change(request, model, before, before.pend, before.pend);
      break;
    case Op::kFree:
      coverage_hit("free");
      coverage_hit("free while its timer runs", runs(request.id));
      coverage_hit("free of an entry in memory", !named->physical);
      coverage_hit("free while others stay", point_.spills() && named->physical && physical_.size() > 1);
      freed_.emplace(request.warp.value(), request.id);
      break;
    case Op::kEvict:
      coverage_hit("evict the only one", physical_.size() == 1);
      if (point_.physical > 2) coverage_hit("evict one of several", physical_.size() > 1 && room);
      coverage_hit("evict one of a full table", physical_.size() > 1 && !room);
      break;
    case Op::kFill: {
      Reconvergence filled;
      simt::unpack(request.words, filled);
      coverage_hit(room ? "fill" : "fill: no room");
      coverage_hit(filled.rpc.exists() ? "fill: parent" : "fill: no parent", room);
      coverage_hit("fill: PC not known", room && filled.pc == base::kNoPc);
      break;
    }
    case Op::kFired:
      cover_search(request, model);
      break;
    case Op::kHasFired:
      if (point_.timeout == 0) break;
      coverage_hit(!runs(request.id) && before.arrived().any() ? "has fired" : "has not fired");
      break;
  }
}

class ReconvergenceTableLockstep : public ::testing::TestWithParam<std::tuple<Point, cosim::StallRates>> {
 protected:
  template <class V>
  void run() {
    const auto& [point, rates] = GetParam();
    cosim::LockstepBench<V, cosim::ReconvergenceTablePins, ReconvergenceTableBlock> bench(
        ReconvergenceTableModel(kWarps, point.config()), std::string("reconvergence_table_") + point.label, 1,
        cosim::ReconvergenceTablePins(point.config()));
    Traffic traffic(point);
    bench.run(60000, rates, std::ref(traffic));
    EXPECT_TRUE(traffic.coverage.missing().empty())
        << ::testing::PrintToString(traffic.coverage.missing()) << " of\n"
        << traffic.coverage.table();
  }
};

TEST_P(ReconvergenceTableLockstep, EqualsItsModelClockByClock) {
  const Point& point = std::get<0>(GetParam());
  switch (point.physical) {
    case 1:
      return run<VReconvergenceTable1>();
    case 2:
      return run<VReconvergenceTable2>();
    case 4:
      return point.calls ? run<VReconvergenceTable4>() : run<VReconvergenceTable4Plain>();
    default:
      return point.calls ? run<VReconvergenceTable32>() : run<VReconvergenceTable32Plain>();
  }
}

constexpr auto kLeast = simt::TableVictim::kLeastRecent;
constexpr auto kMost = simt::TableVictim::kMostRecent;

std::string name_point(const ::testing::TestParamInfo<ReconvergenceTableLockstep::ParamType>& info) {
  const cosim::StallRates rates = std::get<1>(info.param);
  return std::string(std::get<0>(info.param).label) + "Request" + std::to_string(rates.request) + "Response" +
         std::to_string(rates.response);
}

INSTANTIATE_TEST_SUITE_P(Points, ReconvergenceTableLockstep,
                         ::testing::Combine(::testing::Values(Point{"Of1", 1, kLeast, 50, 1, true},
                                                              Point{"Of1Mru", 1, kMost, 50, 7, true},
                                                              Point{"Of2", 2, kLeast, 50, 7, true},
                                                              Point{"Of2Mru", 2, kMost, 50, 1, true},
                                                              Point{"Of4", 4, kLeast, 50, 1, true},
                                                              Point{"Of4Mru", 4, kMost, 50, 64, true},
                                                              Point{"Of32", 32, kLeast, 50, 1, true},
                                                              Point{"Of32Mru", 32, kMost, 50, 7, true},
                                                              Point{"Of4NoTimeout", 4, kLeast, 0, 1, true},
                                                              Point{"Of4Plain", 4, kLeast, 0, 1, false},
                                                              Point{"Of32Plain", 32, kLeast, 0, 1, false}),
                                            cosim::stall_rates()),
                         name_point);

/// A block that differs from the RTL in a corner case: it forgets that the timer of the last number has
/// fired.
struct ForgetfulTable : ReconvergenceTableBlock {
  struct Model : ReconvergenceTableModel {
    using ReconvergenceTableModel::ReconvergenceTableModel;
    void serve(ReconvergenceTableRequest& request) {
      ReconvergenceTableModel::serve(request);
      if (request.op == Op::kHasFired && request.id == ReconvergenceId{31}) request.ok = false;
    }
  };
};

TEST(ReconvergenceTableLockstepItself, SeesADifferenceInACorner) {
  // Not the object itself: a failure of the inner run is expected, once.
  static auto differ = [] {
    const Point point{"Differs", 32, kLeast, 50, 1, true};
    cosim::LockstepBench<VReconvergenceTable32, cosim::ReconvergenceTablePins, ForgetfulTable> bench(
        ForgetfulTable::Model(kWarps, point.config()), "reconvergence_table_differs", 1,
        cosim::ReconvergenceTablePins(point.config()));
    Traffic traffic(point);
    bench.run(60000, {}, std::ref(traffic));
  };
  EXPECT_FATAL_FAILURE(differ(), "has_fired");
}

}  // namespace
}  // namespace heddle
