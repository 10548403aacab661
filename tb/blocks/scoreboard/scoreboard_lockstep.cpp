// The scoreboard's model and its RTL side by side, clock by clock.
#include "VScoreboard64.h"
#include "VScoreboard64Masks.h"
#include "VScoreboard8.h"
#include "VScoreboard8Masks.h"
// verilated headers first: pin_driver.h
#include <deque>

#include "cosim/coverage.h"
#include "cosim/lockstep_bench.h"
#include "scoreboard_parts.h"

namespace heddle::scoreboard_lockstep {
namespace {

using base::LaneMask;
using base::WarpId;
using core::Hazard;
using cosim::ScoreboardPart;
using cosim::ScoreboardPartsModel;
using isa::RegId;
using Op = ScoreboardPart::Op;

constexpr std::uint32_t kWarps = 48;

/// Instructions of some warps: they are checked, issue when they may, and are written back in any order.
class Traffic {
 public:
  Traffic(bool masks, std::uint32_t entries) : masks_(masks), entries_(entries) {
    std::vector<std::string> events{"check of an empty set",
                                    "no hazard beside pending registers",
                                    "read after write",
                                    "write after write",
                                    "hazard alu",
                                    "hazard memory",
                                    "memory and arithmetic",
                                    "full",
                                    "full hidden behind a hazard",
                                    "the last entry fits",
                                    "no destination, the set is full",
                                    "pending is a register alike modulo 64",
                                    "nothing to look up",
                                    "check of no lanes with a pending register",
                                    "a port between is not used",
                                    "two parts: hazard in the first",
                                    "two parts: hazard in the second",
                                    "two parts: memory first, arithmetic then",
                                    "two parts: full by both",
                                    "reserve into an empty set",
                                    "reserve the last entry",
                                    "reserve by memory",
                                    "reserve three at once",
                                    "reserve in two parts",
                                    "reserve into a gap",
                                    "reserve without a destination",
                                    "release frees one",
                                    "release frees several",
                                    "release to empty",
                                    "release of what is not pending",
                                    "clear of pending registers",
                                    "read a free slot",
                                    "read a taken slot",
                                    "read a memory instruction's"};
    if (masks)
      for (const char* event :
           {"pending for other lanes only", "a destination pending for other lanes, set full",
            "reserve for more lanes", "arithmetic joins memory", "memory joins arithmetic",
            "reserve for no lanes", "release leaves lanes", "release by parts", "release for no lanes"})
        events.emplace_back(event);
    coverage_.emplace(events);
  }

  ScoreboardPart operator()(const ScoreboardPartsModel& model, std::mt19937& random) {
    random_ = &random;
    while (parts_.empty()) next(model);
    ScoreboardPart part = parts_.front();
    parts_.pop_front();
    cover(part, model);
    return part;
  }
  [[nodiscard]] const cosim::Coverage& coverage() const { return *coverage_; }

 private:
  struct Flight {
    WarpId warp{};
    std::vector<RegId> writes;
    LaneMask lanes{};
    bool begun = false;  ///< some of its lanes have been written back
  };

  unsigned number(unsigned below) { return static_cast<unsigned>((*random_)() % below); }
  bool one_in(unsigned n) { return number(n) == 0; }
  LaneMask some_lanes() { return LaneMask((*random_)() & (*random_)()); }
  RegId a_register() {
    // Few enough to collide, and among them numbers that are equal in the low bits.
    const unsigned pool = entries_ * 2;
    const unsigned n = number(pool);
    return static_cast<RegId>(n % 2 == 0 ? n / 2 : 0x4000 + 64 * (n / 2 % 5) + n / 2);
  }

  void next(const ScoreboardPartsModel& model) {
    ++step_;
    // Sets alternately fill up and drain.
    const bool fill = step_ / (entries_ * 16) % 2 == 0;
    const WarpId warp{number(3) * 23};
    const unsigned kind = number(64);
    if (kind < 4) {
      parts_.push_back({.op = Op::kRead, .warp = warp, .slot = number(entries_)});
    } else if (kind == 4 && one_in(entries_)) {
      parts_.push_back({.op = Op::kClear, .warp = warp});
    } else if (kind < (fill ? 16u : 40u)) {
      write_back();
    } else {
      instruction(warp, model);
    }
  }

