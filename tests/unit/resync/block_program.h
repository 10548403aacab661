// Programs as tables of blocks, and the traces of threads that walk through them ([Resync:W3]).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "resync/memory_trace.h"
#include "resync/selection_policy.h"

namespace heddle::resync::test {

struct Block {
  std::string name;
  std::uint64_t address = 0;
  unsigned instructions = 1;
  std::string end;                      ///< br, jmp, call, ret, or - where it falls through
  std::vector<std::string> successors;  ///< of a call: the callee, then where it comes back to
};

class BlockProgram {
 public:
  /// One block a line: "name address instructions end successors..."; `bases` are added to addresses like "F+2".
  BlockProgram(const std::string& table, const std::map<std::string, std::uint64_t>& bases = {});
  /// "A-D": D is the nearest post-dominator of the branch at the end of A. All of them, separated by spaces.
  void post_dominators(const std::string& pairs);
  /// Bytes that a block's stack is deeper than at its call; 8 for all otherwise ([Resync:W3]).
  void frame(const std::string& block, std::uint64_t bytes) { frames_[block] = bytes; }
  /// The trace of a thread that walks through these blocks, separated by spaces.
  [[nodiscard]] std::vector<TraceRecord> walk(const std::string& blocks) const;
  [[nodiscard]] std::uint64_t address(const std::string& block) const { return block_.at(block).address; }
  /// Fetches as the digest writes them: "A{01} D*10{0}".
  [[nodiscard]] std::string text(const std::vector<std::pair<std::uint64_t, ThreadMask>>& schedule) const;

 private:
  /// Blocks on the longest way to the function's end; a call does not split a block.
  [[nodiscard]] unsigned longest_path(const std::string& block, std::vector<std::string>& on_the_way) const;

  std::map<std::string, Block> block_;
  std::map<std::string, unsigned> priority_;
  std::map<std::string, std::uint64_t> frames_;
  std::map<std::string, std::unique_ptr<PostDominatorMarks>> at_begin_, at_end_;
};

/// What a policy made of the traces.
struct Outcome {
  std::uint64_t fetches = 0, cycles = 0, instructions = 0;
  std::vector<std::pair<std::uint64_t, ThreadMask>> schedule;
};
[[nodiscard]] Outcome replay(TraceSet& traces, SelectionPolicy& policy, bool match_depth = false);
[[nodiscard]] Outcome replay(TraceSet& traces, const std::string& policy, bool match_depth = false);

}  // namespace heddle::resync::test
