// Random programs - functions of blocks with branches, loops, calls, joins that hardware cannot detect - and the traces
// of threads that walk through them.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "resync/trace.h"

namespace heddle::resync::test {

struct RandomShape {
  unsigned threads = 4;
  unsigned functions = 3;           ///< 1: no calls
  unsigned instructions = 60;       ///< of a thread, about
  bool equal_frames = true;         ///< SP changes at calls and returns only, by the same amount
  bool reverse_priorities = false;  ///< a block's priority falls with its address; otherwise it is random
  bool barriers = false;
};

class RandomTraces {
 public:
  RandomTraces(std::uint64_t seed, const RandomShape& shape);
  [[nodiscard]] const std::vector<std::vector<TraceRecord>>& traces() const { return traces_; }

 private:
  enum class End : std::uint8_t { kFall, kBranch, kJump, kCall, kReturn };
  struct Block {
    std::uint64_t address = 0;
    unsigned instructions = 1;
    End end = End::kFall;
    std::size_t target = 0;  ///< block of the same function; kCall: function
    std::uint32_t priority = 0;
    std::unique_ptr<PostDominatorMarks> begin_marks, end_marks;
  };
  struct Function {
    std::vector<Block> blocks;
  };
  unsigned pick(unsigned most) { return static_cast<unsigned>(random_() % (most + 1)); }
  void walk(std::size_t function, std::uint64_t depth, unsigned nested, std::vector<TraceRecord>& trace);

  std::mt19937_64 random_;
  RandomShape shape_;
  std::vector<Function> functions_;
  std::vector<std::vector<TraceRecord>> traces_;
  bool begins_ = true;
};

}  // namespace heddle::resync::test
