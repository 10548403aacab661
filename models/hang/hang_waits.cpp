// What the lanes of a hang wait for, and who could give it to them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "hang/classifier.h"

namespace heddle::hang {
namespace {

/// Groups of lanes whose wait is analysed, of which no two do the same.
constexpr std::size_t kMostAsked = 64;
/// Words analysed per lane.
constexpr std::size_t kMostWords = 16;
/// Instructions of undispatched CTAs that are explored.
constexpr std::uint64_t kMostUndispatchedSteps = 200'000;

}  // namespace

const Classifier::Waits& Classifier::waits_of(const LaneRef& ref) {
  const auto [entry, is_new] = waits_.try_emplace(ref);
  Waits& waits = entry->second;
  if (!is_new) return waits;
  const Exploration::Lane& lane = base_.at(ref);
  if (!lane.active) return waits;
  std::vector<Word> read;
  for (const Word& word : lane.outcome().reads) {
    if (word.space != Word::Space::kLocal) waits.reads_memory = true;
    if (read.size() < kMostWords) read.push_back(word);
  }
  if (lane.outcome().leaves) {
    for (const Word& word : read)
      if (word.space != Word::Space::kLocal) waits.words.push_back(word);
    return waits;
  }
  for (const Word& word : read)
    if (proof_.frees(ref, {word})) waits.words.push_back(word);
  if (waits.words.empty() && read.size() > 1 && proof_.frees(ref, read)) waits.words = read;
  // Words that only the thread itself can change are not waited for, if there are any others.
  const auto local = [](const Word& word) { return word.space == Word::Space::kLocal; };
  if (!std::all_of(waits.words.begin(), waits.words.end(), local)) std::erase_if(waits.words, local);
  return waits;
}

void Classifier::ask_running() {
  std::set<const LaneOutcome*> asked;
  for (std::uint32_t w = 0; w < snapshot_.warps.size() && asked_.size() < kMostAsked; ++w)
    for (const RunningLanes& running : snapshot_.warps[w].running) {
      if (asked_.size() == kMostAsked || running.starved) continue;
      const LaneRef ref{w, running.lanes.lowest()};
      if (base_.at(ref).active && asked.insert(base_.at(ref).found.get()).second) asked_.push_back(ref);
    }
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
  const std::uint64_t before = proof_.steps();
  const auto goes_on = [&] { return proof_.steps() - before < kMostUndispatchedSteps; };
  // From the end: a grid's last CTA is the most likely one to have a special role, and what waits for another one waits for a
  // later one. Of each the first thread, then the first one of each warp, then all.
  enum class Turn { kFirst, kFirstOfWarps, kAll };
  for (const Turn turn : {Turn::kFirst, Turn::kFirstOfWarps, Turn::kAll})
    for (std::uint64_t i = 0; i < snapshot_.ctas_waiting && goes_on(); ++i) {
      const std::uint64_t cta = snapshot_.ctas_started + snapshot_.ctas_waiting - 1 - i;
      const std::array<std::uint64_t, 3> id{cta % snapshot_.grid[0],
                                            cta / snapshot_.grid[0] % snapshot_.grid[1],
                                            cta / snapshot_.grid[0] / snapshot_.grid[1]};
      for (std::uint64_t w = 0; w < (turn == Turn::kFirst ? 1 : warps) && goes_on(); ++w) {
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
        for (unsigned lane = 0; lane < (turn == Turn::kAll ? lanes : 1) && goes_on(); ++lane) {
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

}  // namespace heddle::hang
