// Threads that a branch has parted wait at its nearest post-dominator until all have come ([Resync] §3.2.1). A
// helper orders the others meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "resync/selection_policy.h"

namespace heddle::resync {

struct PostDominatorOptions {
  /// Only threads that the topmost entry still misses are chosen ([mmt-sync]); false: all that do not wait ([Resync]).
  bool top_only = false;
  /// A waiting thread executes with others that come to its PC, and waits no longer ([mmt-sync], [Resync:M1]).
  bool match_activates_waiters = true;
  /// Push at every marked branch ([mmt-sync]); false: where threads really part ([Resync:M5]).
  bool push_always = false;
  /// Entries; a divergence beyond is not pushed, which only loses its reconvergence. 0: as many as there are.
  unsigned entries = 0;
};

/// `helper` null: each path by itself, the least PC first (Fung): the paths of the topmost entry, one after the other.
[[nodiscard]] std::unique_ptr<SelectionPolicy> make_post_dominator(std::unique_ptr<SelectionPolicy> helper,
                                                                   const PostDominatorOptions& options);

/// The divergence buffer. Entries below the topmost one may be complete before it.
class DivergenceBuffer {
 public:
  struct Entry {
    std::uint32_t id = 0;
    std::uint32_t level = 0;  ///< of the function in which the threads parted
    ThreadMask members = 0;   ///< threads that executed the branch
    ThreadMask missing = 0;   ///< of these, those that have neither come nor ended
    ThreadMask waiting = 0;   ///< have come, and wait here
  };
  void clear() { *this = {}; }
  void push(std::uint32_t id, std::uint32_t level, ThreadMask members) {
    entries_.push_back({id, level, members, members, 0});
  }
  /// The thread has come to the post-dominator of `id` at `level`. Waits at the topmost entry that misses it.
  void arrive(std::uint32_t id, std::uint32_t level, unsigned thread);
  /// The threads wait nowhere; if they belong to an entry, it goes on without them.
  void forget(ThreadMask threads);
  /// They wait no longer, their entries stay.
  void resume(ThreadMask threads);
  /// Entries in which the thread waits end.
  void time_out(unsigned thread);
  [[nodiscard]] bool has(std::uint32_t id, std::uint32_t level, ThreadMask members) const;
  [[nodiscard]] ThreadMask waiting() const { return waiting_; }
  /// Members of the entries that have ended since the last call.
  [[nodiscard]] ThreadMask take_reunited() { return std::exchange(reunited_, 0); }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  /// Complete entries end.
  void settle();
  std::vector<Entry> entries_;  ///< topmost last
  ThreadMask waiting_ = 0;      ///< in any of them
  ThreadMask reunited_ = 0;
};

}  // namespace heddle::resync
