#include "resync/selection_rules.h"

#include <algorithm>
#include <array>
#include <limits>

namespace heddle::resync {
namespace {

constexpr unsigned kNobody = kMaxThreads;

class ByBlocks final : public SelectionPolicy {
 public:
  explicit ByBlocks(std::unique_ptr<SelectionPolicy> policy) : policy_(std::move(policy)) {}
  void reset(unsigned threads) override {
    running_ = kNobody;
    policy_->reset(threads);
  }
  Selection select(const ThreadViews& views, ThreadMask candidates) override {
    if (running_ != kNobody && (candidates & bit(running_) & ~views.block_begin) != 0)
      return policy_->shares() ? run(views, running_)
                               : Selection{views.pc[running_], bit(running_), running_};
    const Selection chosen = policy_->select(views, candidates);
    running_ = chosen.reference;
    return chosen;
  }
  void executed(const ThreadViews& views, const Execution& what) override { policy_->executed(views, what); }
  [[nodiscard]] bool listens() const override { return policy_->listens(); }
  [[nodiscard]] bool uses_marks() const override { return policy_->uses_marks(); }
  [[nodiscard]] bool marks_begin_blocks() const override { return policy_->marks_begin_blocks(); }
  [[nodiscard]] bool shares() const override { return policy_->shares(); }
  void reconsider() override {
    running_ = kNobody;
    policy_->reconsider();
  }
  void overruled(unsigned thread) override {
    running_ = kNobody;
    policy_->overruled(thread);
  }

 private:
  std::unique_ptr<SelectionPolicy> policy_;
  unsigned running_ = kNobody;
};

class Aging final : public SelectionPolicy {
 public:
  Aging(std::unique_ptr<SelectionPolicy> policy, std::uint64_t selections, std::uint64_t* served)
      : policy_(std::move(policy)), limit_(selections), count_(served) {}
  void reset(unsigned threads) override {
    served_.fill(0);
    now_ = 0;
    look_at_ = limit_;
    live_ = first_threads(threads);
    favoured_ = kNobody;
    policy_->reset(threads);
  }
  Selection select(const ThreadViews& views, ThreadMask candidates) override {
    ++now_;
    if (favoured_ != kNobody && (candidates & bit(favoured_) & ~views.block_begin) != 0)
      return run(views, favoured_);
    favoured_ = kNobody;
    if (now_ > look_at_ && oldest(candidates)) {
      policy_->overruled(favoured_);
      if (count_ != nullptr) ++*count_;
      return run(views, favoured_);
    }
    return policy_->select(views, candidates);
  }
  void executed(const ThreadViews& views, const Execution& what) override {
    for_each_thread(what.mask, [&](unsigned t) { served_[t] = now_; });
    if (views.live != live_) {
      // Those that have not been live have not been passed over.
      for_each_thread(views.live & ~live_, [&](unsigned t) { served_[t] = now_; });
      live_ = views.live;
    }
    if (policy_->listens()) policy_->executed(views, what);
  }
  [[nodiscard]] bool uses_marks() const override { return policy_->uses_marks(); }
  [[nodiscard]] bool marks_begin_blocks() const override { return policy_->marks_begin_blocks(); }
  [[nodiscard]] bool shares() const override { return policy_->shares(); }
  void reconsider() override { policy_->reconsider(); }
  void overruled(unsigned thread) override { policy_->overruled(thread); }

 private:
  /// Finds the thread that has waited longest, if it has waited too long; otherwise when one will have.
  bool oldest(ThreadMask candidates) {
    unsigned oldest = lowest(candidates);
    for_each_thread(candidates, [&](unsigned t) {
      if (served_[t] < served_[oldest]) oldest = t;
    });
    look_at_ = served_[oldest] + limit_;
    if (now_ <= look_at_) return false;
    favoured_ = oldest;
    look_at_ = now_;
    return true;
  }

  std::unique_ptr<SelectionPolicy> policy_;
  std::uint64_t limit_;
  std::uint64_t* count_;
  std::array<std::uint64_t, kMaxThreads> served_{};  ///< by thread: the selection that served it last
  std::uint64_t now_ = 0;
  std::uint64_t look_at_ = 0;  ///< nobody has waited too long before
  ThreadMask live_ = 0;
  unsigned favoured_ = kNobody;
};

}  // namespace

std::unique_ptr<SelectionPolicy> by_blocks(std::unique_ptr<SelectionPolicy> policy) {
  return std::make_unique<ByBlocks>(std::move(policy));
}
std::unique_ptr<SelectionPolicy> with_aging(std::unique_ptr<SelectionPolicy> policy, std::uint64_t selections,
                                            std::uint64_t* served) {
  return std::make_unique<Aging>(std::move(policy), selections, served);
}

}  // namespace heddle::resync
