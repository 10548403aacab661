#include "resync/detection.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "resync/pc_table.h"

namespace heddle::resync {
namespace {

class Detection final : public SelectionPolicy {
 public:
  explicit Detection(const DetectionOptions& options) : options_(options) {}
  void reset(unsigned /*threads*/) override { table_.clear(); }

  Selection select(const ThreadViews& views, ThreadMask candidates) override {
    std::array<std::uint64_t, kMaxThreads> misses;
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for_each_thread(candidates, [&](unsigned t) {
      const Seen* const seen = std::as_const(table_).find(views.pc[t]);
      misses[t] = seen != nullptr ? seen->misses : 0;
      fewest = std::min(fewest, misses[t]);
    });
    const std::uint64_t most =
        fewest >= options_.ignore ? std::numeric_limits<std::uint64_t>::max() : fewest + options_.hysteresis;
    unsigned best = kMaxThreads;
    for_each_thread(candidates, [&](unsigned t) {
      if (misses[t] > most) return;
      if (best == kMaxThreads || views.depth[t] > views.depth[best] ||
          (views.depth[t] == views.depth[best] && views.pc[t] < views.pc[best]))
        best = t;
    });
    return run(views, best);
  }

  void executed(const ThreadViews& /*views*/, const Execution& what) override {
    Seen& seen = table_.at(what.pc);
    if ((seen.mask & what.mask) == 0) ++seen.misses;
    if (options_.decrement && seen.misses > 0 && seen.mask == what.mask) --seen.misses;
    seen.mask = what.mask;
  }

 private:
  struct Seen {
    ThreadMask mask = ~ThreadMask{0};
    std::uint64_t misses = 0;
  };
  DetectionOptions options_;
  PcTable<Seen> table_;
};

}  // namespace

std::unique_ptr<SelectionPolicy> make_detection(const DetectionOptions& options) {
  return std::make_unique<Detection>(options);
}

}  // namespace heddle::resync
