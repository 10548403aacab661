#include "generator/shrink.h"

#include <algorithm>

namespace heddle::generator {

namespace {

std::size_t nodes_in(const Block& block) {
  std::size_t count = 0;
  for (const Node& node : block) {
    ++count;
    for (const Block& inner : node.blocks) count += nodes_in(inner);
  }
  return count;
}

class Shrinker {
 public:
  Shrinker(const KernelTree& tree, const Fails& fails, unsigned attempts)
      : tree_(tree), fails_(fails), attempts_(attempts) {}

  KernelTree run() {
    bool changed = true;
    while (changed && attempts_ > 0) {
      changed = reduce_shape();
      changed |= reduce(tree_.body);
      // A call of a missing function does nothing, so functions may be removed from the end.
      while (!tree_.functions.empty() &&
             try_change(tree_.functions, [](std::vector<FunctionTree>& all) { all.pop_back(); }))
        changed = true;
      for (FunctionTree& function : tree_.functions) changed |= reduce(function.body);
    }
    return std::move(tree_);
  }

 private:
  bool still_fails() {
    if (attempts_ == 0) return false;
    --attempts_;
    return fails_(emit(tree_));
  }

  /// Keeps `change` if the failure persists, undoes it otherwise.
  template <class T, class Change>
  bool try_change(T& part, Change&& change) {
    const T before = part;
    change(part);
    if (still_fails()) return true;
    part = before;
    return false;
  }

  bool reduce_shape() {
    bool changed = false;
    while (tree_.shape.grid.x > 1 && try_change(tree_.shape, [](host::Launch& s) { s.grid.x /= 2; }))
      changed = true;
    if ((tree_.shape.block.y > 1 || tree_.shape.block.z > 1) && try_change(tree_.shape, [](host::Launch& s) {
          s.block = {static_cast<std::uint32_t>(s.block.count()), 1, 1};
        }))
      changed = true;
    // Full warps must remain full, since shuffles of the kernel may rely on it.
    const bool full_warps = tree_.shape.block.count() % 32 == 0;
    while (tree_.shape.block.x > 1 && (!full_warps || tree_.shape.block.x % 64 == 0) &&
           try_change(tree_.shape, [](host::Launch& shape) { shape.block.x /= 2; }))
      changed = true;
    return changed;
  }

  bool reduce(Block& block) {
    bool changed = remove_runs(block);
    for (std::size_t i = 0; i < block.size(); ++i) changed |= unwrap(block, i);
    for (Node& node : block) {
      if (node.conditions.size() > 1) changed |= try_change(node, [](Node& n) { n.conditions.pop_back(); });
      for (Block& inner : node.blocks) changed |= reduce(inner);
    }
    return changed;
  }

  /// Removes halves, quarters ... single statements.
  bool remove_runs(Block& block) {
    bool changed = false;
    for (std::size_t run = block.size(); run >= 1; run /= 2) {
      for (std::size_t at = 0; at + run <= block.size();) {
        const auto cut = [&](Block& b) {
          b.erase(b.begin() + static_cast<std::ptrdiff_t>(at),
                  b.begin() + static_cast<std::ptrdiff_t>(at + run));
        };
        if (try_change(block, cut))
          changed = true;
        else
          at += run;
      }
    }
    return changed;
  }

  /// Replaces a compound statement by the content of one of its blocks.
  bool unwrap(Block& block, std::size_t at) {
    for (std::size_t which = 0; which < block[at].blocks.size(); ++which) {
      const auto replace = [&](Block& b) {
        const Block content = b[at].blocks[which];
        b.erase(b.begin() + static_cast<std::ptrdiff_t>(at));
        b.insert(b.begin() + static_cast<std::ptrdiff_t>(at), content.begin(), content.end());
      };
      if (try_change(block, replace)) return true;
    }
    return false;
  }

  KernelTree tree_;
  const Fails& fails_;
  unsigned attempts_;
};

}  // namespace

KernelTree shrink(const KernelTree& tree, const Fails& fails, unsigned attempts) {
  return Shrinker(tree, fails, attempts).run();
}

std::size_t size_of(const KernelTree& tree) {
  std::size_t count = nodes_in(tree.body);
  for (const FunctionTree& function : tree.functions) count += nodes_in(function.body);
  return count;
}

}  // namespace heddle::generator
