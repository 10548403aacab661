#include "hang/hang_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>

namespace heddle::hang {
namespace {

/// Groups of lanes whose wait is analysed; the others of a large GPU wait alike.
constexpr std::size_t kMostAsked = 64;
/// Words analysed per lane.
constexpr std::size_t kMostWords = 16;
constexpr std::size_t kMostDetails = 6;
/// Lanes of undispatched CTAs whose writes are explored.
constexpr std::size_t kMostUndispatchedLanes = 4096;

class Classifier {
 public:
  explicit Classifier(const Snapshot& snapshot) : snapshot_(snapshot), proof_(snapshot) {}
  HangReport classify();

 private:
  struct Waits {
    std::vector<Word> words;
    bool reads_memory = false;
  };

  [[nodiscard]] HangReport report(HangKind kind, std::string_view more, std::string remedy);
  [[nodiscard]] bool was_waiting(const LaneRef& ref) const;
  [[nodiscard]] bool any_running() const;
  [[nodiscard]] bool any_held() const;
  [[nodiscard]] bool any_starved() const;
  /// Lanes of a warp that has none but those that wait at convergence barriers; nullptr: there are none.
  [[nodiscard]] const HeldLanes* stuck_at_convergence() const;
  [[nodiscard]] std::string simt_remedy() const;
  [[nodiscard]] std::string remedy_by_code() const;
  /// What the lane that holds the lock word does, if it is not waiting.
  [[nodiscard]] std::optional<HangReport> holder_loops();
  [[nodiscard]] HangReport loop_report(bool reads_memory);
  [[nodiscard]] bool any_waiting(bool meets) const;
  /// Whether some lane waits at a barrier (`meets`: at a .sync instruction), or will.
  [[nodiscard]] bool comes_to_wait(bool meets) const;
  /// Whether releasing lanes would help any lane that runs or waits.
  [[nodiscard]] bool helps(const WhatIf& question);
  [[nodiscard]] const Waits& waits_of(const LaneRef& ref);
  void ask_running();
  [[nodiscard]] std::optional<HangReport> not_resident();
  [[nodiscard]] bool undispatched_writes(const std::set<Word>& words);
  [[nodiscard]] std::optional<HangReport> lock_order();
  /// Whether it has had several values in the window, or may get another one.
  [[nodiscard]] bool varies(const Word& word) const;
  [[nodiscard]] std::optional<LaneRef> find(const Holder& holder) const;
  [[nodiscard]] HangReport of_waits();
  void tell_waits();
  [[nodiscard]] std::string lane_name(const LaneRef& ref) const {
    return snapshot_.thread_name(snapshot_.warps[ref.warp], ref.lane);
  }

