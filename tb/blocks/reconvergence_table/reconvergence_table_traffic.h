// Random requests for the bench of the reconvergence table, as a mechanism could send them.
#pragma once

#include <ostream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cosim/coverage.h"
#include "simt/reconvergence_table.h"

namespace heddle::cosim {

using base::Cycle;
using base::LaneMask;
using base::Pc;
using base::WarpId;
using simt::MeetingPoint;
using simt::Reconvergence;
using simt::ReconvergenceId;
using simt::ReconvergenceTableConfig;
using simt::ReconvergenceTableModel;
using simt::ReconvergenceTableRequest;

/// A verilated parameter point and its configuration.
struct ReconvergenceTablePoint {
  const char* label;
  std::uint32_t physical;
  simt::TableVictim victim;
  std::uint32_t timeout;
  std::uint32_t resolution;
  bool calls;
  [[nodiscard]] ReconvergenceTableConfig config() const { return {physical, victim, {timeout, resolution}}; }
  [[nodiscard]] bool spills() const { return physical < simt::kTableEntries; }
};
inline void PrintTo(const ReconvergenceTablePoint& point, std::ostream* out) { *out << point.label; }

/// Legal requests: entries that are not physical are filled before they are used, and Pend stays within Rec.
class ReconvergenceTraffic {
 public:
  using Op = ReconvergenceTableRequest::Op;

  explicit ReconvergenceTraffic(const ReconvergenceTablePoint& point)
      : point_(point), coverage(events(point)) {}

  ReconvergenceTableRequest operator()(const ReconvergenceTableModel& model, std::mt19937& random) {
    random_ = &random;
    // Occasionally long enough for timers to expire; initially just before the pins' time wraps.
    const Cycle before = cycle_;
    const bool wrap_is_near = (before >> 32) != ((before + point_.timeout + 250) >> 32);  // stay near it
    cycle_ += wrap_is_near ? one_of(8) : one_of(64) ? 40 + below(200) : below(4);
    coverage_hit("time wraps", (before >> 32) != (cycle_ >> 32));
    ReconvergenceTableRequest request{.warp = WarpId{kUsed[below(4)]}, .cycle = cycle_};
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

  /// What the traffic must have met at this parameter point.
  static std::vector<std::string> events(const ReconvergenceTablePoint& point);
  /// Events that cannot happen at this parameter point are not in the coverage list.
  void coverage_hit(const char* event, bool happened = true) {
    if (happened) coverage.hit(event);
  }

  void cover(const ReconvergenceTableRequest& request, const ReconvergenceTableModel& model);
  void cover_search(const ReconvergenceTableRequest& request, const ReconvergenceTableModel& model);
  void cover_change(const ReconvergenceTableRequest& request, const ReconvergenceTableModel& model,
                    const Reconvergence& before, LaneMask rec, LaneMask pend);

  static constexpr std::uint32_t kUsed[] = {0, 15, 30, 47};  ///< warps: few, so that their tables get full

  ReconvergenceTablePoint point_;
  std::mt19937* random_ = nullptr;
  Cycle cycle_ = (Cycle{1} << 32) - 30000;
  unsigned phase_ = 0;
  std::set<std::uint32_t> started_;
  std::vector<Entry> entries_, physical_, away_;  // of the warp
  std::vector<Entry> fired_;                      // recently
  std::set<std::pair<std::uint32_t, ReconvergenceId>> freed_;

 public:
  Coverage coverage;
};

}  // namespace heddle::cosim