  void instruction(WarpId warp, const ScoreboardPartsModel& model) {
    isa::Instruction i;
    const bool idle = one_in(2);  // if possible, registers that are not pending
    const auto pick = [&](auto& list, std::uint8_t& count, unsigned wanted) {
      for (unsigned n = 0; n < wanted; ++n) {
        RegId reg = a_register();
        for (unsigned t = 0; idle && t < 8 && model.find(warp, reg) != nullptr; ++t) reg = a_register();
        if (std::find(list.begin(), list.begin() + count, reg) == list.begin() + count) list[count++] = reg;
      }
    };
    pick(i.reads, i.read_count, one_in(3) ? number(9) : number(3));
    pick(i.writes, i.write_count, one_in(3) ? number(5) : number(3));
    i.op = one_in(2) ? isa::Opcode::kLoad : isa::Opcode::kLane;
    const LaneMask lanes = one_in(24) ? LaneMask{} : one_in(4) ? LaneMask::all() : some_lanes();
    look_up(warp, i, lanes);
    if (model.model().check(warp, i, lanes) != Hazard::kNone) return;
    // Without lanes nothing is a hazard, so such a check does not allow an instruction to issue.
    if (lanes.none()) return;
    issue(warp, i, one_in(16) ? LaneMask{} : lanes & (one_in(2) ? LaneMask::all() : some_lanes()));
  }

  /// Like the adapter, but with registers on any port and with unused ports.
  void look_up(WarpId warp, const isa::Instruction& i, LaneMask lanes) {
    std::vector<ScoreboardPart::Look> looks;
    core::ScoreboardRequest request{.warp = warp, .mask = lanes, .instruction = &i};
    cosim::for_each_part(request, [&](const ScoreboardPart& part) {
      for (const auto& look : part.looks)
        if (look.reg != isa::kNoReg || one_in(4)) looks.push_back(look);
    });
    std::shuffle(looks.begin(), looks.end(), *random_);
    ScoreboardPart part{.warp = warp, .lanes = lanes};
    for (std::size_t done = 0;; part.continued = true) {
      for (auto& look : part.looks) look = done < looks.size() ? looks[done++] : ScoreboardPart::Look{};
      parts_.push_back(part);
      if (done == looks.size()) return;
    }
  }
  void issue(WarpId warp, const isa::Instruction& i, LaneMask exec) {
    if (i.write_count == 0 && !one_in(8)) return;
    core::ScoreboardRequest request{
        .op = core::ScoreboardRequest::Op::kReserve, .warp = warp, .mask = exec, .instruction = &i};
    cosim::for_each_part(request, [&](const ScoreboardPart& part) { parts_.push_back(part); });
    if (one_in(2)) std::swap(parts_.back().destinations[0], parts_.back().destinations[2]);
    in_flight_.push_back({warp, {i.writes.begin(), i.writes.begin() + i.write_count}, exec});
  }
  void write_back() {
    if (in_flight_.empty()) return;
    const auto which = in_flight_.begin() + number(static_cast<unsigned>(in_flight_.size()));
    isa::Instruction i;
    for (const RegId reg : which->writes) i.writes[i.write_count++] = reg;
    // Masks: lanes may come back in several parts.
    const LaneMask lanes = masks_ && one_in(3) ? which->lanes & some_lanes() : which->lanes;
    core::ScoreboardRequest request{
        .op = core::ScoreboardRequest::Op::kRelease, .warp = which->warp, .mask = lanes, .instruction = &i};
    cosim::for_each_part(request, [&](const ScoreboardPart& part) { parts_.push_back(part); });
    if (masks_) hit("release by parts", which->begun && lanes == which->lanes);
    which->begun = true;
    which->lanes = LaneMask::difference(which->lanes, lanes);
    if (which->lanes.none() || lanes == LaneMask{} || !masks_) in_flight_.erase(which);
  }

  // ---- Coverage

  void hit(const char* event, bool happened = true) { coverage_->hit(event, happened); }