  const Snapshot& snapshot_;
  HangProof proof_;
  Exploration base_;
  std::vector<LaneRef> asked_;
  std::map<LaneRef, Waits> waits_;
  std::vector<std::string> details_;
};

HangReport Classifier::report(HangKind kind, std::string_view more, std::string remedy) {
  std::string title(kind_name(kind));
  if (!more.empty()) title += fmt::format(" {}", more);
  if (details_.size() > kMostDetails) {
    const std::size_t left = details_.size() - kMostDetails;
    details_.resize(kMostDetails);
    details_.push_back(fmt::format("and {} more", left));
  }
  return {kind, std::move(title), std::move(details_), std::move(remedy)};
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

const HeldLanes* Classifier::stuck_at_convergence() const {
  if (!snapshot_.serves_convergence) return nullptr;
  for (const WarpState& warp : snapshot_.warps)
    if (warp.running.empty() && warp.waiting.empty() && !warp.held.empty()) return &warp.held.front();
  return nullptr;
}

std::string Classifier::simt_remedy() const {
  std::string remedy = remedy_by_code();
  for (const WarpState& warp : snapshot_.warps)
    for (const HeldLanes& held : warp.held)
      if (held.hint != nullptr) return remedy + "\n  Or " + held.hint;
  return remedy;
}

std::string Classifier::remedy_by_code() const {
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
      for (const Arrival& arrival : lane.outcome.arrivals)
        if (arrival.meets == meets) return true;
  return false;
}

bool Classifier::helps(const WhatIf& question) {
  const Exploration then = proof_.explore(question);
  std::set<Word> written;
  for (std::uint32_t w = 0; w < then.lanes.size(); ++w)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const Exploration::Lane& entry = then.lanes[w][lane];
      if (!entry.active) continue;
      if (entry.let_go) {
        written.insert(entry.outcome.writes.begin(), entry.outcome.writes.end());
        // Waiting lanes now proceed. That counts unless the question itself released them.
        if (!question.waiting_lanes_run && was_waiting({w, lane}) && !base_.lanes[w][lane].let_go)
          return true;
        continue;
      }
      if (entry.outcome.leaves && !base_.lanes[w][lane].outcome.leaves) return true;
    }
  // Lanes whose loop exceeded the exploration's limits: do the released ones write what they read?
  for (const LaneRef& ref : base_.leaving)
    for (const Word& word : base_.at(ref).outcome.reads)
      if (word.space != Word::Space::kLocal && written.contains(word)) return true;
  return false;
}

const Classifier::Waits& Classifier::waits_of(const LaneRef& ref) {
  const auto [entry, is_new] = waits_.try_emplace(ref);
  Waits& waits = entry->second;
  if (!is_new) return waits;
  const Exploration::Lane& lane = base_.at(ref);
  if (!lane.active) return waits;
  std::vector<Word> read;
  for (const Word& word : lane.outcome.reads) {
    if (word.space != Word::Space::kLocal) waits.reads_memory = true;
    if (read.size() < kMostWords) read.push_back(word);
  }
  if (lane.outcome.leaves) {
    for (const Word& word : read)
      if (word.space != Word::Space::kLocal) waits.words.push_back(word);
    return waits;
  }
  const auto frees = [&](std::vector<Word> words) {
    WhatIf question;
    question.only = {ref};
    question.any = std::move(words);
    question.stop_at_first = true;
    return !proof_.explore(question).leaving.empty();
  };
  for (const Word& word : read)
    if (frees({word})) waits.words.push_back(word);
  if (waits.words.empty() && read.size() > 1 && frees(read)) waits.words = read;
  // Words that only the thread itself can change are not waited for, if there are any others.
  const auto local = [](const Word& word) { return word.space == Word::Space::kLocal; };
  if (!std::all_of(waits.words.begin(), waits.words.end(), local)) std::erase_if(waits.words, local);
  return waits;
}

void Classifier::ask_running() {
  for (std::uint32_t w = 0; w < snapshot_.warps.size() && asked_.size() < kMostAsked; ++w)
    for (const RunningLanes& running : snapshot_.warps[w].running)
      if (asked_.size() < kMostAsked && !running.starved) asked_.push_back({w, running.lanes.lowest()});
}

bool Classifier::undispatched_writes(const std::set<Word>& words) {
  if (snapshot_.warps.empty()) return false;
  const std::uint64_t threads = std::uint64_t{snapshot_.block[0]} * snapshot_.block[1] * snapshot_.block[2];
  const std::uint64_t warps = (threads + kLanes - 1) / kLanes;
  std::vector<std::byte> special(snapshot_.warps.front().special,
                                 snapshot_.warps.front().special + isa::kSpecialBlockBytes);
  const auto set = [&](isa::SpecialRow row, unsigned lane, std::uint64_t value) {
    const auto word = static_cast<std::uint32_t>(value);
    std::memcpy(special.data() + isa::special_offset(row) + lane * sizeof word, &word, sizeof word);
  };
  AbstractMemory memory(snapshot_, proof_.values());
  std::size_t looked_at = 0;
  // From the end: a grid's last CTA is the most likely one to have a special role.
  for (std::uint64_t i = 0; i < snapshot_.ctas_waiting && looked_at < kMostUndispatchedLanes; ++i) {
    const std::uint64_t cta = snapshot_.ctas_started + snapshot_.ctas_waiting - 1 - i;
    const std::array<std::uint64_t, 3> id{cta % snapshot_.grid[0],
                                          cta / snapshot_.grid[0] % snapshot_.grid[1],
                                          cta / snapshot_.grid[0] / snapshot_.grid[1]};
    for (std::uint64_t w = 0; w < warps && looked_at < kMostUndispatchedLanes; ++w) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t thread = w * kLanes + lane;
        set(isa::SpecialRow::kTidX, lane, thread % snapshot_.block[0]);
        set(isa::SpecialRow::kTidY, lane, thread / snapshot_.block[0] % snapshot_.block[1]);
        set(isa::SpecialRow::kTidZ, lane, thread / snapshot_.block[0] / snapshot_.block[1]);
        set(isa::SpecialRow::kCtaidX, lane, id[0]);
        set(isa::SpecialRow::kCtaidY, lane, id[1]);
        set(isa::SpecialRow::kCtaidZ, lane, id[2]);
      }
      WarpState warp;
      warp.core = snapshot_.warps.front().core;
      warp.warp_in_cta = static_cast<std::uint32_t>(w);
      warp.linear_warp = cta * warps + w;
      warp.special = special.data();
      const auto lanes = static_cast<unsigned>(std::min<std::uint64_t>(threads - w * kLanes, kLanes));
      for (unsigned lane = 0; lane < lanes; ++lane, ++looked_at) {
        const LaneOutcome outcome = proof_.explorer().explore(
            warp, lane, Pc{0}, memory, [](const Arrival&) { return true; }, /*to_the_end=*/true,
            /*try_harder=*/false);
        for (const Word& word : outcome.writes)
          if (words.contains(word)) return true;
      }
    }
  }
  return false;
}

