#include "hang/value_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace heddle::hang {
namespace {

/// A map in the values' order would compare them from their beginnings, which sets of counters have in common.
std::uint64_t hash_of(const std::vector<std::uint64_t>& values) {
  std::uint64_t hash = values.size();
  for (const std::uint64_t value : values) {
    hash = (hash ^ value) * 0x9e37'79b9'7f4a'7c15ull;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

ValueTable::ValueTable() { sets_.emplace_back(); }  // kAnyValue

Values ValueTable::one(std::uint64_t value) {
  const auto [entry, is_new] = ones_.try_emplace(value, static_cast<Values>(sets_.size()));
  if (is_new) sets_.push_back({value});
  return entry->second;
}

Values ValueTable::set(std::vector<std::uint64_t> values) {
  work_ += values.size();
  if (!std::is_sorted(values.begin(), values.end())) std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() == 1) return one(values.front());
  if (values.size() > kMostValues) return kAnyValue;
  std::vector<Values>& alike = larger_[hash_of(values)];
  for (const Values known : alike)
    if (sets_[known] == values) return known;
  alike.push_back(static_cast<Values>(sets_.size()));
  sets_.push_back(std::move(values));
  return alike.back();
}

Values ValueTable::sum(Values a, Values b, unsigned shift, std::size_t most) {
  if (!known(a) || !known(b) || size(a) * size(b) > most) return kAnyValue;
  std::vector<std::uint64_t> sums;
  for (const std::uint64_t first : of(a))
    for (const std::uint64_t second : of(b)) sums.push_back(first + (second << shift));
  return set(std::move(sums));
}

Values ValueTable::join(Values a, Values b) {
  if (a == b) return a;
  if (a == kAnyValue || b == kAnyValue) return kAnyValue;
  if (a > b) std::swap(a, b);
  constexpr unsigned kHalf = 32;
  const std::uint64_t key = (std::uint64_t{a} << kHalf) | b;
  if (const auto found = joins_.find(key); found != joins_.end()) return found->second;
  std::vector<std::uint64_t> both;
  std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                 std::back_inserter(both));
  const Values joined = set(std::move(both));
  joins_.emplace(key, joined);
  return joined;
}

std::span<const std::uint64_t> ValueTable::of(Values values) const { return sets_[values]; }

bool ValueTable::contains(Values values, std::uint64_t value) const {
  return values == kAnyValue || std::binary_search(sets_[values].begin(), sets_[values].end(), value);
}

}  // namespace heddle::hang
