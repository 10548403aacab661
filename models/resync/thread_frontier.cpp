#include "resync/thread_frontier.h"

#include <limits>
#include <tuple>

namespace heddle::resync {
namespace {

class ThreadFrontier final : public SelectionPolicy {
 public:
  explicit ThreadFrontier(FrontierTie tie) : tie_(tie) {}

  void reset(unsigned /*threads*/) override {
    round_ = 0;
    running_ = kNobody;
  }

  [[nodiscard]] bool uses_marks() const override { return true; }
  [[nodiscard]] bool marks_begin_blocks() const override { return true; }

  void reconsider() override { running_ = kNobody; }

  Selection select(const ThreadViews& views, ThreadMask candidates) override {
    if (tie_ != FrontierTie::kInstructions && running_ != kNobody &&
        (candidates & bit(running_) & ~views.block_begin) != 0)
      return run(views, running_);
    round_ &= candidates;
    if (tie_ == FrontierTie::kInstructions) {
      // The tied blocks are run to their ends, alternating, before the next choice.
      if ((round_ & ~served_) == 0) served_ = 0;
      if ((round_ & views.block_begin & ~fresh_) != 0) round_ &= ~(views.block_begin & ~fresh_);
    }
    if (round_ == 0) {
      round_ = fresh_ = highest(views, candidates);
      served_ = 0;
    }
    running_ = lowest((round_ & ~served_) != 0 ? round_ & ~served_ : round_);
    return run(views, running_);
  }

  void executed(const ThreadViews& /*views*/, const Execution& what) override {
    fresh_ &= ~what.mask;
    if (tie_ == FrontierTie::kInstructions)
      served_ |= what.mask;
    else
      round_ &= ~what.mask;
  }

 private:
  static constexpr unsigned kNobody = kMaxThreads;
  /// A block that a call interrupted goes first at its level: the activation is complete before another begins.
  static std::tuple<std::uint32_t, std::uint32_t> key(const ThreadViews& views, unsigned t) {
    const bool resumes = (views.after_return & bit(t)) != 0;
    return {views.level[t], resumes ? std::numeric_limits<std::uint32_t>::max() : views.priority[t]};
  }
  [[nodiscard]] ThreadMask highest(const ThreadViews& views, ThreadMask candidates) const {
    unsigned first = lowest(candidates);
    ThreadMask best = bit(first);
    for_each_thread(candidates & ~best, [&](unsigned t) {
      const auto one = key(views, t), other = key(views, first);
      const bool lower_pc = views.pc[t] < views.pc[first];
      if (one > other || (one == other && tie_ == FrontierTie::kLeastPc && lower_pc)) {
        first = t;
        best = bit(t);
      } else if (one == other && tie_ != FrontierTie::kLeastPc) {
        best |= bit(t);
      }
    });
    return best;
  }

  FrontierTie tie_;
  unsigned running_ = kNobody;
  ThreadMask round_ = 0;   ///< tied threads whose block has not been run
  ThreadMask fresh_ = 0;   ///< kInstructions: of these, those that have not begun it
  ThreadMask served_ = 0;  ///< kInstructions: have had an instruction in this turn
};

}  // namespace

std::unique_ptr<SelectionPolicy> make_thread_frontier(FrontierTie tie) {
  return std::make_unique<ThreadFrontier>(tie);
}

}  // namespace heddle::resync
