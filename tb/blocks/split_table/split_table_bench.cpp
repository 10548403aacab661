// The splits table, model against RTL clock by clock under random traffic, for every number of physical
// entries.
#include "VSplitTable1.h"
#include "VSplitTable2.h"
#include "VSplitTable32.h"
#include "VSplitTable4.h"
#include "VSplitTable6.h"
#include "VSplitTable6Plain.h"
// verilated headers first: pin_driver.h
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "cosim/coverage.h"
#include "cosim/lockstep_bench.h"
#include "cosim/split_table_pins.h"

namespace heddle::split_table_bench {
namespace {

using simt::MeetingPoint;
using simt::Split;
using simt::SplitId;
using simt::SplitTableBlock;
using simt::SplitTableModel;
using simt::SplitTableRequest;
using Op = SplitTableRequest::Op;
using base::LaneMask;
using base::Pc;
using base::WarpId;

constexpr std::uint32_t kWarps = 48;

/// Legal requests: a number is inserted while one is free; only physical entries are written and evicted;
/// only spilled ones are filled. `plain`: of AWARE without calls, which has no frames, kinds, blocked splits and MATCH.
class Traffic {
 public:
  explicit Traffic(std::uint32_t physical, bool plain = false)
      : coverage(events(physical)), physical_(physical), plain_(plain) {}

  SplitTableRequest operator()(const SplitTableModel& model, std::mt19937& random) {
    // Few warps, so that their tables fill up; each is reset first.
    SplitTableRequest request{.warp = WarpId{static_cast<std::uint32_t>(random() % 4) * 15}};
    if (started_.insert(request.warp.value()).second) {
      request.op = Op::kReset;
      return request;
    }
    look(model, request.warp);
    choose(request, random);
    cover(request);
    return request;
  }

  cosim::Coverage coverage;
  /// Events that have not occurred, but for those that a plain table does not have.
  [[nodiscard]] std::vector<std::string> missing() const {
    std::vector<std::string> list = coverage.missing();
    const std::set<std::string> no{"insert a split with a blocked one's number",
                                   "insert in the last call frame",
                                   "block",
                                   "unblock",
                                   "evict RPC: none",
                                   "fill a split in a call",
                                   "fill a blocked split"};
    if (plain_)
      std::erase_if(list, [&](const std::string& e) { return no.contains(e) || e.starts_with("match:"); });
    return list;
  }

 private:
  static std::vector<std::string> events(std::uint32_t physical) {
    std::vector<std::string> list{"reset with splits",
                                  "insert the first",
                                  "insert the last number",
                                  "insert below a number in use",
                                  "insert without a point",
                                  "insert a split with a blocked one's number",
                                  "insert in the last call frame",
                                  "read a physical entry",
                                  "read what is not in use",
                                  "write another PC",
                                  "write PC: none",
                                  "block",
                                  "unblock",
                                  "free",
                                  "match: none to visit",
                                  "match: the first visited",
                                  "match: none of those visited",
                                  "match: none left out",
                                  "match: equal but blocked",
                                  "match: equal but left out",
                                  "match: another PC",
                                  "match: another frame",
                                  "match: another RPC",
                                  "match: a point in another frame",
                                  "match: another point",
                                  "match: another kind of point",
                                  "match: no point"};
    if (physical > 1)
      list.insert(list.end(), {"match: a later one visited", "match: the lowest of several equal",
                               "match: none of many entries"});
    if (physical < simt::kTableEntries)
      list.insert(list.end(),
                  {"insert without room", "insert into the last entry", "read a spilled entry",
                   "free a spilled number", "evict", "evict without a point", "evict PC: none",
                   "evict RPC: none", "evict R-Index 31", "fill", "fill what left", "fill the last entry",
                   "fill without room", "fill without a point", "fill PC: none", "fill a split in a call",
                   "fill a blocked split", "match: equal but spilled"});
    return list;
  }

  void look(const SplitTableModel& model, WarpId warp) {
    valid_ = resident_ = blocked_ = 0;
    for (std::uint8_t i = 0; i < simt::kTableEntries; ++i) {
      SplitTableRequest read{.op = Op::kRead, .warp = warp, .id = SplitId{i}};
      model.inspect(read);
      splits_[i] = read.split;
      valid_ |= std::uint32_t{read.valid} << i;
      resident_ |= std::uint32_t{read.ok} << i;
      blocked_ |= std::uint32_t{read.split.blocked} << i;
    }
  }

