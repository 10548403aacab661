#include "resync/longest_paths.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace heddle::resync {
namespace {

constexpr std::uint32_t kNoPath = 0;

class Paths {
 public:
  Paths(const std::vector<std::vector<std::uint32_t>>& successors, std::uint32_t exit)
      : successors_(successors), exit_(exit), length_(successors.size(), kNoPath) {}

  /// In reverse topological order; false: there is a cycle.
  bool acyclic() {
    std::vector<std::uint32_t> missing(successors_.size(), 0);
    std::vector<std::vector<std::uint32_t>> predecessors(successors_.size());
    std::vector<std::uint32_t> ready;
    for (std::uint32_t n = 0; n < successors_.size(); ++n) {
      for (const std::uint32_t to : successors_[n]) {
        if (to == exit_) continue;
        ++missing[n];
        predecessors[to].push_back(n);
      }
      if (missing[n] == 0) ready.push_back(n);
    }
    std::size_t done = 0;
    std::vector<std::uint32_t> length(successors_.size(), kNoPath);
    for (; done < ready.size(); ++done) {
      const std::uint32_t n = ready[done];
      std::uint32_t longest = 0;
      for (const std::uint32_t to : successors_[n])
        if (to != exit_) longest = std::max(longest, length[to]);
      length[n] = longest + 1;
      for (const std::uint32_t from : predecessors[n])
        if (--missing[from] == 0) ready.push_back(from);
    }
    if (done != successors_.size()) return false;
    length_ = std::move(length);
    return true;
  }

  /// All simple paths; false: there are too many.
  bool exhaustive() {
    constexpr std::size_t kMostNodes = 60, kMostSteps = 200'000;
    if (successors_.size() > kMostNodes) return false;
    std::vector<bool> on_path(successors_.size(), false);
    std::size_t steps = 0;
    for (std::uint32_t n = 0; n < successors_.size(); ++n) {
      length_[n] = deepest(n, on_path, steps, kMostSteps * (n + 1));
      if (steps > kMostSteps * (n + 1)) return false;
    }
    return true;
  }

  /// A tree of edges to the exits; a node moves below another one if its path grows and no cycle closes.
  void by_tree() {
    std::fill(length_.begin(), length_.end(), kNoPath);
    std::vector<std::uint32_t> parent(successors_.size(), exit_);
    std::vector<std::vector<std::uint32_t>> predecessors(successors_.size());
    std::vector<std::uint32_t> work;
    for (std::uint32_t n = 0; n < successors_.size(); ++n) {
      bool leaves = successors_[n].empty();
      for (const std::uint32_t to : successors_[n]) {
        if (to == exit_)
          leaves = true;
        else
          predecessors[to].push_back(n);
      }
      if (leaves) {
        length_[n] = 1;
        work.push_back(n);
      }
    }
    // Each move lengthens a path; the bound is for graphs on which that takes too long.
    for (std::size_t steps = 0; !work.empty() && steps < 64 * (successors_.size() + 16) * 16; ++steps) {
      const std::uint32_t at = work.back();
      work.pop_back();
      for (const std::uint32_t from : predecessors[at]) {
        if (length_[from] >= length_[at] + 1) continue;
        std::uint32_t up = at;
        while (up != exit_ && up != from) up = parent[up];
        if (up == from) continue;
        parent[from] = at;
        length_[from] = length_[at] + 1;
        work.push_back(from);
      }
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> take() {
    for (std::uint32_t& length : length_) length = std::max<std::uint32_t>(length, 1);
    return std::move(length_);
  }

 private:
  std::uint32_t deepest(std::uint32_t n, std::vector<bool>& on_path, std::size_t& steps, std::size_t most) {
    if (++steps > most) return kNoPath;
    std::uint32_t longest = kNoPath;
    if (successors_[n].empty()) longest = 1;
    on_path[n] = true;
    for (const std::uint32_t to : successors_[n]) {
      if (to == exit_) {
        longest = std::max<std::uint32_t>(longest, 1);
      } else if (!on_path[to]) {
        const std::uint32_t rest = deepest(to, on_path, steps, most);
        if (rest != kNoPath) longest = std::max(longest, rest + 1);
      }
    }
    on_path[n] = false;
    return longest;
  }

  const std::vector<std::vector<std::uint32_t>>& successors_;
  std::uint32_t exit_;
  std::vector<std::uint32_t> length_;
};

}  // namespace

std::vector<std::uint32_t> longest_paths(const std::vector<std::vector<std::uint32_t>>& successors,
                                         std::uint32_t exit, bool& approximated) {
  Paths paths(successors, exit);
  approximated = false;
  if (!paths.acyclic() && !paths.exhaustive()) {
    approximated = true;
    paths.by_tree();
  }
  return paths.take();
}

std::vector<std::uint32_t> function_paths(const std::vector<std::vector<std::uint32_t>>& successors) {
  constexpr std::uint32_t kExit = 0xffff'ffffu;
  const auto blocks = static_cast<std::uint32_t>(successors.size());
  // Parts that no edge connects; a part is named by its least block.
  std::vector<std::uint32_t> part(blocks);
  std::iota(part.begin(), part.end(), 0u);
  const auto name = [&](std::uint32_t block) {
    while (part[block] != block) block = part[block] = part[part[block]];
    return block;
  };
  for (std::uint32_t block = 0; block < blocks; ++block)
    for (const std::uint32_t to : successors[block])
      if (to != kExit) {
        const std::uint32_t one = name(block), other = name(to);
        part[std::max(one, other)] = std::min(one, other);
      }
  std::map<std::uint32_t, std::vector<std::uint32_t>> members;
  for (std::uint32_t block = 0; block < blocks; ++block) members[name(block)].push_back(block);
  std::vector<std::uint32_t> result(blocks), number(blocks);
  for (const auto& [first, of] : members) {
    for (std::uint32_t i = 0; i < of.size(); ++i) number[of[i]] = i;
    std::vector<std::vector<std::uint32_t>> edges(of.size());
    for (std::uint32_t i = 0; i < of.size(); ++i)
      for (const std::uint32_t to : successors[of[i]]) edges[i].push_back(to == kExit ? kExit : number[to]);
    bool approximated = false;
    const std::vector<std::uint32_t> lengths = longest_paths(edges, kExit, approximated);
    for (std::uint32_t i = 0; i < of.size(); ++i) result[of[i]] = lengths[i];
  }
  return result;
}

}  // namespace heddle::resync
