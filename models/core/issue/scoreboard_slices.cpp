#include "core/issue/scoreboard_slices.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "sim/twin_difference.h"

namespace heddle::core {
namespace {

[[nodiscard]] constexpr std::uint64_t bit(std::uint32_t number) { return std::uint64_t{1} << number; }
[[nodiscard]] constexpr bool has(std::uint64_t set, std::uint32_t number) {
  return (set >> number & 1u) != 0;
}

}  // namespace

std::uint32_t registers_of(const isa::Instruction& instruction,
                           std::array<isa::RegId, ScoreboardPins::kMostRegisters>& all) {
  std::uint32_t count = 0;
  for (unsigned i = 0; i < instruction.write_count; ++i) all[count++] = instruction.writes[i];
  const auto writes_end = all.begin() + count;
  for (unsigned i = 0; i < instruction.read_count; ++i)
    if (std::find(all.begin(), writes_end, instruction.reads[i]) == writes_end)
      all[count++] = instruction.reads[i];
  return count;
}

std::uint32_t look_part(const isa::Instruction& instruction, LaneMask lanes, std::uint32_t part,
                        std::uint32_t ports, ScoreboardPins::Look& look) {
  std::array<isa::RegId, ScoreboardPins::kMostRegisters> all{};
  const std::uint32_t count = registers_of(instruction, all);
  look = {.valid = true, .lanes = lanes};
  for (std::uint32_t p = 0; p < ports && part * ports + p < count; ++p) {
    look.registers[p] = all[part * ports + p];
    if (part * ports + p < instruction.write_count) look.written |= 1u << p;
  }
  return static_cast<std::uint32_t>(cost(count, ports).interval);
}

std::uint32_t write_part(const Destinations& registers, std::uint32_t part, std::uint32_t ports,
                         ScoreboardPins::Write& write) {
  for (std::uint32_t p = 0; p < ports && part * ports + p < registers.count; ++p)
    write.registers[p] = registers.all[part * ports + p];
  return static_cast<std::uint32_t>(cost(registers.count, ports).interval);
}

bool ScoreboardSlice::Bits::meets(const Bits& other) const {
  for (unsigned i = 0; i < words.size(); ++i)
    if ((words[i] & other.words[i]) != 0) return true;
  return false;
}
std::uint32_t ScoreboardSlice::Bits::count() const {
  int sum = 0;
  for (const std::uint64_t word : words) sum += std::popcount(word);
  return static_cast<std::uint32_t>(sum);
}
ScoreboardSlice::Bits& ScoreboardSlice::Bits::operator|=(const Bits& other) {
  for (unsigned i = 0; i < words.size(); ++i) words[i] |= other.words[i];
  return *this;
}
void ScoreboardSlice::Bits::remove(const Bits& other) {
  for (unsigned i = 0; i < words.size(); ++i) words[i] &= ~other.words[i];
}

ScoreboardSlice::ScoreboardSlice(const ScoreboardShape& shape)
    : masks_(shape.config.kind == ScoreboardKind::kPerThreadMask),
      groups_(shape.groups),
      sets_(shape.warps, std::vector<PendingEntry>(shape.config.entries_per_warp)),
      slots_(std::size_t{shape.warps} * shape.groups) {}

ScoreboardGrants ScoreboardSlice::grants(const ScoreboardPins& pins, Cycle /*cycle*/) {
  ScoreboardGrants grants;
  if (const std::uint64_t wanting = pins.heads & ~heads_.looked; wanting != 0)
    grants.look =
        static_cast<std::uint32_t>(std::countr_zero((wanting & behind_) != 0 ? wanting & behind_ : wanting));
  for (std::uint32_t i = 0; i < ScoreboardPins::kSources && !grants.release; ++i)
    if (const std::uint32_t source = (turn_ + i) % ScoreboardPins::kSources; pins.release[source].valid)
      grants.release = source;
  return grants;
}

ScoreboardSlice::Released ScoreboardSlice::released(const ScoreboardPins& pins,
                                                    const ScoreboardGrants& granted) const {
  Released gone;
  if (!granted.release) return gone;
  const ScoreboardPins::Write& release = pins.release[*granted.release];
  gone.warp = release.warp;
  const auto& set = sets_[release.warp];
  for (std::uint32_t e = 0; e < set.size(); ++e) {
    if (set[e].reg == isa::kNoReg) continue;
    for (const isa::RegId reg : release.registers) {
      if (reg == isa::kNoReg || reg != set[e].reg) continue;
      LaneMask left = masks_ ? LaneMask::difference(set[e].lanes, release.lanes) : LaneMask{};
      // Lanes for which it is reserved in the same cycle.
      if (masks_ && pins.reserve.valid && pins.reserve.warp == release.warp)
        for (const isa::RegId again : pins.reserve.registers)
          if (again == reg) left |= pins.reserve.lanes;
      (left.none() ? gone.ends : gone.stays).set(e);
    }
  }
  return gone;
}

ScoreboardSlice::Reserved ScoreboardSlice::reserved(const ScoreboardPins& pins) const {
  Reserved taken;
  if (!pins.reserve.valid) return taken;
  const auto& set = sets_[pins.reserve.warp];
  for (std::uint32_t p = 0; p < ScoreboardPins::kMostPorts; ++p) {
    const isa::RegId reg = pins.reserve.registers[p];
    if (reg == isa::kNoReg) continue;
    std::optional<std::uint32_t> found, free;
    for (std::uint32_t e = 0; e < set.size(); ++e) {
      if (masks_ && set[e].reg == reg) found = e;
      if (!free && set[e].reg == isa::kNoReg && !taken.allocated.has(e)) free = e;
    }
    if (found)
      taken.kept.set(*found);
    else if (free)
      taken.allocated.set(*free);
    taken.entry_of[p] = found ? found : free;
  }
  return taken;
}

ScoreboardSlice::Found ScoreboardSlice::find(const ScoreboardPins::Look& look, std::uint32_t warp,
                                             const Released& gone, const ScoreboardPins::Write* reserve,
                                             const Reserved& taken) const {
  Found found;
  const auto& set = sets_[warp];
  const bool here = gone.warp == warp;
  for (std::uint32_t p = 0; p < ScoreboardPins::kMostPorts; ++p) {
    const isa::RegId reg = look.registers[p];
    if (reg == isa::kNoReg) continue;
    const bool written = has(look.written, p);
    if (written) ++found.head.writes;
    for (std::uint32_t e = 0; e < set.size(); ++e) {
      if (set[e].reg != reg || (here && gone.ends.has(e))) continue;
      if (!masks_ || (set[e].lanes & look.lanes).any()) found.head.waits.set(e);
      if (written && masks_) found.head.has.set(e);
    }
    if (reserve == nullptr || !reserve->valid || reserve->warp != warp) continue;
    for (std::uint32_t d = 0; d < ScoreboardPins::kMostPorts; ++d) {
      if (reserve->registers[d] != reg || !taken.entry_of[d]) continue;
      if (here && gone.ends.has(*taken.entry_of[d]))
        continue;  // reserved for no lanes, it ends in this very cycle
      if (!masks_ || (reserve->lanes & look.lanes).any()) found.head.waits.set(*taken.entry_of[d]);
      if (written && masks_) found.head.has.set(*taken.entry_of[d]);
    }
  }
  found.again = here && gone.stays.meets(found.head.waits);
  return found;
}

void ScoreboardSlice::write(const ScoreboardPins& pins, const Released& gone, const Reserved& taken) {
  if (gone.warp) {
    auto& set = sets_[*gone.warp];
    const LaneMask lanes = pins.release[turn_].lanes;
    for (std::uint32_t e = 0; e < set.size(); ++e) {
      if (gone.ends.has(e)) set[e] = {};
      if (gone.stays.has(e)) set[e].lanes = LaneMask::difference(set[e].lanes, lanes);
    }
  }
  if (pins.reserve.valid) {
    auto& set = sets_[pins.reserve.warp];
    const LaneMask lanes = masks_ ? pins.reserve.lanes : LaneMask::all();
    for (std::uint32_t p = 0; p < ScoreboardPins::kMostPorts; ++p) {
      if (!taken.entry_of[p]) continue;
      PendingEntry& entry = set[*taken.entry_of[p]];
      if (taken.allocated.has(*taken.entry_of[p]))
        entry = {pins.reserve.registers[p], pins.memory, lanes};
      else if (entry.reg != isa::kNoReg)  // unless it ends in this very cycle, for no lanes
        entry.lanes |= lanes, entry.memory = entry.memory || pins.memory;
    }
  }
  for (std::uint64_t rest = pins.clear; rest != 0; rest &= rest - 1)
    for (PendingEntry& entry : sets_[static_cast<std::uint32_t>(std::countr_zero(rest))]) entry = {};
}

void ScoreboardSlice::edge(const ScoreboardPins& pins, Cycle cycle) {
  const ScoreboardGrants granted = grants(pins, cycle);
  const Released gone = released(pins, granted);
  const Reserved taken = reserved(pins);
  const bool looks = pins.look.valid && granted.look.has_value();
  Found looked, next;
  if (looks) looked = find(pins.look, *granted.look / groups_, gone, nullptr, taken);
  const bool has_next = pins.issued.has_value() && pins.next.valid;
  if (has_next) next = find(pins.next, *pins.issued / groups_, gone, &pins.reserve, taken);

  for (std::uint32_t s = 0; s < slots_.size(); ++s) {
    Head& head = slots_[s];
    const std::uint32_t warp = s / groups_;
    const bool reserves = pins.reserve.valid && pins.reserve.warp == warp;
    const bool lanes_end = gone.warp == warp && gone.stays.meets(head.waits);
    if (gone.warp == warp) {
      if (lanes_end) head.looked = false;
      head.waits.remove(gone.ends);
      head.has.remove(gone.ends);
    }
    if (reserves && !masks_) head.looked = false;
    if (pins.issued == s) head.looked = false;
    if (looks && granted.look == s) {
      if (pins.first) {
        head = looked.head;
      } else {
        head.waits |= looked.head.waits;
        head.has |= looked.head.has;
        head.writes += looked.head.writes;
      }
      head.looked = pins.last && !reserves && !looked.again && (pins.first || !lanes_end);
    }
    if (has_next && pins.issued == s) {
      head = next.head;
      head.looked = !next.again;
    }
    if (has(pins.drop, s) || has(pins.clear, warp)) head.looked = false;
  }
  if (looks) {
    behind_ = ~std::uint64_t{0} << *granted.look;
    if (pins.last) behind_ &= ~bit(*granted.look);
  }
  if (granted.release) turn_ = *granted.release;  // of write()
  write(pins, gone, taken);
  if (granted.release) turn_ = (turn_ + 1) % ScoreboardPins::kSources;
  show();
}

void ScoreboardSlice::show() {
  heads_ = {};
  for (std::uint32_t s = 0; s < slots_.size(); ++s) {
    const Head& head = slots_[s];
    if (!head.looked) continue;
    heads_.looked |= bit(s);
    const auto& set = sets_[s / groups_];
    std::uint32_t taken = head.writes - head.has.count();
    for (std::uint32_t e = 0; e < set.size(); ++e) {
      if (set[e].reg != isa::kNoReg) ++taken;
      if (head.waits.has(e)) (set[e].memory ? heads_.memory : heads_.alu) |= bit(s);
    }
    if (!head.waits.any() && taken <= set.size()) heads_.ready |= bit(s);
  }
}

// ---- Beside its twin

namespace {

using Json = nlohmann::ordered_json;

Json bits(std::uint64_t set) {
  Json list = Json::array();
  for (; set != 0; set &= set - 1) list.push_back(std::countr_zero(set));
  return list;
}
Json registers(const std::array<isa::RegId, ScoreboardPins::kMostPorts>& all) {
  Json list = Json::array();
  for (const isa::RegId reg : all)
    if (reg != isa::kNoReg) list.push_back(reg);
  return list;
}
Json show(const ScoreboardPins::Look& look) {
  return {{"registers", registers(look.registers)},
          {"written", bits(look.written)},
          {"lanes", look.lanes.to_string()}};
}
Json show(const ScoreboardPins::Write& write) {
  return {
      {"warp", write.warp}, {"registers", registers(write.registers)}, {"lanes", write.lanes.to_string()}};
}
Json show(const ScoreboardPins& pins) {
  Json json{{"heads", bits(pins.heads)}};
  if (pins.drop != 0) json["drop"] = bits(pins.drop);
  if (pins.clear != 0) json["clear"] = bits(pins.clear);
  if (pins.look.valid) json["look"] = show(pins.look), json["first"] = pins.first, json["last"] = pins.last;
  if (pins.issued) json["issued"] = *pins.issued;
  if (pins.next.valid) json["next"] = show(pins.next);
  if (pins.reserve.valid) json["reserve"] = show(pins.reserve), json["memory"] = pins.memory;
  for (std::uint32_t i = 0; i < ScoreboardPins::kSources; ++i)
    if (pins.release[i].valid) json["release" + std::to_string(i)] = show(pins.release[i]);
  return json;
}
Json show(const ScoreboardHeads& heads, const ScoreboardGrants& grants) {
  Json json{{"looked", bits(heads.looked)},
            {"ready", bits(heads.ready)},
            {"memory", bits(heads.memory)},
            {"alu", bits(heads.alu)}};
  if (grants.look) json["look"] = *grants.look;
  if (grants.release) json["release"] = *grants.release;
  return json;
}
Json show(const std::vector<PendingEntry>& set) {
  Json list = Json::array();
  for (std::uint32_t e = 0; e < set.size(); ++e)
    if (set[e].reg != isa::kNoReg)
      list.push_back({{"entry", e},
                      {"register", set[e].reg},
                      {"memory", set[e].memory},
                      {"lanes", set[e].lanes.to_string()}});
  return list;
}

class LockstepScoreboard final : public ScoreboardUnit {
 public:
  LockstepScoreboard(std::string path, std::unique_ptr<ScoreboardUnit> model,
                     std::unique_ptr<ScoreboardUnit> rtl)
      : path_(std::move(path)), model_(std::move(model)), rtl_(std::move(rtl)) {}