  static SplitId any_of(std::uint32_t set, std::mt19937& random) {
    for (auto skip = random() % static_cast<unsigned>(std::popcount(set)); skip != 0; --skip) set &= set - 1;
    return SplitId{static_cast<std::uint8_t>(std::countr_zero(set))};
  }
  static Pc any_pc(std::mt19937& random) {
    // PCs of more than 29 bits are truncated by a spill, in the same way in both.
    static constexpr std::uint32_t kPcs[] = {0,           1,           0x1fff'fffe, 0x1fff'ffff,
                                             0x2000'0000, 0x3fff'ffff, 0xffff'fffe};
    const unsigned kind = random() % 32;
    if (kind < 7) return Pc{kPcs[kind]};
    if (kind < 9) return base::kNoPc;
    return kind < 28 ? Pc{100u + kind % 4} : Pc{static_cast<std::uint32_t>(random()) >> 3};
  }
  static std::uint32_t any_frame(std::mt19937& random) {
    const unsigned kind = random() % 32;
    return kind < 24 ? 0 : kind < 30 ? kind % 3 : kind == 30 ? 0xffff : random() & 0xffff;
  }
  Split any_split(std::mt19937& random) {
    // Often at the same PC as another split, or close to it.
    Split split;
    if (valid_ != 0 && random() % 4 != 0) {
      split = splits_[any_of(valid_, random).value()];
      split.blocked = false;
    } else {
      split.pc = any_pc(random);
      split.frame = any_frame(random);
      if (random() % 8 != 0) {
        split.rpc.pc = any_pc(random);
        split.rpc.index =
            simt::ReconvergenceId{static_cast<std::uint8_t>(random() % 4 == 0 ? 31 : random() % 4)};
        split.rpc.frame = any_frame(random);
        split.rpc.kind = static_cast<MeetingPoint::Kind>(random() % 3);
      }
    }
    switch (random() % 16) {
      case 0:
        split.pc = any_pc(random);
        break;
      case 1:
        split.frame = any_frame(random);
        break;
      case 2:
        split.rpc.pc = any_pc(random);
        break;
      case 3:
        split.rpc.frame = any_frame(random);
        break;
      case 4:
        split.rpc.index = simt::ReconvergenceId{static_cast<std::uint8_t>(random() % 32)};
        break;
      case 5:
        split.rpc.kind = static_cast<MeetingPoint::Kind>(random() % 3);
        break;
      case 6:
        split.rpc.index = simt::kNoReconvergence;
        break;
      default:
        break;
    }
    split.mask = LaneMask(1u << (random() % 32) | (random() & random()));
    return split;
  }
  static Split plainly(Split split) {
    // There is a point if its PC is known, in a record as well.
    constexpr std::uint32_t kUnknown = 0x1fff'ffff;
    if ((split.rpc.pc.value() & kUnknown) == kUnknown) split.rpc.pc = Pc{100};
    const MeetingPoint point{.pc = split.rpc.pc, .index = split.rpc.index};
    return {.pc = split.pc, .rpc = split.rpc.exists() ? point : MeetingPoint{}, .mask = split.mask};
  }

  void choose(SplitTableRequest& request, std::mt19937& random) {
    const std::uint32_t spilled = valid_ & ~resident_;
    // Alternately long and short tables.
    const bool grow = random() % 8 < (phase_++ / 1024 % 2 != 0 ? 7u : 3u);
    const unsigned kind = random() % 64;
    if (valid_ == 0 && kind < 32) {
      request.op = Op::kInsert;
    } else if (kind < 16) {
      request.op = grow && ~valid_ != 0 ? Op::kInsert : valid_ != 0 ? Op::kFree : Op::kRead;
    } else if (kind < 24 && resident_ != 0) {
      request.op = Op::kWrite;
    } else if (kind < 44) {
      request.op = Op::kMatch;
    } else if (kind < 50 && resident_ != 0 && physical_ < simt::kTableEntries) {
      request.op = Op::kEvict;
    } else if (kind < 57 && spilled != 0) {
      request.op = Op::kFill;
    } else if (kind == 57 && random() % 24 == 0) {
      request.op = Op::kReset;
    } else {
      request.op = Op::kRead;
    }
    if (plain_ && request.op == Op::kMatch) request.op = Op::kRead;
    switch (request.op) {
      case Op::kInsert:
        request.split = any_split(random);
        break;
      case Op::kRead:
        request.id = any_of(~0u, random);
        break;
      case Op::kFree:
        request.id = any_of(valid_, random);
        break;
      case Op::kWrite:
        request.id = any_of(resident_, random);
        request.split = splits_[request.id.value()];
        if (random() % 2 == 0)
          request.split.blocked = !request.split.blocked;
        else
          request.split.pc = any_pc(random);
        break;
      case Op::kEvict:
        request.id = any_of(resident_, random);
        break;
      case Op::kFill:
        request.id = any_of(spilled, random);
        request.words = simt::pack(splits_[request.id.value()]);
        if (!plain_ && random() % 8 == 0)
          for (std::uint32_t& word : request.words) word = static_cast<std::uint32_t>(random());
        break;
      case Op::kMatch:
        if (random() % 4 != 0) request.id = any_of(~0u, random);
        request.split = any_split(random);
        break;
      case Op::kReset:
        break;
    }
    if (plain_) request.split = plainly(request.split);
  }

  void cover(const SplitTableRequest& request) {
    const bool has_id = request.id != simt::kNoSplit;
    const std::uint32_t bit = has_id ? 1u << request.id.value() : 0;
    const Split& split = request.split;
    const auto room = physical_ - static_cast<std::uint32_t>(std::popcount(resident_));
    const bool virtualised = physical_ < simt::kTableEntries;
    switch (request.op) {
      case Op::kReset:
        coverage.hit("reset with splits", valid_ != 0);
        break;
      case Op::kInsert: {
        const std::uint32_t number = ~valid_ & (valid_ + 1);
        coverage.hit("insert the first", valid_ == 0);
        coverage.hit("insert the last number", std::popcount(valid_) == 31);
        coverage.hit("insert below a number in use", (valid_ & ~(number - 1)) != 0);
        coverage.hit("insert without a point", !split.rpc.exists());
        coverage.hit("insert a split with a blocked one's number",
                     (blocked_ & number) != 0 && !split.blocked);
        coverage.hit("insert in the last call frame", split.frame == 0xffff);
        if (!virtualised) break;
        coverage.hit("insert without room", room == 0);
        coverage.hit("insert into the last entry", room == 1);
        break;
      }
      case Op::kRead:
        coverage.hit("read a physical entry", (resident_ & bit) != 0);
        coverage.hit("read what is not in use", (valid_ & bit) == 0);
        if (virtualised) coverage.hit("read a spilled entry", (valid_ & ~resident_ & bit) != 0);
        break;
      case Op::kWrite: {
        const Split& before = splits_[request.id.value()];
        coverage.hit("write another PC", split.pc != before.pc);
        coverage.hit("write PC: none", split.pc == base::kNoPc && before.pc != base::kNoPc);
        coverage.hit("block", split.blocked && !before.blocked);
        coverage.hit("unblock", !split.blocked && before.blocked);
        break;
      }
      case Op::kFree:
        coverage.hit("free");
        if (virtualised) coverage.hit("free a spilled number", (resident_ & bit) == 0);
        break;
      case Op::kEvict: {
        const Split& leaves = splits_[request.id.value()];
        coverage.hit("evict");
        coverage.hit("evict without a point", !leaves.rpc.exists());
        coverage.hit("evict PC: none", leaves.pc == base::kNoPc);
        coverage.hit("evict RPC: none", leaves.rpc.exists() && leaves.rpc.pc == base::kNoPc);
        coverage.hit("evict R-Index 31", leaves.rpc.index == simt::ReconvergenceId{31});
        break;
      }
      case Op::kFill: {
        const Split& left = splits_[request.id.value()];
        Split back = left;
        simt::unpack(request.words, back);
        coverage.hit("fill", room != 0);
        coverage.hit("fill what left", room != 0 && back == left);
        coverage.hit("fill the last entry", room == 1);
        coverage.hit("fill without room", room == 0);
        coverage.hit("fill without a point", room != 0 && !back.rpc.exists());
        coverage.hit("fill PC: none", room != 0 && back.pc == base::kNoPc);
        coverage.hit("fill a split in a call", room != 0 && left.frame != 0);
        coverage.hit("fill a blocked split", room != 0 && left.blocked);
        break;
      }
      case Op::kMatch:
        cover_match(request, bit);
        break;
    }
  }

  void cover_match(const SplitTableRequest& request, std::uint32_t left_out) {
    using Place = std::tuple<Pc, std::uint32_t, Pc, std::uint32_t, simt::ReconvergenceId, MeetingPoint::Kind>;
    const auto place = [](const Split& s) {
      return Place{s.pc, s.frame, s.rpc.pc, s.rpc.frame, s.rpc.index, s.rpc.kind};
    };
    const Place key = place(request.split);
    std::uint32_t equal = 0, differ_in[6] = {};
    const std::uint32_t visits = resident_ & ~blocked_ & ~left_out;
    for (std::uint32_t rest = valid_; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(rest));
      const Place here = place(splits_[i]);
      const bool differs[] = {std::get<0>(here) != std::get<0>(key), std::get<1>(here) != std::get<1>(key),
                              std::get<2>(here) != std::get<2>(key), std::get<3>(here) != std::get<3>(key),
                              std::get<4>(here) != std::get<4>(key), std::get<5>(here) != std::get<5>(key)};
      unsigned count = 0, where = 0;
      for (unsigned f = 0; f < 6; ++f)
        if (differs[f]) ++count, where = f;
      if (count == 0) equal |= 1u << i;
      if (count == 1) differ_in[where] |= 1u << i;
    }
    const std::uint32_t hits = equal & visits;
    const std::uint32_t first = visits & -visits;
    coverage.hit("match: none to visit", visits == 0 && valid_ != 0);
    coverage.hit("match: the first visited", (hits & first) != 0);
    coverage.hit("match: none of those visited", hits == 0 && visits != 0);
    coverage.hit("match: none left out", left_out == 0 && hits != 0);
    coverage.hit("match: equal but blocked", (equal & resident_ & blocked_ & ~left_out) != 0);
    coverage.hit("match: equal but left out", (equal & resident_ & ~blocked_ & left_out) != 0);
    // Visited, and rejected because of one field.
    const auto nearly = [&](unsigned field) { return hits == 0 && (differ_in[field] & visits) != 0; };
    coverage.hit("match: another PC", nearly(0));
    coverage.hit("match: another frame", nearly(1));
    coverage.hit("match: another RPC", nearly(2));
    coverage.hit("match: a point in another frame", nearly(3));
    coverage.hit("match: another point", nearly(4) && request.split.rpc.exists());
    coverage.hit("match: no point", nearly(4) && !request.split.rpc.exists());
    coverage.hit("match: another kind of point", nearly(5));
    if (physical_ > 1) {
      coverage.hit("match: a later one visited", hits != 0 && (hits & first) == 0);
      coverage.hit("match: the lowest of several equal", std::popcount(hits) > 1);
      coverage.hit(
          "match: none of many entries",
          hits == 0 && static_cast<std::uint32_t>(std::popcount(visits)) >= std::min(physical_, 12u));
    }
    if (physical_ < simt::kTableEntries)
      coverage.hit("match: equal but spilled", (equal & valid_ & ~resident_ & ~left_out) != 0);
  }

