#include "resync/fetch_history.h"

#include <algorithm>
#include <vector>

namespace heddle::resync {
namespace {

class FetchHistory final : public SelectionPolicy {
 public:
  FetchHistory(HistoryTie tie, unsigned entries) : tie_(tie), entries_(entries) {}

  void reset(unsigned threads) override {
    history_.assign(std::size_t{threads} * entries_, kEmpty);
    write_.assign(threads, 0);
    round_ = 0;
    running_ = kNobody;
  }

  void reconsider() override { running_ = kNobody; }

  Selection select(const ThreadViews& views, ThreadMask candidates) override {
    // Within a block the running group goes on; lanes that wait at its PC join.
    if (tie_ != HistoryTie::kInstruction && running_ != kNobody &&
        (candidates & bit(running_) & ~views.block_begin) != 0)
      return run(views, running_);
    round_ &= candidates;
    if (round_ == 0) round_ = best(views, candidates);
    running_ =
        tie_ == HistoryTie::kMinPc || tie_ == HistoryTie::kMinSp ? least(views, round_) : lowest(round_);
    const Selection chosen = run(views, running_);
    round_ = tie_ == HistoryTie::kMinPc || tie_ == HistoryTie::kMinSp ? 0 : round_ & ~chosen.mask;
    return chosen;
  }

  void executed(const ThreadViews& /*views*/, const Execution& what) override {
    if (tie_ != HistoryTie::kInstruction) round_ &= ~what.mask;  // absorbed on the way: it has had its turn
    for_each_thread(tie_ == HistoryTie::kInstruction ? what.mask : what.block_begin, [&](unsigned t) {
      history_[std::size_t{t} * entries_ + write_[t]] = what.pc;
      write_[t] = write_[t] + 1 == entries_ ? 0 : write_[t] + 1;
    });
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // no PC
  static constexpr unsigned kNobody = kMaxThreads;

  [[nodiscard]] bool has_been_at(unsigned thread, std::uint64_t pc) const {
    const std::uint64_t* const first = history_.data() + std::size_t{thread} * entries_;
    bool found = false;
    for (unsigned i = 0; i < entries_; ++i) found |= first[i] == pc;
    return found;
  }

  /// Candidates with most points.
  [[nodiscard]] ThreadMask best(const ThreadViews& views, ThreadMask candidates) const {
    ThreadMask best = 0;
    unsigned most = 0;
    for (ThreadMask rest = candidates; rest != 0;) {
      const unsigned first = lowest(rest);
      ThreadMask group = 0;
      for_each_thread(rest, [&](unsigned t) { group |= ThreadMask{views.pc[t] == views.pc[first]} << t; });
      rest &= ~group;
      if (group == candidates) return candidates;
      ThreadMask seen = 0;
      for_each_thread(views.live, [&](unsigned u) {
        if (has_been_at(u, views.pc[first])) seen |= bit(u);
      });
      for_each_thread(group, [&](unsigned t) {
        const unsigned points = count(seen & ~bit(t));
        if (points > most || best == 0) {
          most = points;
          best = bit(t);
        } else if (points == most) {
          best |= bit(t);
        }
      });
    }
    return best;
  }

  [[nodiscard]] unsigned least(const ThreadViews& views, ThreadMask among) const {
    unsigned best = lowest(among);
    for_each_thread(among, [&](unsigned t) {
      const bool deeper = views.depth[t] > views.depth[best];
      const bool as_deep = views.depth[t] == views.depth[best];
      const bool lower = views.pc[t] < views.pc[best];
      if (tie_ == HistoryTie::kMinPc ? lower : deeper || (as_deep && lower)) best = t;
    });
    return best;
  }

  HistoryTie tie_;
  unsigned entries_;
  std::vector<std::uint64_t> history_;  ///< by thread, then entry
  std::vector<unsigned> write_;         ///< by thread: its next entry
  ThreadMask round_ = 0;                ///< best ones that have not had their turn
  unsigned running_ = kNobody;
};

}  // namespace

std::unique_ptr<SelectionPolicy> make_fetch_history(HistoryTie tie, unsigned entries) {
  return std::make_unique<FetchHistory>(tie, std::max(1u, entries));
}

}  // namespace heddle::resync