  void cover(const ScoreboardPart& part, const ScoreboardPartsModel& model) {
    switch (part.op) {
      case Op::kCheck:
        cover_check(part, model);
        break;
      case Op::kReserve:
        cover_reserve(part, model);
        break;
      case Op::kRelease:
        cover_release(part, model);
        break;
      case Op::kClear:
        hit("clear of pending registers", model.model().pending(part.warp) != 0);
        break;
      case Op::kRead: {
        const auto* entry = model.find(part.warp, model.slots(part.warp)[part.slot]);
        hit(entry == nullptr ? "read a free slot" : "read a taken slot");
        hit("read a memory instruction's", entry != nullptr && entry->memory);
        break;
      }
    }
  }

  void cover_check(const ScoreboardPart& part, const ScoreboardPartsModel& model) {
    const std::uint32_t count = model.model().pending(part.warp);
    ScoreboardPartsModel copy = model;
    ScoreboardPart answered = part;
    copy.serve(answered);
    const Hazard hazard = answered.hazard;
    bool read = false, written = false, alu = false, memory = false, elsewhere = false, alike = false;
    bool destination_elsewhere = false, any = false, gap = false, seen_unused = false;
    unsigned wanted = 0;
    for (const auto& look : part.looks) {
      gap = gap || (seen_unused && look.reg != isa::kNoReg);
      seen_unused = seen_unused || look.reg == isa::kNoReg;
      if (look.reg == isa::kNoReg) continue;
      any = true;
      const auto* entry = model.find(part.warp, look.reg);
      if (look.written && (entry == nullptr || !masks_)) ++wanted;
      for (const auto& other : model.model().entries(part.warp))
        alike = alike || (other.reg != look.reg && other.reg % 64 == look.reg % 64);
      if (entry == nullptr) continue;
      const bool pending = (entry->lanes & part.lanes).any();
      (look.written ? written : read) |= pending;
      (entry->memory ? memory : alu) |= pending;
      elsewhere = elsewhere || (!pending && part.lanes.any());
      destination_elsewhere = destination_elsewhere || (look.written && !pending && part.lanes.any());
      if (part.lanes.none()) hit("check of no lanes with a pending register");
    }
    hit("check of an empty set", count == 0);
    hit("no hazard beside pending registers", count != 0 && any && hazard == Hazard::kNone);
    hit("read after write", read && !written);
    hit("write after write", written && !read);
    hit("hazard alu", hazard == Hazard::kAlu);
    hit("hazard memory", hazard == Hazard::kMemory);
    hit("memory and arithmetic", memory && alu);
    hit("full", hazard == Hazard::kFull);
    hit("full hidden behind a hazard", (memory || alu) && count + wanted > entries_);
    hit("the last entry fits", wanted != 0 && count + wanted == entries_ && hazard == Hazard::kNone);
    hit("no destination, the set is full", count == entries_ && wanted == 0 && hazard == Hazard::kNone);
    hit("pending is a register alike modulo 64", alike && hazard == Hazard::kNone);
    hit("nothing to look up", !any);
    hit("a port between is not used", gap);
    if (masks_) {
      hit("pending for other lanes only", elsewhere && hazard == Hazard::kNone);
      hit("a destination pending for other lanes, set full",
          destination_elsewhere && count == entries_ && hazard == Hazard::kNone);
    }
    if (part.continued) {
      hit("two parts: hazard in the first",
          (first_ == Hazard::kAlu || first_ == Hazard::kMemory) && !alu && !memory);
      hit("two parts: hazard in the second", first_ == Hazard::kNone && (alu || memory));
      hit("two parts: memory first, arithmetic then", first_ == Hazard::kMemory && alu && !memory);
      hit("two parts: full by both", first_ == Hazard::kNone && hazard == Hazard::kFull &&
                                         first_wanted_ != 0 && count + wanted <= entries_);
    }
    first_ = hazard;
    first_wanted_ = wanted;
  }

