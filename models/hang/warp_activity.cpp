#include "hang/warp_activity.h"

#include <fmt/format.h>

namespace heddle::hang {

std::string warp_name(const WarpPlace& place) {
  return fmt::format("core {}, CTA ({},{},{}), warp {}", place.core, place.cta[0], place.cta[1], place.cta[2],
                     place.warp_in_cta);
}

namespace {

using base::kLanes;
using base::kNoPc;
using Held = GroupActivity::Held;

constexpr std::size_t kShown = 6;

std::string wait_to_meet(const Meeting& meeting) {
  std::string words = fmt::format("wait for lanes {:#010x} of their member mask", meeting.missing.bits());
  const char* before = " ";
  for (const std::uint32_t members : meeting.members) {
    words += fmt::format("{}{:#010x}", before, members);
    before = " or ";
  }
  return words;
}

std::string wait_at_barrier(const Arrivals& barrier) {
  const std::uint32_t unit = barrier.counts_warps ? kLanes : 1;
  return fmt::format("wait at barrier {} ({} of {} {} have arrived)", barrier.barrier, barrier.arrived / unit,
                     (barrier.expected + unit - 1) / unit, barrier.counts_warps ? "warps" : "threads");
}

std::string wait_at_barrier_register(const SuspendedLanes& lanes) {
  if (lanes.spilled)
    return fmt::format("wait at the convergence barrier B{}, whose lanes are in a register,", lanes.barrier);
  if (lanes.missing.none())
    return fmt::format("wait at the convergence barrier B{} below another one", lanes.barrier);
  return fmt::format("wait for lanes {:#010x} of the convergence barrier B{}", lanes.missing.bits(),
                     lanes.barrier);
}

bool at_barrier_register(const SuspendedLanes& lanes) { return lanes.barrier != SuspendedLanes::kNoBarrier; }

const char* why_suspended(const SuspendedLanes& lanes) {
  switch (lanes.why) {
    case Suspension::kReconverging:
      return "wait to reconverge with them";
    case Suspension::kNotStarted:
      return "have not run their side of a branch, which starts";
    case Suspension::kTurn:
      return lanes.until.empty() ? "take turns with them and go on"
                                 : "have their turn when these come to a YIELD, and go on";
    case Suspension::kNoTurn:
      return "have no turn until these meet others or end, and go on";
    case Suspension::kPriority:
      return "may run only after them, and go on";
    case Suspension::kBarrier:
      return "wait at a barrier, to go on";
  }
  return "";
}

std::string activity(const GroupActivity& group) {
  switch (group.doing) {
    case Doing::kRun:
      return "run";
    case Doing::kNothing:
      break;
    case Doing::kReady:
      return "are ready to issue";
    case Doing::kNextInstruction:
      return "wait for their next instruction";
    case Doing::kMemory:
      return "wait for a load or atomic";
    case Doing::kFence:
      return "wait at a fence";
    case Doing::kSpin:
      return "spin in the loop that starts";
    case Doing::kBarrier:
      return wait_at_barrier(group.arrivals);
    case Doing::kMeet:
      return wait_to_meet(group.meeting);
  }
  return "";
}

std::string why_held(const Held& held) {
  if (held.meets) return wait_to_meet(held.meeting) + ", to go on";
  return at_barrier_register(held) ? wait_at_barrier_register(held) : why_suspended(held);
}

/// "lanes 0x0000000f run at file:12 (pc 0x010)", and the line of source.
std::string lanes_at(base::LaneMask lanes, const std::string& what, base::Pc at, const isa::Kernel& kernel,
                     const char* indent) {
  return fmt::format("lanes {:#010x} {} at {}\n{}{}", lanes.bits(), what, kernel.location(at), indent,
                     kernel.source_line(at));
}

std::string words_of(const GroupActivity& group, const isa::Kernel& kernel) {
  constexpr const char* kSource = "      ";
  auto held = group.held.begin();
  std::string text = fmt::format("\n  {}: ", warp_name(group.warp));
  if (group.doing == Doing::kNothing) {
    text += lanes_at(held->mask, why_held(*held), held->at, kernel, kSource);
    ++held;
  } else {
    text += lanes_at(group.lanes, activity(group), group.at, kernel, kSource);
  }
  for (; held != group.held.end(); ++held) {
    text += "\n    ";
    if (held->at == kNoPc)
      text += fmt::format("lanes {:#010x} {} at the kernel's exit\n{}", held->mask.bits(), why_held(*held),
                          kSource);
    else
      text += lanes_at(held->mask, why_held(*held), held->at, kernel, kSource);
  }
  return text;
}

/// There are others besides those that stand for the warp.
bool holds_back(const GroupActivity& group) {
  return group.held.size() > (group.doing == Doing::kNothing ? 1 : 0);
}

}  // namespace

std::string describe(const std::vector<GroupActivity>& groups, const isa::Kernel& kernel) {
  // Warps whose own lanes block each other first: they are the cause, the others only wait for them.
  std::vector<const GroupActivity*> order;
  for (const bool cause : {true, false})
    for (const GroupActivity& group : groups)
      if (holds_back(group) == cause) order.push_back(&group);
  std::string text;
  for (std::size_t i = 0; i < order.size() && i < kShown; ++i) text += words_of(*order[i], kernel);
  if (order.size() > kShown) text += fmt::format("\n  and {} more warps", order.size() - kShown);
  return text;
}

}  // namespace heddle::hang
