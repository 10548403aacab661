// What a selector knows of the threads that share a fetch unit, before each selection.
//
// Structure of arrays, one element per thread. What drives a selector - the replay of traces or a core's
// branch unit - keeps it up to date; selectors only read it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace heddle::resync {

/// Bit t: thread t.
using ThreadMask = std::uint64_t;
inline constexpr unsigned kMaxThreads = 64;

[[nodiscard]] constexpr ThreadMask bit(unsigned thread) { return ThreadMask{1} << thread; }
/// Threads 0 .. count-1.
[[nodiscard]] constexpr ThreadMask first_threads(unsigned count) {
  return count >= kMaxThreads ? ~ThreadMask{0} : bit(count) - 1;
}
[[nodiscard]] inline unsigned lowest(ThreadMask threads) {
  return static_cast<unsigned>(std::countr_zero(threads));
}
[[nodiscard]] inline unsigned count(ThreadMask threads) {
  return static_cast<unsigned>(std::popcount(threads));
}
template <class Fn>
void for_each_thread(ThreadMask threads, Fn&& fn) {
  for (; threads != 0; threads &= threads - 1) fn(lowest(threads));
}

/// Compiler marks at one PC ([Resync] §3.2.1): ids are unique within a function.
struct PostDominatorMarks {
  static constexpr std::uint32_t kNone = 0xffff'ffffu;
  std::uint32_t begin = kNone;      ///< this instruction is the branch `begin`
  std::vector<std::uint32_t> ends;  ///< this instruction begins the nearest post-dominator of these branches
};

struct ThreadViews {
  unsigned threads = 0;
  ThreadMask live = 0;         ///< neither finished nor parked at a barrier
  ThreadMask finished = 0;     ///< will never be live again
  ThreadMask block_begin = 0;  ///< its next instruction is the first one of a block that can be detected
  /// Its last instruction was a return, and its block has not ended since: it finishes a block that a call
  /// interrupted ([Resync] §3.2.3).
  ThreadMask after_return = 0;
  /// Threads execute together only at the same depth as well (POMP; [Resync:M1]). The thesis compares PCs
  /// alone.
  bool match_depth = false;

  alignas(64) std::array<std::uint64_t, kMaxThreads> pc{};     ///< next instruction
  alignas(64) std::array<std::uint64_t, kMaxThreads> depth{};  ///< bytes of stack in use: base - SP
  std::array<std::uint32_t, kMaxThreads> level{};              ///< activation records, counted by calls
  std::array<std::uint32_t, kMaxThreads> nesting{};            ///< nesting-depth register ([Resync] §3.2.2)
  std::array<std::uint32_t, kMaxThreads> priority{};  ///< of its block, for thread frontiers; larger first
  std::array<const PostDominatorMarks*, kMaxThreads> marks{};  ///< at its next instruction; null: none

  /// Threads of `among` that would execute with `reference` (the activation rule, [Resync:M1]).
  [[nodiscard]] ThreadMask together(unsigned reference, ThreadMask among) const {
    const std::uint64_t at = pc[reference];
    ThreadMask same = 0;
    for (unsigned t = 0; t < threads; ++t) same |= ThreadMask{pc[t] == at} << t;
    same &= among;
    if (match_depth) [[unlikely]]
      for_each_thread(same, [&](unsigned t) {
        if (depth[t] != depth[reference]) same &= ~bit(t);
      });
    return same;
  }
  /// All of them have one PC, and would execute together.
  [[nodiscard]] bool united(ThreadMask threads_of) const {
    return threads_of == 0 || together(lowest(threads_of), threads_of) == threads_of;
  }
};

}  // namespace heddle::resync