  void cover_reserve(const ScoreboardPart& part, const ScoreboardPartsModel& model) {
    const std::uint32_t count = model.model().pending(part.warp);
    const auto& slots = model.slots(part.warp);
    unsigned fresh = 0, used = 0;
    for (const RegId reg : part.destinations) {
      if (reg == isa::kNoReg) continue;
      ++used;
      const auto* entry = model.find(part.warp, reg);
      if (entry == nullptr) {
        ++fresh;
        continue;
      }
      hit("reserve for more lanes", !LaneMask::difference(part.lanes, entry->lanes).none());
      hit("arithmetic joins memory", entry->memory && !part.memory);
      hit("memory joins arithmetic", !entry->memory && part.memory);
    }
    const auto first_free = std::find(slots.begin(), slots.end(), isa::kNoReg);
    hit("reserve into an empty set", count == 0 && fresh != 0);
    hit("reserve the last entry", fresh != 0 && count + fresh == entries_);
    hit("reserve by memory", part.memory && fresh != 0);
    hit("reserve three at once", fresh == 3);
    hit("reserve in two parts", part.destinations[1] == isa::kNoReg && used == 1 && last_op_ == Op::kReserve);
    hit("reserve into a gap",
        fresh != 0 && std::any_of(first_free, slots.end(), [](RegId reg) { return reg != isa::kNoReg; }));
    hit("reserve without a destination", used == 0);
    if (masks_) hit("reserve for no lanes", part.lanes.none() && fresh != 0);
    last_op_ = part.op;
  }

  void cover_release(const ScoreboardPart& part, const ScoreboardPartsModel& model) {
    const std::uint32_t count = model.model().pending(part.warp);
    unsigned freed = 0;
    for (const RegId reg : part.destinations) {
      if (reg == isa::kNoReg) continue;
      const auto* entry = model.find(part.warp, reg);
      hit("release of what is not pending", entry == nullptr);
      if (entry == nullptr) continue;
      const bool lanes_left = masks_ && LaneMask::difference(entry->lanes, part.lanes).any();
      freed += lanes_left ? 0u : 1u;
      if (!masks_) continue;
      hit("release leaves lanes", lanes_left && part.lanes.any());
      hit("release for no lanes", part.lanes.none());
    }
    hit("release frees one", freed == 1);
    hit("release frees several", freed > 1);
    hit("release to empty", freed != 0 && freed == count);
    last_op_ = part.op;
  }

  bool masks_;
  std::uint32_t entries_;
  std::mt19937* random_ = nullptr;
  unsigned step_ = 0;
  std::deque<ScoreboardPart> parts_;
  std::vector<Flight> in_flight_;
  Hazard first_ = Hazard::kNone;  ///< of the check before
  unsigned first_wanted_ = 0;
  Op last_op_ = Op::kCheck;
  std::optional<cosim::Coverage> coverage_;
};

class ScoreboardLockstep : public ::testing::TestWithParam<cosim::StallRates> {
 protected:
  template <class V>
  void run(core::ScoreboardKind kind, std::uint32_t entries, const char* name) {
    core::ScoreboardConfig config;
    config.kind = kind;
    config.entries_per_warp = entries;
    cosim::LockstepBench<V, cosim::ScoreboardPins, cosim::ScoreboardPartsBlock> bench(
        ScoreboardPartsModel(config, kWarps), name, 1);
    Traffic traffic(kind == core::ScoreboardKind::kPerThreadMask, entries);
    bench.run(30000, GetParam(), std::ref(traffic));
    EXPECT_TRUE(traffic.coverage().missing().empty())
        << ::testing::PrintToString(traffic.coverage().missing()) << " of\n"
        << traffic.coverage().table();
  }
};

TEST_P(ScoreboardLockstep, PerWarp) { run<VScoreboard8>(core::ScoreboardKind::kPerWarp, 8, "scoreboard_8"); }
TEST_P(ScoreboardLockstep, WithMasks) {
  run<VScoreboard8Masks>(core::ScoreboardKind::kPerThreadMask, 8, "scoreboard_8_masks");
}
TEST_P(ScoreboardLockstep, PerWarpManyEntries) {
  run<VScoreboard64>(core::ScoreboardKind::kPerWarp, 64, "scoreboard_64");
}
TEST_P(ScoreboardLockstep, WithMasksManyEntries) {
  run<VScoreboard64Masks>(core::ScoreboardKind::kPerThreadMask, 64, "scoreboard_64_masks");
}

INSTANTIATE_TEST_SUITE_P(Stalls, ScoreboardLockstep, cosim::stall_rates(), cosim::name_stalls);

}  // namespace
}  // namespace heddle::scoreboard_lockstep
