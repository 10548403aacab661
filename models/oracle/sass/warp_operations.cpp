// Operations across lanes. The lanes that take part are those that execute the instruction together.
#include <algorithm>
#include <array>
#include <utility>

#include "frontend/sass/form.h"
#include "oracle/sass/warp.h"

namespace heddle::oracle::machine_code {
namespace {

std::uint32_t word(const Op& op, Warp& warp, unsigned lane, const Banks& banks, Role role) {
  return Values(op, warp.lanes[lane], banks).word(role);
}

}  // namespace

void vote(const Op& op, Warp& warp, std::uint32_t group, std::uint32_t executing, const Banks& banks) {
  enum : unsigned { kAll, kAny };
  std::uint32_t yes = 0;
  for_each_lane(executing, [&](unsigned i) {
    if (Values(op, warp.lanes[i], banks).predicate(Role::kPs0)) yes |= 1u << i;
  });
  const unsigned mode = op.value(Modifier::kMode);
  const bool result = mode == kAll   ? yes == executing
                      : mode == kAny ? yes != 0
                                     : yes == 0 || yes == executing;
  // A uniform result is the group's.
  const std::uint32_t receivers = op.instruction.op == Opcode::kVoteu && executing != 0 ? group : executing;
  for_each_lane(receivers, [&](unsigned i) {
    Values v(op, warp.lanes[i], banks);
    v.set(yes);
    v.set_predicate(Role::kPd0, result);
  });
}

void match(const Op& op, Warp& warp, std::uint32_t executing, const Banks& banks) {
  std::array<std::uint64_t, kLanes> values{};
  for_each_lane(executing, [&](unsigned i) {
    const Values v(op, warp.lanes[i], banks);
    values[i] = v.has(Modifier::kSixtyFour) ? v.pair(Role::kA) : v.word(Role::kA);
  });
  const bool all = std::string_view(op.instruction.form->name) == "MATCH.ALL";
  for_each_lane(executing, [&](unsigned i) {
    std::uint32_t equal = 0;
    for_each_lane(executing, [&](unsigned j) { equal |= values[i] == values[j] ? 1u << j : 0; });
    Values v(op, warp.lanes[i], banks);
    v.set(all && equal != executing ? 0 : equal);
    v.set_predicate(Role::kPd0, equal == executing);
  });
}

void elect(const Op& op, Warp& warp, std::uint32_t group, std::uint32_t executing, const Banks& banks) {
  if (executing == 0) return;
  const auto leader = static_cast<unsigned>(std::countr_zero(executing));
  for_each_lane(executing,
                [&](unsigned i) { Values(op, warp.lanes[i], banks).set_predicate(Role::kPd0, i == leader); });
  for_each_lane(group, [&](unsigned i) { Values(op, warp.lanes[i], banks).set(leader); });
}

void shuffle(const Op& op, Warp& warp, std::uint32_t executing, const Banks& banks) {
  enum : unsigned { kIdx, kUp, kDown, kBfly };
  std::array<std::uint32_t, kLanes> values{};
  for_each_lane(executing, [&](unsigned i) { values[i] = word(op, warp, i, banks, Role::kA); });
  for_each_lane(executing, [&](unsigned i) {
    Values v(op, warp.lanes[i], banks);
    const int lane = static_cast<int>(i);
    const int by = static_cast<int>(v.word(Role::kLane) & 31);
    const std::uint32_t clamp = v.word(Role::kClamp);
    const int segment = static_cast<int>(clamp >> 8 & 31);
    const int first = lane & segment;
    const int last = first | (static_cast<int>(clamp & 31) & ~segment);
    int from = lane;
    bool inside = false;
    switch (op.value(Modifier::kMode)) {
      case kIdx:
        from = first | (by & ~segment);
        inside = from <= last;
        break;
      case kUp:
        from = lane - by;
        inside = from >= last;
        break;
      case kDown:
        from = lane + by;
        inside = from <= last;
        break;
      default:
        from = lane ^ by;
        inside = from <= last;
        break;
    }
    if (!inside) from = lane;
    // A lane that does not take part has no value to give: the reader keeps its own.
    const bool there = (executing >> from & 1) != 0;
    v.set(values[static_cast<unsigned>(there ? from : lane)]);
    v.set_predicate(Role::kPd0, inside);
  });
}

void reduce(const Op& op, Warp& warp, std::uint32_t group, std::uint32_t executing, const Banks& banks) {
  enum : unsigned { kAnd, kOr, kXor, kSum, kMin, kMax };
  if (executing == 0) return;
  const bool is_signed = op.has(Modifier::kSigned);
  std::uint32_t result = 0;
  bool first = true;
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    return is_signed ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
  };
  for_each_lane(executing, [&](unsigned i) {
    const std::uint32_t value = word(op, warp, i, banks, Role::kA);
    if (std::exchange(first, false)) {
      result = value;
      return;
    }
    switch (op.value(Modifier::kOperation)) {
      case kAnd:
        result &= value;
        break;
      case kOr:
        result |= value;
        break;
      case kXor:
        result ^= value;
        break;
      case kSum:
        result += value;
        break;
      case kMin:
        result = less(value, result) ? value : result;
        break;
      case kMax:
        result = less(result, value) ? value : result;
        break;
    }
  });
  for_each_lane(group, [&](unsigned i) { Values(op, warp.lanes[i], banks).set(result); });
}

void to_uniform(const Op& op, Warp& warp, std::uint32_t group, std::uint32_t executing, const Banks& banks) {
  if (executing == 0) return;
  const std::uint32_t value =
      word(op, warp, static_cast<unsigned>(std::countr_zero(executing)), banks, Role::kA);
  for_each_lane(group, [&](unsigned i) {
    Values v(op, warp.lanes[i], banks);
    const std::uint32_t own = v.word(Role::kA);
    const bool before = v.has(Modifier::kAccumulate) && v.predicate(Role::kPd0);
    v.set(value);  // of the first lane: ptxas makes this of a shuffle from it
    if ((executing >> i & 1) != 0) v.set_predicate(Role::kPd0, before || own != value);
  });
}

}  // namespace heddle::oracle::machine_code