  [[nodiscard]] ScoreboardHeads heads() const override { return model_->heads(); }
  [[nodiscard]] ScoreboardGrants grants(const ScoreboardPins& pins, Cycle cycle) override {
    const ScoreboardGrants right = model_->grants(pins, cycle), other = rtl_->grants(pins, cycle);
    if (right != other || model_->heads() != rtl_->heads())
      differ(pins, cycle, show(model_->heads(), right), show(rtl_->heads(), other), warp_);
    return right;
  }
  void edge(const ScoreboardPins& pins, Cycle cycle) override {
    const ScoreboardGrants granted = grants(pins, cycle);
    // What rtl/scoreboard/formal takes for granted.
    if (granted.look && (pins.drop >> *granted.look & 1u) != 0)
      throw std::logic_error(path_ + ": a head is looked up in the cycle in which it is dropped");
    model_->edge(pins, cycle);
    rtl_->edge(pins, cycle);
    if (pins.reserve.valid) compare(pins, cycle, pins.reserve.warp);
    if (granted.release) compare(pins, cycle, pins.release[*granted.release].warp);
  }
  [[nodiscard]] std::vector<PendingEntry> entries(std::uint32_t warp) const override {
    return model_->entries(warp);
  }

 private:
  void compare(const ScoreboardPins& pins, Cycle cycle, std::uint32_t warp) {
    warp_ = warp;
    if (model_->entries(warp) != rtl_->entries(warp))
      differ(pins, cycle, show(model_->heads(), {}), show(rtl_->heads(), {}), warp);
  }
  [[noreturn]] void differ(const ScoreboardPins& pins, Cycle cycle, Json right, Json other,
                           std::uint32_t warp) {
    sim::report_difference({"scoreboard", path_, cycle, show(pins), std::move(right), std::move(other),
                            show(model_->entries(warp)), show(rtl_->entries(warp))});
  }

  std::string path_;
  std::unique_ptr<ScoreboardUnit> model_;
  std::unique_ptr<ScoreboardUnit> rtl_;
  std::uint32_t warp_ = 0;  ///< whose set has changed last
};

}  // namespace

std::unique_ptr<ScoreboardUnit> lockstep_scoreboard(std::string path, std::unique_ptr<ScoreboardUnit> model,
                                                    std::unique_ptr<ScoreboardUnit> rtl) {
  return std::make_unique<LockstepScoreboard>(std::move(path), std::move(model), std::move(rtl));
}

}  // namespace heddle::core
