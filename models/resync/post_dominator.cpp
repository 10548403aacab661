#include "resync/post_dominator.h"

#include <algorithm>

#include "resync/groups_by_pc.h"

namespace heddle::resync {

void DivergenceBuffer::arrive(std::uint32_t id, std::uint32_t level, unsigned thread) {
  for (std::size_t i = entries_.size(); i-- > 0;) {
    Entry& entry = entries_[i];
    if (entry.id != id || entry.level != level || (entry.missing & bit(thread)) == 0) continue;
    entry.missing &= ~bit(thread);
    entry.waiting |= bit(thread);
    waiting_ |= bit(thread);
    settle();
    return;
  }
}

void DivergenceBuffer::settle() {
  std::erase_if(entries_, [this](const Entry& entry) {
    if (entry.missing != 0) return false;
    reunited_ |= entry.members;
    return true;
  });
  waiting_ = 0;
  for (const Entry& entry : entries_) waiting_ |= entry.waiting;
}

void DivergenceBuffer::forget(ThreadMask threads) {
  for (Entry& entry : entries_) {
    entry.members &= ~threads;
    entry.missing &= ~threads;
    entry.waiting &= ~threads;
  }
  settle();
}

void DivergenceBuffer::resume(ThreadMask threads) {
  for (Entry& entry : entries_) entry.waiting &= ~threads;
  waiting_ &= ~threads;
}

void DivergenceBuffer::time_out(unsigned thread) {
  if ((waiting_ & bit(thread)) == 0) return;
  std::erase_if(entries_, [&](const Entry& entry) { return (entry.waiting & bit(thread)) != 0; });
  settle();
}

bool DivergenceBuffer::has(std::uint32_t id, std::uint32_t level, ThreadMask members) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.id == id && entry.level == level && (members & ~entry.members) == 0;
  });
}

namespace {

class PostDominator final : public SelectionPolicy {
 public:
  PostDominator(std::unique_ptr<SelectionPolicy> helper, const PostDominatorOptions& options)
      : helper_(std::move(helper)), options_(options) {}

  void reset(unsigned threads) override {
    buffer_.clear();
    arrived_ = first_threads(threads);
    paths_.clear();
    if (helper_) helper_->reset(threads);
  }
  [[nodiscard]] bool uses_marks() const override { return true; }
  [[nodiscard]] bool marks_begin_blocks() const override { return true; }

  Selection select(const ThreadViews& views, ThreadMask candidates) override {
    for_each_thread(arrived_ & views.live, [&](unsigned t) {
      if (views.marks[t] == nullptr) return;
      for (const std::uint32_t id : views.marks[t]->ends) buffer_.arrive(id, views.level[t], t);
    });
    arrived_ &= ~views.live;
    const ThreadMask free = candidates & ~buffer_.waiting();
    // Nobody may run where waiting ones wait for threads at a program barrier, for instance: then the entries give way.
    const ThreadMask among = free == 0 ? candidates : narrowed(free);
    Selection chosen = helper_ ? helper_->select(views, among) : serial(views, among);
    if (!options_.match_activates_waiters && free != 0) chosen.mask &= ~buffer_.waiting();
    return chosen;
  }

  void executed(const ThreadViews& views, const Execution& what) override {
    buffer_.resume(what.mask);
    arrived_ |= what.mask;
    if (views.finished != 0) buffer_.forget(views.finished);
    if (what.marks != nullptr && what.marks->begin != PostDominatorMarks::kNone)
      diverge(views, what.marks->begin, what.mask & ~views.finished, what.called);
    if (helper_ && helper_->listens()) helper_->executed(views, what);
  }

  void reconsider() override {
    if (helper_) helper_->reconsider();
  }
  void overruled(unsigned thread) override {
    buffer_.time_out(thread);
    if (helper_) helper_->overruled(thread);
  }

 private:
  /// [mmt-sync]: threads that the topmost entry misses, if there are any among them.
  [[nodiscard]] ThreadMask narrowed(ThreadMask free) const {
    if (!options_.top_only && helper_) return free;
    const auto& entries = buffer_.entries();
    for (std::size_t i = entries.size(); i-- > 0;)
      if ((entries[i].missing & free) != 0) return entries[i].missing & free;
    return free;
  }

  /// Fung: a stack of paths; the topmost one runs, by itself even if others are at its PC.
  Selection serial(const ThreadViews& views, ThreadMask among) {
    const ThreadMask gone = views.finished | buffer_.take_reunited() | (buffer_.waiting() & ~among);
    ThreadMask known = 0;
    for (ThreadMask& path : paths_) {
      path &= ~gone;
      known |= path;
    }
    if ((among & ~known) != 0) paths_.push_back(among & ~known);  // those that have met
    std::erase(paths_, ThreadMask{0});
    std::size_t at = paths_.size() - 1;
    while ((paths_[at] & among) == 0) --at;  // somebody can run
    const ThreadMask path = paths_[at] & among;
    if (!views.united(path)) {
      paths_[at] &= ~path;
      const PcGroups sides(views, path);
      for (unsigned i = sides.count; i-- > 0;) paths_.push_back(sides.group[i].mask);
      return {sides.group[0].pc, sides.group[0].mask, lowest(sides.group[0].mask)};
    }
    return {views.pc[lowest(path)], path, lowest(path)};
  }

  /// Threads of one level are parted by themselves: recursion is another activation of the function. An indirect
  /// call parts threads until it has returned, at the level of the caller.
  void diverge(const ThreadViews& views, std::uint32_t id, ThreadMask active, ThreadMask called) {
    const auto level_of = [&](unsigned t) {
      return views.level[t] - static_cast<std::uint32_t>(called >> t & 1);
    };
    for (ThreadMask rest = active; rest != 0;) {
      const std::uint32_t level = level_of(lowest(rest));
      ThreadMask group = 0;
      for_each_thread(rest, [&](unsigned t) { group |= ThreadMask{level_of(t) == level} << t; });
      rest &= ~group;
      if (!options_.push_always && views.united(group)) continue;
      if (buffer_.has(id, level, group)) continue;  // a loop's exit test, executed again
      if (options_.entries != 0 && buffer_.entries().size() >= options_.entries) continue;
      buffer_.push(id, level, group);
    }
  }

  std::unique_ptr<SelectionPolicy> helper_;
  PostDominatorOptions options_;
  DivergenceBuffer buffer_;
  ThreadMask arrived_ = 0;         ///< threads whose PC is new
  std::vector<ThreadMask> paths_;  ///< without a helper: topmost last
};

}  // namespace

std::unique_ptr<SelectionPolicy> make_post_dominator(std::unique_ptr<SelectionPolicy> helper,
                                                     const PostDominatorOptions& options) {
  return std::make_unique<PostDominator>(std::move(helper), options);
}

}  // namespace heddle::resync
