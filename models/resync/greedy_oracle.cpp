#include "resync/greedy_oracle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "resync/groups_by_pc.h"

namespace heddle::resync {
namespace {

class GreedyOracle final : public LooksAhead {
 public:
  explicit GreedyOracle(const OracleOptions& options) : options_(options) {}
  void reset(unsigned /*threads*/) override { rotation_ = 0; }
  [[nodiscard]] bool listens() const override { return false; }
  [[nodiscard]] std::uint64_t window() const override { return options_.window; }
  void look_into(Future* future) override { future_ = future; }

  Selection select(const ThreadViews& views, ThreadMask candidates) override {
    if (future_ == nullptr)
      throw std::logic_error("oracle: it needs the threads' future, which only a replay knows");
    const PcGroups groups(views, candidates);
    unsigned best = 0;
    if (groups.count > 1) {
      std::array<std::uint64_t, kMaxThreads> distance;
      std::uint64_t most = 0;
      for (unsigned i = 0; i < groups.count; ++i) most = std::max(most, distance[i] = needed(groups, i));
      best = groups.first_from(rotation_, [&, i = 0u](const auto& group) mutable {
        i = static_cast<unsigned>(&group - groups.group.data());
        return distance[i] == most;
      });
    }
    rotation_ = (rotation_ + 1) % groups.count;
    return run(views, lowest(groups.group[best].mask));
  }

 private:
  /// Instructions until another group comes to the PC of group `i`.
  [[nodiscard]] std::uint64_t needed(const PcGroups& groups, unsigned i) const {
    const unsigned here = lowest(groups.group[i].mask);
    std::uint64_t nearest = Future::kNever;
    for (unsigned j = 0; j < groups.count; ++j) {
      if (j == i) continue;
      const unsigned other = lowest(groups.group[j].mask);
      const std::uint64_t distance =
          future_->until(other, groups.group[i].pc, std::min(options_.window, nearest));
      if (distance >= nearest) continue;
      if (options_.length == 0) {
        nearest = distance;
        continue;
      }
      const auto length =
          static_cast<std::uint64_t>(std::floor(options_.length * static_cast<double>(distance))) + 1;
      const std::uint64_t mine = future_->pc_at(here, length), its = future_->pc_at(other, distance + length);
      // A match that reaches the end of a trace is as long as it can be.
      if (mine == its || mine == Future::kNever || its == Future::kNever) nearest = distance;
    }
    return nearest;
  }

  OracleOptions options_;
  Future* future_ = nullptr;
  unsigned rotation_ = 0;
};

}  // namespace

std::unique_ptr<LooksAhead> make_greedy_oracle(const OracleOptions& options) {
  return std::make_unique<GreedyOracle>(options);
}

}  // namespace heddle::resync
