#include "resync/round_robin.h"

namespace heddle::resync {
namespace {

/// The first of `among` at or behind `from`, cyclic.
unsigned next_thread(ThreadMask among, unsigned from) {
  const ThreadMask behind = from >= kMaxThreads ? 0 : among & ~first_threads(from);
  return lowest(behind != 0 ? behind : among);
}

class RoundRobin final : public SelectionPolicy {
 public:
  void reset(unsigned /*threads*/) override { next_ = 0; }
  [[nodiscard]] bool listens() const override { return false; }
  [[nodiscard]] bool shares() const override { return false; }
  Selection select(const ThreadViews& views, ThreadMask candidates) override {
    const unsigned chosen = next_thread(candidates, next_);
    next_ = chosen + 1;
    return {views.pc[chosen], bit(chosen), chosen};
  }

 private:
  unsigned next_ = 0;
};

class RoundRobinSharing final : public SelectionPolicy {
 public:
  void reset(unsigned /*threads*/) override {
    next_ = 0;
    served_ = 0;
  }
  Selection select(const ThreadViews& views, ThreadMask candidates) override {
    if ((candidates & ~served_) == 0) served_ = 0;
    const unsigned chosen = next_thread(candidates & ~served_, next_);
    next_ = chosen + 1;
    return run(views, chosen);
  }
  void executed(const ThreadViews& /*views*/, const Execution& what) override { served_ |= what.mask; }

 private:
  unsigned next_ = 0;
  ThreadMask served_ = 0;
};

}  // namespace

std::unique_ptr<SelectionPolicy> make_round_robin() { return std::make_unique<RoundRobin>(); }
std::unique_ptr<SelectionPolicy> make_round_robin_sharing() { return std::make_unique<RoundRobinSharing>(); }

}  // namespace heddle::resync
