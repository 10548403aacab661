#include "resync/distance.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "resync/groups_by_pc.h"
#include "resync/pc_table.h"

namespace heddle::resync {
namespace {

constexpr std::int64_t kUnknown = -1;
constexpr int kNoEdge = -1;

/// Of a set of threads.
struct Progress {
  std::optional<std::uint64_t> last_divergence;  ///< PC of the branch that parted them last
  std::int64_t progress = kUnknown;              ///< instructions since the branch that made the set
  std::int64_t target = kUnknown;                ///< instructions until it should meet the others
  int origin = kNoEdge;                          ///< which edge of the branch it took
};
/// Of an instruction.
struct LastVisit {
  ThreadMask mask = ~ThreadMask{0};
  std::int64_t progress = 0;
  std::uint64_t misses = 0;
  int origin = kNoEdge;
};
/// Of a branch: instructions from its two edges to the reconvergence.
struct Lengths {
  std::array<std::int64_t, 2> to_reconvergence{kUnknown, kUnknown};
};

class Distance final : public SelectionPolicy {
 public:
  explicit Distance(const DistanceOptions& options) : options_(options) {}

  void reset(unsigned /*threads*/) override {
    visits_.clear();
    sets_.clear();
    lengths_.clear();
    rotation_ = 0;
  }

  Selection select(const ThreadViews& views, ThreadMask candidates) override {
    const PcGroups groups(views, candidates);
    rotation_ = (rotation_ + 1) % groups.count;
    const unsigned chosen = choose(views, groups);
    return run(views, lowest(groups.group[chosen].mask));
  }

  void executed(const ThreadViews& views, const Execution& what) override {
    account(what);
    const ThreadMask parent = what.mask;
    const PcGroups children(views, what.mask & views.live);
    std::array<ThreadMask, kMaxThreads> merged;
    for (unsigned i = 0; i < children.count; ++i) {
      const ThreadMask child = children.group[i].mask;
      const ThreadMask there = views.together(lowest(child), views.live) & ~what.mask;
      merged[i] = child | there;
      if (there != 0) reconverge(child, there);
    }
    if (children.count > 1) diverge(parent, what.pc, merged, children.count);
  }

 private:
  [[nodiscard]] unsigned choose(const ThreadViews& views, const PcGroups& groups) {
    const auto slack = [this](const PcGroups::Group& group) {
      const Progress& set = sets_.at(group.mask);
      return set.target == kUnknown ? 0 : set.target - set.progress;
    };
    unsigned best = groups.count;
    if (options_.greedy) {
      best = groups.first_from(rotation_, [&](const auto& group) { return slack(group) > 0; });
    } else {
      std::int64_t most = 0;
      for (unsigned i = 0; i < groups.count; ++i)
        if (const std::int64_t left = slack(groups.group[i]); left > most) {
          most = left;
          best = i;
        }
    }
    if (best != groups.count) return best;
    if (options_.round_robin) {
      best = groups.first_from(rotation_,
                               [&](const auto& group) { return sets_.at(group.mask).target == kUnknown; });
      return best != groups.count ? best : rotation_ % groups.count;
    }
    const auto key = [&](const PcGroups::Group& group) {
      std::uint64_t depth = 0;
      for_each_thread(group.mask, [&](unsigned t) { depth = std::max(depth, views.depth[t]); });
      return std::tuple(sets_.at(group.mask).progress != kUnknown, visits_.at(group.pc).misses, ~depth,
                        group.pc);
    };
    best = 0;
    for (unsigned i = 1; i < groups.count; ++i)
      if (key(groups.group[i]) < key(groups.group[best])) best = i;
    return best;
  }

  void account(const Execution& what) {
    Progress& set = sets_.at(what.mask);
    ++set.progress;
    LastVisit& visit = visits_.at(what.pc);
    if ((visit.mask & what.mask) == 0) {
      ++visit.misses;
      missed(what.mask, visit);
    }
    const Progress& now = sets_.at(what.mask);
    visit.mask = what.mask;
    visit.progress = now.progress;
    visit.origin = now.origin;
  }

  /// Threads `now` come where others have been without them.
  void missed(ThreadMask now, const LastVisit& visit) {
    const Progress mine = sets_.at(now);
    const Progress before = sets_.at(visit.mask);
    if (before.progress < visit.progress) return;  // a phantom: the set has begun anew since
    if (options_.unbalance >= 0 && std::abs(before.progress - mine.progress) > options_.unbalance) return;
    if (visit.origin < 0 || visit.origin > 1 || mine.origin != 1 - visit.origin) return;
    if (const auto& branch = sets_.at(now | visit.mask).last_divergence; branch)
      shorten(lengths_.at(*branch).to_reconvergence[static_cast<std::size_t>(visit.origin)], visit.progress);
    if (before.target == kUnknown && before.origin == visit.origin)
      sets_.at(visit.mask).target = visit.progress;
  }

  void reconverge(ThreadMask one, ThreadMask other) {
    const std::array<Progress, 2> side{sets_.at(one), sets_.at(other)};
    Progress whole = sets_.at(one | other);
    if (whole.last_divergence) {
      auto& lengths = lengths_.at(*whole.last_divergence).to_reconvergence;
      for (std::size_t i = 0; i < 2; ++i) {
        if (side[i].origin < 0 || side[i].origin > 1) continue;
        std::int64_t length = side[i].progress;
        const Progress& opposite = side[1 - i];
        // The edge that runs second may only have been late because the first one went too far.
        if (side[i].origin == 1 && opposite.target != kUnknown)
          length -= std::max<std::int64_t>(0, opposite.progress - opposite.target);
        shorten(lengths[static_cast<std::size_t>(side[i].origin)], std::max<std::int64_t>(0, length));
      }
    }
    whole.progress += std::max(side[0].progress, side[1].progress);
    sets_.at(one) = {};
    sets_.at(other) = {};
    sets_.at(one | other) = whole;
  }

  void diverge(ThreadMask parent, std::uint64_t pc, const std::array<ThreadMask, kMaxThreads>& children,
               unsigned count) {
    sets_.at(parent).last_divergence = pc;
    const Progress from = sets_.at(parent);
    for (unsigned i = 0; i < count; ++i) {
      std::int64_t target = i < 2 ? lengths_.at(pc).to_reconvergence[i] : kUnknown;
      if (target == kUnknown && from.target != kUnknown)
        target = std::max<std::int64_t>(from.target - from.progress, kUnknown);
      Progress& child = sets_.at(children[i]);
      child.progress = 0;
      child.origin = static_cast<int>(i);
      child.target = target;
    }
  }

  static void shorten(std::int64_t& known, std::int64_t length) {
    if (known == kUnknown || length < known) known = length;
  }

  DistanceOptions options_;
  PcTable<LastVisit> visits_;
  PcTable<Progress> sets_;  ///< by mask
  PcTable<Lengths> lengths_;
  unsigned rotation_ = 0;
};

}  // namespace

std::unique_ptr<SelectionPolicy> make_distance(const DistanceOptions& options) {
  return std::make_unique<Distance>(options);
}

}  // namespace heddle::resync