std::optional<HangReport> Classifier::not_resident() {
  if (snapshot_.ctas_waiting == 0) return std::nullopt;
  std::set<Word> words;
  for (const LaneRef& ref : asked_)
    for (const Word& word : waits_of(ref).words)
      if (word.space == Word::Space::kDevice) words.insert(word);
  if (words.empty() || !undispatched_writes(words)) return std::nullopt;
  tell_waits();
  return report(HangKind::kCtaNotResident, "",
                "launch no more CTAs than fit at once, or do not wait for CTAs of higher number");
}

bool Classifier::varies(const Word& word) const {
  if (base_.changed.contains(word)) return true;
  std::vector<std::uint64_t> others;
  snapshot_.memory->others(word, others);
  std::uint32_t now = 0;
  if (!snapshot_.memory->read(word, now)) return true;
  return std::any_of(others.begin(), others.end(), [&](std::uint64_t value) { return value != now; });
}

std::optional<LaneRef> Classifier::find(const Holder& holder) const {
  for (std::uint32_t w = 0; w < snapshot_.warps.size(); ++w)
    if (snapshot_.warps[w].linear_warp == holder.linear_warp && snapshot_.warps[w].live.test(holder.lane))
      return LaneRef{w, holder.lane};
  return std::nullopt;
}

std::optional<HangReport> Classifier::lock_order() {
  struct Edge {
    LaneRef waits;
    Word word;
    LaneRef holds;
  };
  for (const LaneRef& start : asked_) {
    std::vector<Edge> path;
    LaneRef at = start;
    while (path.size() < kMostAsked) {
      std::optional<Edge> next;
      for (const Word& word : waits_of(at).words) {
        if (varies(word)) continue;  // its value changes: no lane holds it
        const Holder holder = snapshot_.holder(word);
        if (!holder.known) continue;
        if (const auto lane = find(holder)) next = Edge{at, word, *lane};
        if (next) break;
      }
      if (!next) break;
      path.push_back(*next);
      at = next->holds;
      const auto ring =
          std::find_if(path.begin(), path.end(), [&](const Edge& edge) { return edge.waits == at; });
      if (ring == path.end()) continue;
      for (auto edge = ring; edge != path.end(); ++edge)
        details_.push_back(fmt::format("{} waits for {}, which {} has taken", lane_name(edge->waits),
                                       snapshot_.memory->name(edge->word), lane_name(edge->holds)));
      return report(HangKind::kLockOrder, "",
                    path.end() - ring == 1 ? "the thread waits for a lock that it holds itself"
                                           : "take locks in one order everywhere");
    }
  }
  return std::nullopt;
}

void Classifier::tell_waits() {
  std::set<Word> told;
  for (const LaneRef& ref : asked_)
    for (const Word& word : waits_of(ref).words) {
      if (!told.insert(word).second) continue;
      std::uint32_t value = 0;
      std::string line = fmt::format("{} waits for {}", lane_name(ref), snapshot_.memory->name(word));
      if (snapshot_.memory->read(word, value)) line += fmt::format(", which is {}", value);
      const Holder holder = snapshot_.holder(word);
      if (holder.known) {
        if (const auto lane = find(holder))
          line += fmt::format("; {} set it last", lane_name(*lane));
        else
          line += "; a thread that has ended set it last";
      }
      details_.push_back(std::move(line));
    }
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
    if (!base_.at(ref).outcome.leaves && !base_.at(ref).outcome.writes.empty())
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
  base_ = proof_.explore(as_it_is);
  WhatIf held_run;
  held_run.held_lanes_run = true;
  const bool simt = any_held() && helps(held_run);
  if (!any_running()) {
    if (simt) return report(HangKind::kSimtInduced, any_waiting(false) ? "at a barrier" : "", simt_remedy());
    if (const HeldLanes* const stuck = stuck_at_convergence())
      return report(HangKind::kConvergence, "",
                    stuck->hint != nullptr
                        ? stuck->hint
                        : "every lane that a barrier register or a member mask names has to come "
                          "to that BSYNC or WARPSYNC, to execute BREAK, or to end");
    if (any_waiting(true))
      return report(HangKind::kWarpSync, "",
                    "all lanes that a member mask names must execute the same instruction with the same "
                    "mask, and in the "
                    "same place unless it is bar.warp.sync; name those lanes only that come there");
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

}  // namespace

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
  }
  return "";
}

HangReport classify(const Snapshot& snapshot) { return Classifier(snapshot).classify(); }

HangReport passed_over(const Snapshot& snapshot) {
  HangReport report{HangKind::kPassedOver, std::string(kind_name(HangKind::kPassedOver)), {}, {}};
  std::size_t warps = 0;
  for (const WarpState& warp : snapshot.warps) {
    const HeldLanes* first = nullptr;
    LaneMask lanes;
    for (const HeldLanes& held : warp.held) {
      if (!held.passed_over) continue;
      lanes |= held.lanes;
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