  std::uint32_t physical_;
  bool plain_;
  std::set<std::uint32_t> started_;
  unsigned phase_ = 0;
  // Of the warp, as the model has it
  std::array<Split, simt::kTableEntries> splits_{};
  std::uint32_t valid_ = 0;
  std::uint32_t resident_ = 0;
  std::uint32_t blocked_ = 0;
};

using Point = std::tuple<std::uint32_t, cosim::StallRates>;
class SplitTableLockstep : public ::testing::TestWithParam<Point> {};

template <class V>
void equals_its_model(std::uint32_t physical, cosim::StallRates stalls, bool plain = false) {
  cosim::LockstepBench<V, cosim::SplitTablePins, SplitTableBlock> bench(SplitTableModel(kWarps, physical),
                                                                        "split_table", 1);
  Traffic traffic(physical, plain);
  bench.run(60000, stalls, std::ref(traffic));
  EXPECT_TRUE(traffic.missing().empty()) << ::testing::PrintToString(traffic.missing()) << " of\n"
                                         << traffic.coverage.table();
}

TEST_P(SplitTableLockstep, EqualsItsModelClockByClock) {
  const auto& [physical, stalls] = GetParam();
  switch (physical) {
    case 1:
      return equals_its_model<VSplitTable1>(physical, stalls);
    case 2:
      return equals_its_model<VSplitTable2>(physical, stalls);
    case 4:
      return equals_its_model<VSplitTable4>(physical, stalls);
    case 6:
      return equals_its_model<VSplitTable6>(physical, stalls);
    default:
      return equals_its_model<VSplitTable32>(physical, stalls);
  }
}

TEST(SplitTableLockstepPlain, EqualsItsModelClockByClock) {
  equals_its_model<VSplitTable6Plain>(6, {100, 200}, true);
}

std::string name_point(const ::testing::TestParamInfo<Point>& info) {
  const auto& [physical, stalls] = info.param;
  return "Physical" + std::to_string(physical) + "Request" + std::to_string(stalls.request) + "Response" +
         std::to_string(stalls.response);
}
INSTANTIATE_TEST_SUITE_P(Points, SplitTableLockstep,
                         ::testing::Combine(::testing::Values(1u, 2u, 4u, 6u, 32u), cosim::stall_rates()),
                         name_point);

}  // namespace
}  // namespace heddle::split_table_bench
