#include "hang/lane_classes.h"

#include <algorithm>
#include <utility>

namespace heddle::hang {
namespace {

/// Shapes of one start, and members that differ in memory only: further ones are not remembered.
constexpr std::size_t kMostShapes = 16;
constexpr std::size_t kMostAlike = 8;

std::uint64_t hash_of(const std::vector<Values>& key) {
  std::uint64_t hash = key.size();
  for (const Values values : key) {
    hash = (hash ^ values) * 0x9e37'79b9'7f4a'7c15ull;
    hash ^= hash >> 29;
  }
  return hash;
}

bool same_operand(const isa::Operand& a, const isa::Operand& b) {
  return a.offset == b.offset && a.width == b.width;
}

}  // namespace

std::vector<Values> LaneClasses::key_of(const Shape& shape, const WarpState& warp, unsigned lane) const {
  std::vector<Values> key;
  for (const isa::RegId reg : shape.registers) key.push_back(explorer_.initial(warp, lane, reg));
  for (const isa::Operand& operand : shape.special) key.push_back(explorer_.special(warp, lane, operand));
  if (shape.shared) key.push_back(warp.cta);
  return key;
}

std::shared_ptr<const LaneOutcome> LaneClasses::find(const WarpState& warp, unsigned lane, Pc start,
                                                     AbstractMemory& memory, const Gate& gate) {
  const auto shapes = shapes_.find(start.value());
  if (shapes == shapes_.end()) return nullptr;
  for (const Shape& shape : shapes->second) {
    const std::vector<Values> key = key_of(shape, warp, lane);
    const auto members = shape.members.find(hash_of(key));
    if (members == shape.members.end()) continue;
    for (const Member& member : members->second) {
      const auto unchanged = [&](const LaneInputs::Load& load) {
        return memory.load(load.word, warp.core, load.through_l1) == load.values;
      };
      if (member.key != key || !std::all_of(member.loads.begin(), member.loads.end(), unchanged)) continue;
      const std::vector<Arrival>& arrivals = member.outcome->arrivals;
      bool alike = true;
      for (std::size_t i = 0; i < arrivals.size() && alike; ++i)
        alike = (!arrivals[i].waits || gate(arrivals[i])) == member.passed[i];
      if (alike) return member.outcome;
    }
  }
  return nullptr;
}

void LaneClasses::add(const WarpState& warp, unsigned lane, Pc start, LaneInputs inputs,
                      std::shared_ptr<const LaneOutcome> outcome) {
  if (inputs.own || inputs.moved) return;
  std::vector<Shape>& shapes = shapes_[start.value()];
  auto shape = std::find_if(shapes.begin(), shapes.end(), [&](const Shape& known) {
    return known.shared == inputs.shared && known.registers == inputs.registers &&
           std::equal(known.special.begin(), known.special.end(), inputs.special.begin(),
                      inputs.special.end(), same_operand);
  });
  if (shape == shapes.end()) {
    if (shapes.size() == kMostShapes) return;
    shapes.push_back({std::move(inputs.registers), std::move(inputs.special), inputs.shared, {}});
    shape = shapes.end() - 1;
  }
  std::vector<Values> key = key_of(*shape, warp, lane);
  std::vector<Member>& members = shape->members[hash_of(key)];
  // Memory has grown since the oldest of them.
  if (members.size() == kMostAlike) members.erase(members.begin());
  members.push_back({std::move(key), std::move(inputs.loads), std::move(inputs.passed), std::move(outcome)});
}

}  // namespace heddle::hang
