// Where threads are in the control flow of a kernel: execution indices (Xin, Sumner and Zhang, "Efficient program execution
// indexing", PLDI 2008). A region is what a thread executes between a branch and the branch's immediate post-dominator; its
// index names the branches around it, each with its outcome, outermost first. A warp in lockstep (PDOM) executes the
// instructions of one region together, one after the other, and reconverges where a region ends. So two threads of a warp
// need only their indices to say which of two instructions such a warp would execute first.
//
// Regions form a tree: those that threads share are one node. Each round of a loop lies within the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/ids.h"

namespace heddle::compaction {

class ExecutionIndex {
 public:
  using Region = std::uint32_t;
  static constexpr Region kKernel = 0;  ///< what depends on no branch
  static constexpr std::size_t kMostRegions = std::size_t{1} << 18;

  void clear();
  /// There are so many that they should be cleared.
  [[nodiscard]] bool full() const { return regions_.size() >= kMostRegions; }

  /// A thread of region `in` comes to `pc`: the regions that end there are left.
  [[nodiscard]] Region at(Region in, base::Pc pc) const {
    while (regions_[in].end == pc) in = regions_[in].parent;
    return in;
  }
  /// A branch, with what tells its sides apart.
  struct Branch {
    base::Pc pc{};
    base::Pc end = base::kNoPc;  ///< its immediate post-dominator
    bool by_data = false;        ///< a value that other threads may have written decides
  };
  [[nodiscard]] Region enter(Region in, const Branch& branch, std::uint64_t outcome);
  /// A function, which ends at leave_function().
  [[nodiscard]] Region enter_function(Region in, base::Pc call, bool by_data);
  [[nodiscard]] Region leave_function(Region in) const { return regions_[regions_[in].function].parent; }

  /// Two points of execution, seen from the innermost region that contains both.
  struct Meeting {
    base::Pc first{},
        second{};          ///< where that region's code has them, or the branch or call that leads to them
    bool by_data = false;  ///< such a value decides a branch in between
  };
  [[nodiscard]] Meeting meet(Region a, base::Pc pc_a, Region b, base::Pc pc_b) const;

 private:
  struct Node {
    Region parent = kKernel;
    Region function = kKernel;  ///< the call around it
    std::uint32_t depth = 0;
    base::Pc from{};  ///< branch or call
    base::Pc end = base::kNoPc;
    bool by_data = false;
  };
  struct Key {
    Region in = kKernel;
    base::Pc from{};
    std::uint64_t outcome = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  Region child(const Key& key, Node node);

  std::vector<Node> regions_{1};
  std::unordered_map<Key, Region, Hash> children_;
};

}  // namespace heddle::compaction
