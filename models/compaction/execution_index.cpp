#include "compaction/execution_index.h"

namespace heddle::compaction {

using base::Pc;

std::size_t ExecutionIndex::Hash::operator()(const Key& key) const {
  constexpr std::uint64_t kOdd = 0x9e37'79b9'7f4a'7c15u;  // 2^64 / golden ratio: spreads neighbouring numbers
  std::uint64_t hash = (std::uint64_t{key.in} << 32 | key.from.value()) * kOdd;
  hash = (hash ^ hash >> 32 ^ key.outcome) * kOdd;
  return static_cast<std::size_t>(hash ^ hash >> 29);
}

void ExecutionIndex::clear() {
  regions_.assign(1, {});
  children_.clear();
}

ExecutionIndex::Region ExecutionIndex::child(const Key& key, Node node) {
  const auto [found, is_new] = children_.try_emplace(key, static_cast<Region>(regions_.size()));
  if (is_new) {
    node.parent = key.in;
    node.from = key.from;
    node.depth = regions_[key.in].depth + 1;
    regions_.push_back(node);
  }
  return found->second;
}

ExecutionIndex::Region ExecutionIndex::enter(Region in, const Branch& branch, std::uint64_t outcome) {
  return child({in, branch.pc, outcome}, {kKernel, regions_[in].function, 0, {}, branch.end, branch.by_data});
}

ExecutionIndex::Region ExecutionIndex::enter_function(Region in, Pc call, bool by_data) {
  const Region function = child({in, call, 0}, {kKernel, kKernel, 0, {}, base::kNoPc, by_data});
  regions_[function].function = function;
  return function;
}

ExecutionIndex::Meeting ExecutionIndex::meet(Region a, Pc pc_a, Region b, Pc pc_b) const {
  Meeting meeting{pc_a, pc_b, false};
  const auto leave = [&](Region& region, Pc& pc) {
    pc = regions_[region].from;
    meeting.by_data |= regions_[region].by_data;
    region = regions_[region].parent;
  };
  while (a != b)
    if (regions_[a].depth >= regions_[b].depth)
      leave(a, meeting.first);
    else
      leave(b, meeting.second);
  return meeting;
}

}  // namespace heddle::compaction
