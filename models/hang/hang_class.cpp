#include "hang/hang_class.h"

#include <fmt/format.h>

#include <algorithm>

#include "hang/classifier.h"

namespace heddle::hang {
namespace {

constexpr std::size_t kMostDetails = 6;

}  // namespace

HangReport Classifier::report(HangKind kind, std::string_view more, std::string remedy) {
  std::string title(kind_name(kind));
  if (!more.empty()) title += fmt::format(" {}", more);
  if (details_.size() > kMostDetails) {
    const std::size_t left = details_.size() - kMostDetails;
    details_.resize(kMostDetails);
    details_.push_back(fmt::format("and {} more", left));
  }
  HangReport made;
  made.kind = kind;
  made.title = std::move(title);
  made.details = std::move(details_);
  made.remedy = std::move(remedy);
  return made;
}

bool Classifier::was_waiting(const LaneRef& ref) const {
  const auto& groups = snapshot_.warps[ref.warp].waiting;
  return std::any_of(groups.begin(), groups.end(),
                     [&](const WaitingLanes& group) { return group.lanes.test(ref.lane); });
}

bool Classifier::any_running() const {
  return std::any_of(snapshot_.warps.begin(), snapshot_.warps.end(),
                     [](const WarpState& warp) { return !warp.running.empty(); });
}

bool Classifier::any_held() const {
  return std::any_of(snapshot_.warps.begin(), snapshot_.warps.end(),
                     [](const WarpState& warp) { return !warp.held.empty(); });
}

bool Classifier::any_starved() const {
  for (const WarpState& warp : snapshot_.warps)
    for (const RunningLanes& running : warp.running)
      if (running.starved) return true;
  return false;
}

const SuspendedLanes* Classifier::stuck_at_convergence() const {
  if (!snapshot_.serves_convergence) return nullptr;
  for (const WarpState& warp : snapshot_.warps)
    if (warp.running.empty() && warp.waiting.empty() && !warp.held.empty()) return &warp.held.front();
  return nullptr;
}

std::string Classifier::simt_remedy() const {
  std::string remedy = remedy_by_code();
  for (const WarpState& warp : snapshot_.warps)
    for (const SuspendedLanes& held : warp.held)
      if (held.hint != nullptr) return remedy + "\n  Or " + held.hint;
  return remedy;
}

std::string Classifier::remedy_by_code() const {
  if (!snapshot_.serves_convergence && !any_running() && any_waiting(true) && !any_waiting(false))
    return "lanes of one warp wait for each other: the scheduled ones need the held-back ones at a .sync "
           "instruction, and these run only after them.\n  Let all lanes of a member mask come to it "
           "together, "
           "or set core.control_flow.mechanism=hanoi, where each lane goes on by itself.";
  if (!snapshot_.serves_convergence)
    return "lanes of one warp wait for each other: the held-back lanes run only after the scheduled ones "
           "have left "
           "the loop or barrier, and those wait for the held-back ones.\n  Write the kernel in SIMT-safe "
           "form "
           "(release inside the loop; platforms/workloads/README.md shows how).";
  const auto& code = snapshot_.kernel->code;
  const auto has = [&](auto what) { return std::any_of(code.begin(), code.end(), what); };
  if (!has([](const isa::Instruction& each) { return each.op == isa::Opcode::kConvergence; }))
    return "lanes of one warp wait for each other, and the kernel has no BSSY, BSYNC or YIELD: the lanes "
           "that run "
           "keep their turn until they end.\n  core.convergence.placement=auto puts these instructions in.";
  const bool yields = has([](const isa::Instruction& each) {
    return each.op == isa::Opcode::kConvergence && each.convergence == isa::ConvergenceOp::kYield;
  });
  return std::string(
             "lanes of one warp wait for each other: the scheduled ones give no turn to the held-back "
             "ones.\n  ") +
         (yields ? "Let the loop's region end behind what the loop waits for: YIELD gives turns to lanes of "
                   "the region "
                   "only, and not to those that wait at its BSYNC."
                 : "Write YIELD into the loop, and let its region end behind what the loop waits for.");
}

bool Classifier::any_waiting(bool meets) const {
  for (const WarpState& warp : snapshot_.warps)
    for (const WaitingLanes& waiting : warp.waiting)
      if (waiting.meets == meets) return true;
  return false;
}

bool Classifier::comes_to_wait(bool meets) const {
  if (any_waiting(meets)) return true;
  for (const auto& warp : base_.lanes)
    for (const Exploration::Lane& lane : warp)
      for (const Arrival& arrival : lane.outcome().arrivals)
        if (arrival.meets == meets) return true;
  return false;
}

Exploration Classifier::explore(WhatIf question) {
  question.ctas = ctas_;
  question.most_steps = most_steps_ - std::min(most_steps_, proof_.steps());
  Exploration explored = proof_.explore(question);
  cut_ = cut_ || explored.cut;
  return explored;
}

bool Classifier::helps(WhatIf question) {
  const auto helped = [&](const Exploration& explored, const LaneRef& ref) {
    const Exploration::Lane& entry = explored.at(ref);
    // Waiting lanes now proceed. That counts unless the question itself released them.
    if (entry.let_go) return !question.waiting_lanes_run && was_waiting(ref) && !base_.at(ref).let_go;
    return entry.outcome().leaves && !base_.at(ref).outcome().leaves;
  };
  question.enough = helped;
  const Exploration then = explore(question);
  if (then.enough) return helped_ = true;
  // Lanes whose loop exceeded the exploration's limits: do the released ones write what they read?
  std::set<Word> written;
  for (const auto& warp : then.lanes)
    for (const Exploration::Lane& entry : warp)
      if (entry.let_go) written.insert(entry.outcome().writes.begin(), entry.outcome().writes.end());
  for (const LaneRef& ref : base_.leaving)
    for (const Word& word : base_.at(ref).outcome().reads)
      if (word.space != Word::Space::kLocal && written.contains(word)) return helped_ = true;
  return false;
}

HangReport Classifier::of_waits() {
  bool waits = false;
  bool changing = false;
  bool reads = false;
  for (const LaneRef& ref : asked_) {
    const Waits& of = waits_of(ref);
    reads = reads || of.reads_memory;
    for (const Word& word : of.words) {
      waits = true;
      changing = changing || varies(word);
    }
  }
  if (waits) {
    tell_waits();
    if (changing)
      return report(
          HangKind::kLivelock, "",
          "what the threads write to each other is never what any of them waits for; look for a lost "
          "release or signal");
    return report(HangKind::kNobodyWrites, "",
                  "no running thread can change the values that the loops test; look for a lost release or "
                  "signal");
  }
  for (const LaneRef& ref : asked_)
    if (!base_.at(ref).outcome().leaves && !base_.at(ref).outcome().writes.empty())
      return report(HangKind::kLivelock, "", "the threads write for ever, and no value ends their loops");
  return loop_report(reads);
}

HangReport Classifier::loop_report(bool reads_memory) {
  return report(
      HangKind::kInfiniteLoop, reads_memory ? "that no value in memory ends" : "without memory",
      snapshot_.may_misroute
          ? "check the loop's condition, and with core.control_flow.hanoi.checks_contract=true whether "
            "lanes go on behind the BSYNC at which they met"
          : "check the loop's condition");
}

std::optional<HangReport> Classifier::holder_loops() {
  for (const LaneRef& ref : asked_)
    for (const Word& word : waits_of(ref).words) {
      const Holder holder = snapshot_.holder(word);
      if (!holder.known || varies(word)) continue;
      const auto lane = find(holder);
      if (!lane || !base_.at(*lane).active || !waits_of(*lane).words.empty()) continue;
      details_.push_back(fmt::format("{} waits for {}, which {} has taken, who never leaves a loop",
                                     lane_name(ref), snapshot_.memory->name(word), lane_name(*lane)));
      return loop_report(waits_of(*lane).reads_memory);
    }
  return std::nullopt;
}

HangReport Classifier::classify() {
  WhatIf as_it_is;
  as_it_is.try_harder = true;
  base_ = explore(as_it_is);
  WhatIf held_run;
  held_run.held_lanes_run = true;
  const bool simt = any_held() && helps(held_run);
  if (!any_running()) {
    const char* const at_what = any_waiting(false)  ? "at a barrier"
                                : any_waiting(true) ? "at a .sync instruction"
                                                    : "";
    if (simt) return report(HangKind::kSimtInduced, at_what, simt_remedy());
    if (const SuspendedLanes* const stuck = stuck_at_convergence())
      return report(HangKind::kConvergence, "",
                    stuck->hint != nullptr
                        ? stuck->hint
                        : "every lane that a barrier register or a member mask names has to come "
                          "to that BSYNC or WARPSYNC, to execute BREAK, or to end");
    if (any_waiting(true))
      return report(HangKind::kWarpSync, "",
                    "all lanes that a member mask names must execute the same instruction with the same "
                    "qualifiers and the same mask; name those lanes only that come there");
    return report(
        HangKind::kBarrierMismatch, "",
        "every warp waits at a barrier that too few threads reach; check barrier numbers and thread counts");
  }
  ask_running();
  // First, since lanes that are held back help here as well: those of the starved warps.
  WhatIf starved_run;
  starved_run.starved_lanes_run = true;
  if (any_starved() && helps(starved_run)) {
    tell_waits();
    return report(
        HangKind::kStarvation, "",
        "the scheduler never chooses warps that could issue; take a policy that gives everybody a turn "
        "(core.scheduler.policy, core.scheduler.gto_rotation_cycles, core.scheduler.cawa_rotation_cycles)");
  }
  if (simt) {
    tell_waits();
    return report(HangKind::kSimtInduced, "", simt_remedy());
  }
  WhatIf waiting_run;
  waiting_run.waiting_lanes_run = true;
  if ((comes_to_wait(false) || comes_to_wait(true)) && helps(waiting_run)) {
    tell_waits();
    if (!comes_to_wait(false))
      return report(HangKind::kWarpSync, "", "name those lanes only in a member mask that come there");
    return report(
        HangKind::kBarrierMismatch, "",
        "threads wait at a barrier for others, and those wait for what the first would do behind it");
  }
  if (auto found = not_resident()) return *found;
  if (auto found = lock_order()) return *found;
  if (auto found = holder_loops()) return *found;
  return of_waits();
}

std::string_view kind_name(HangKind kind) {
  switch (kind) {
    case HangKind::kSimtInduced:
      return "SIMT-induced deadlock";
    case HangKind::kLockOrder:
      return "lock-order deadlock";
    case HangKind::kNobodyWrites:
      return "wait for a value that nobody will write";
    case HangKind::kCtaNotResident:
      return "wait for a CTA that cannot become resident";
    case HangKind::kBarrierMismatch:
      return "barrier mismatch";
    case HangKind::kWarpSync:
      return "lanes wait at a .sync instruction for others of their warp";
    case HangKind::kConvergence:
      return "lanes wait at a convergence barrier that never opens";
    case HangKind::kInfiniteLoop:
      return "infinite loop";
    case HangKind::kLivelock:
      return "livelock with changing values";
    case HangKind::kStarvation:
      return "starvation by scheduling";
    case HangKind::kPassedOver:
      return "starvation by selection";
    case HangKind::kTransactionStarves:
      return "starvation of a transaction";
    case HangKind::kTransactionLivelock:
      return "livelock of transactions";
    case HangKind::kTransactionAborts:
      return "transaction that always aborts itself";
    case HangKind::kTransactionLoops:
      return "transaction that does not come to its end";
    case HangKind::kTransactionWaits:
      return "transaction that waits for its commit";
  }
  return "";
}

HangReport classify(const Snapshot& snapshot, std::uint64_t most_steps) {
  // By more and more CTAs, until it is clear what would help, or all of them have been looked at.
  constexpr std::size_t kMore = 4;
  const std::size_t all = snapshot.ctas.size();
  std::optional<HangReport> known;
  std::uint64_t steps = 0;
  std::size_t looked_at = 0;
  for (std::size_t ctas = HangProof(snapshot).kinds(); !known || looked_at < all; ctas *= kMore) {
    Classifier classifier(snapshot, ctas < all ? ctas : 0, most_steps - steps);
    HangReport report = classifier.classify();
    steps += std::min(classifier.steps(), most_steps - steps);
    const bool cut = classifier.cut();
    if (!cut || !known) {
      known = std::move(report);
      looked_at = std::min(ctas, all);
    }
    if (cut)
      known->details.push_back(
          fmt::format("named after {} of {} CTAs: to follow all that the others may do would take too long",
                      looked_at, all));
    if (cut || classifier.helped()) break;
  }
  known->steps = steps;
  return std::move(*known);
}

HangReport passed_over(const Snapshot& snapshot) {
  HangReport report;
  report.kind = HangKind::kPassedOver;
  report.title = kind_name(report.kind);
  std::size_t warps = 0;
  for (const WarpState& warp : snapshot.warps) {
    const SuspendedLanes* first = nullptr;
    LaneMask lanes;
    for (const SuspendedLanes& held : warp.held) {
      if (!held.passed_over) continue;
      lanes |= held.mask;
      if (first == nullptr) first = &held;
    }
    if (first == nullptr) continue;
    if (first->hint != nullptr) report.remedy = first->hint;
    if (++warps <= kMostDetails)
      report.details.push_back(fmt::format("{}: lanes {:#010x} could run and are not selected",
                                           snapshot.warp_name(warp), lanes.bits()));
  }
  report.details.emplace_back(
      "the lanes that run have only repeated themselves for 500000 cycles, and memory had no new values; "
      "this "
      "is timed, not proven");
  return report;
}

}  // namespace heddle::hang
