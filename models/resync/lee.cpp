#include "resync/lee.h"

#include <algorithm>
#include <vector>

namespace heddle::resync {
namespace {

class Lee final : public SelectionPolicy {
 public:
  explicit Lee(bool function_stack) : function_stack_(function_stack) {}

  void reset(unsigned threads) override {
    frames_.assign(1, {first_threads(threads), 0, first_threads(threads)});
  }

  Selection select(const ThreadViews& views, ThreadMask candidates) override {
    Lists& top = top_for(candidates);
    if ((top.current & candidates) == 0) std::swap(top.current, top.future);
    ThreadMask among = top.current & candidates;
    if (among == 0)
      among = candidates;  // none of the lists' threads may run: PDom's waiting ones, for instance
    unsigned best = lowest(among);
    for_each_thread(among, [&](unsigned t) {
      if (views.pc[t] < views.pc[best]) best = t;
    });
    return run(views, best);
  }

  void executed(const ThreadViews& views, const Execution& what) override {
    ThreadMask running = what.mask;
    if (function_stack_) {
      Lists& top = frames_.back();
      const ThreadMask back = top.future & what.mask;
      top.future &= ~back;
      top.current |= back;
      if (what.called != 0) frames_.push_back({what.called, 0, what.called});
      if (what.returned != 0) leave(what.returned);
    }
    if (views.finished != 0) drop(views.finished);
    if (!what.branch) return;
    running &= ~views.finished;
    ThreadMask backward = 0;
    for_each_thread(running, [&](unsigned t) {
      if (views.pc[t] < what.pc) backward |= bit(t);
    });
    // Each in the innermost pair that it is in.
    for (std::size_t i = frames_.size(); i-- > 0 && backward != 0;) {
      const ThreadMask here = backward & frames_[i].callers;
      frames_[i].current &= ~here;
      frames_[i].future |= here;
      backward &= ~here;
    }
  }

 private:
  struct Lists {
    ThreadMask current = 0;
    ThreadMask future = 0;
    ThreadMask callers = 0;  ///< whose return ends the pair
  };

  /// The innermost pair that has threads which may run.
  Lists& top_for(ThreadMask candidates) {
    for (std::size_t i = frames_.size(); i-- > 1;)
      if (((frames_[i].current | frames_[i].future) & candidates) != 0) return frames_[i];
    return frames_.front();
  }
  /// They have left the innermost function that each of them is in.
  void leave(ThreadMask threads) {
    for (std::size_t i = frames_.size(); i-- > 1 && threads != 0;) {
      const ThreadMask here = threads & frames_[i].callers;
      remove(frames_[i], here);
      threads &= ~here;
    }
    forget_empty();
  }
  void drop(ThreadMask finished) {
    for (Lists& lists : frames_) remove(lists, finished);
    forget_empty();
  }
  static void remove(Lists& lists, ThreadMask threads) {
    lists.current &= ~threads;
    lists.future &= ~threads;
    lists.callers &= ~threads;
  }
  void forget_empty() {
    frames_.erase(
        std::remove_if(frames_.begin() + 1, frames_.end(), [](const Lists& l) { return l.callers == 0; }),
        frames_.end());
  }

  bool function_stack_;
  std::vector<Lists> frames_;  ///< innermost last
};

}  // namespace

std::unique_ptr<SelectionPolicy> make_lee(bool function_stack) {
  return std::make_unique<Lee>(function_stack);
}

}  // namespace heddle::resync
