#include "functional/lane_groups.h"

#include <algorithm>

namespace heddle::functional {
namespace {

void join(std::vector<Group>& groups) {
  for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
    if (groups[i].state != Group::State::kReady || groups[i].apart) continue;
    for (std::size_t j = groups.size() - 1; j > i; --j) {
      if (groups[j].state != Group::State::kReady || groups[j].apart || groups[j].pc != groups[i].pc ||
          groups[j].depth != groups[i].depth)
        continue;
      groups[i].lanes |= groups[j].lanes;
      groups[i].turn = std::min(groups[i].turn, groups[j].turn);
      groups[i].jumps = std::max(groups[i].jumps, groups[j].jumps);
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

}  // namespace

Turn next_turn(Warp& warp, const std::vector<std::uint32_t>& order) {
  std::vector<Group>& groups = warp.groups;
  Turn turn;
  if (groups.size() == 1) [[likely]] {
    if (groups.front().state == Group::State::kReady) turn.group = 0;
    warp.others_first = false;
    return turn;
  }
  join(groups);
  std::size_t longest = Turn::kNone;
  std::uint32_t ready = 0;
  const auto behind = [&](const Group& one, const Group& other) {
    return one.depth != other.depth ? one.depth > other.depth
                                    : order[one.pc.value()] < order[other.pc.value()];
  };
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].state != Group::State::kReady) continue;
    ++ready;
    if (turn.group == Turn::kNone || behind(groups[i], groups[turn.group])) turn.group = i;
    if (longest == Turn::kNone || groups[i].turn < groups[longest].turn) longest = i;
  }
  if (ready > 1) {
    if (warp.others_first) {
      turn.group = longest;
      turn.instructions = kInstructionsOfTurn;
    } else {
      turn.jumps = kJumpsOfTurn - std::min(kJumpsOfTurn - 1, groups[turn.group].jumps);
      for (std::size_t i = 0; i < groups.size(); ++i)
        if (i != turn.group && groups[i].state == Group::State::kReady &&
            groups[i].depth == groups[turn.group].depth)
          turn.limit = std::min(turn.limit, order[groups[i].pc.value()]);
    }
  }
  warp.others_first = false;
  if (turn.group != Turn::kNone) groups[turn.group].turn = ++warp.turns;
  return turn;
}

}  // namespace heddle::functional
