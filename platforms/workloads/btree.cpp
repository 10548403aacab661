#include <algorithm>
#include <array>
#include <map>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::btree {

namespace {

constexpr std::size_t kKeys = 16;  // kBtreeKeys in btree.cu

struct Shape {
  std::uint32_t keys, finds, ranges, span;  // span: largest difference between a range's ends
};

struct Node {  // BtreeNode in btree.cu
  std::int32_t keys, leaf;
  std::array<std::int32_t, kKeys> key;
  std::array<std::int32_t, kKeys + 1> link;
};
static_assert(sizeof(Node) == 4 * (2 + kKeys + kKeys + 1));

using Map = std::map<std::int32_t, std::int32_t>;

/// Filled from the left, leaves two thirds full, the root last.
std::vector<Node> tree_of(const Map& values) {
  std::vector<Node> nodes;
  std::vector<std::pair<std::int32_t, std::int32_t>> level;  // smallest key below a node, the node
  for (auto at = values.begin(); at != values.end();) {
    Node leaf{0, 1, {}, {}};
    const std::int32_t least = at->first;
    for (std::size_t i = 0; i < 11 && at != values.end(); ++i, ++at) {
      leaf.key[i] = at->first;
      leaf.link[i] = at->second;
      ++leaf.keys;
    }
    level.emplace_back(least, static_cast<std::int32_t>(nodes.size()));
    leaf.link[kKeys] = at == values.end() ? -1 : static_cast<std::int32_t>(nodes.size()) + 1;
    nodes.push_back(leaf);
  }
  while (level.size() > 1) {
    std::vector<std::pair<std::int32_t, std::int32_t>> above;
    for (std::size_t at = 0; at < level.size();) {
      Node inner{-1, 0, {}, {}};  // one key less than children
      above.emplace_back(level[at].first, static_cast<std::int32_t>(nodes.size()));
      for (std::size_t i = 0; i <= kKeys && at < level.size(); ++i, ++at) {
        if (i > 0) inner.key[i - 1] = level[at].first;
        inner.link[i] = level[at].second;
        ++inner.keys;
      }
      nodes.push_back(inner);
    }
    level = above;
  }
  return nodes;
}

Verdict run(host::Device& device, const Options& options) {
  // Paper: Rodinia's million keys and 10 000 queries.
  const Shape s = pick(options.size, Shape{600, 24, 150, 100}, Shape{20'000, 600, 4'000, 300},
                       Shape{1'000'000, 10'000, 6'000, 1'000});
  Random random(options.seed);
  const std::uint32_t range = 4 * s.keys;
  Map values;
  while (values.size() < s.keys)
    values.emplace(static_cast<std::int32_t>(random.below(range)),
                   static_cast<std::int32_t>(random.below(10'000)));
  const std::vector<Node> nodes = tree_of(values);
  std::vector<std::int32_t> query(s.finds), low(s.ranges), high(s.ranges);
  for (std::int32_t& q : query) {  // half of them present
    q = static_cast<std::int32_t>(random.below(range));
    const auto next = values.lower_bound(q);
    if (random.below(2) == 0 && next != values.end()) q = next->first;
  }
  for (std::size_t i = 0; i < s.ranges; ++i) {
    low[i] = static_cast<std::int32_t>(random.below(range));
    high[i] = low[i] + static_cast<std::int32_t>(random.below(s.span));
  }

  const auto module = device.load_ptx_file(module_path("btree", options));
  const auto nodes_d = device.upload(nodes, "nodes"), query_d = device.upload(query, "query"),
             low_d = device.upload(low, "low"), high_d = device.upload(high, "high");
  const auto value_d = device.allocate(s.finds * sizeof(std::int32_t), "value");
  const auto count_d = device.allocate(s.ranges * sizeof(std::int32_t), "count");
  const auto sum_d = device.allocate(s.ranges * sizeof(std::int32_t), "sum");
  const auto root = static_cast<std::uint32_t>(nodes.size() - 1);
  device.launch(module, "btree_find", grid(s.finds, kKeys),
                host::Args().add(nodes_d).add(root).add(query_d).add(value_d));
  device.launch(
      module, "btree_range", cover(s.ranges, 128),
      host::Args().add(nodes_d).add(root).add(low_d).add(high_d).add(s.ranges).add(count_d).add(sum_d));

  std::vector<std::int32_t> value(s.finds), count(s.ranges, 0), sum(s.ranges, 0);
  for (std::size_t i = 0; i < s.finds; ++i) {
    const auto found = values.find(query[i]);
    value[i] = found == values.end() ? -1 : found->second;
  }
  for (std::size_t i = 0; i < s.ranges; ++i)
    for (auto at = values.lower_bound(low[i]); at != values.end() && at->first <= high[i]; ++at) {
      ++count[i];
      sum[i] += at->second;
    }
  return combine({compare("value", device.download<std::int32_t>(value_d, s.finds), value),
                  compare("count", device.download<std::int32_t>(count_d, s.ranges), count),
                  compare("sum", device.download<std::int32_t>(sum_d, s.ranges), sum)});
}

}  // namespace

Workload btree() {
  return {.name = "btree",
          .description = "searches in a B+ tree: a CTA a key, and a thread a range of keys",
          .stresses =
              "pointer chasing, barriers in half-empty warps, loops of uneven length over scattered nodes",
          .source = "btree.cu",
          .run = run};
}

}  // namespace heddle::workloads::btree
