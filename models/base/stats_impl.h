// The tree behind StatGroup, for its sources only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "base/stat_sums.h"
#include "base/stats.h"

namespace heddle::base {

/// What a group holds.
namespace stat_items {

/// Counters, or one maximum.
struct Counters {
  std::vector<std::string> labels;  ///< empty: one plain counter
  const std::uint64_t* values = nullptr;
  std::span<std::uint64_t> zero{};         ///< values at the last reset
  std::uint64_t* largest = nullptr;        ///< a maximum: what reset() sets to 0; then `zero` stays 0
  const std::uint64_t* instead = nullptr;  ///< values of other intervals, while these are written
  std::size_t at_value = 0;                ///< its place among all values of the tree

  [[nodiscard]] std::size_t size() const { return zero.size(); }
  [[nodiscard]] std::uint64_t at(std::size_t i) const {
    return instead != nullptr ? instead[i] : values[i] - zero[i];
  }
};

using Formula = std::function<double()>;
using Derived = std::function<std::uint64_t()>;
using Subgroup = std::unique_ptr<StatGroup>;

struct Item {
  std::string name;
  std::string unit;
  std::string description;
  std::variant<Counters, Formula, Derived, Subgroup> content;
};

}  // namespace stat_items

/// Numbers of a tree, in order of declaration behind each other: every launch goes through them.
class ZeroStore {
 public:
  /// Zeros; they stay where they are.
  [[nodiscard]] std::span<std::uint64_t> take(std::size_t count) {
    if (left_.size() < count) {
      blocks_.emplace_back(std::max(kBlock, count));
      left_ = blocks_.back();
    }
    const std::span<std::uint64_t> taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }

 private:
  static constexpr std::size_t kBlock = 4096;
  std::vector<std::vector<std::uint64_t>> blocks_;
  std::span<std::uint64_t> left_;  ///< of the last block
};

struct StatGroup::Impl {
  using Counters = stat_items::Counters;
  using Item = stat_items::Item;

  /// What every launch goes through, without the names around it.
  struct Flat {
    struct Span {
      const std::uint64_t* values;
      std::uint64_t* zero;
      std::uint64_t* largest;
      std::size_t size;
    };
    /// A counter and where it lies among all values.
    struct One {
      const std::uint64_t* value;
      std::uint64_t* zero;
      std::size_t index;
    };
    /// Some spans behind each other.
    struct Section {
      bool* changed = nullptr;         ///< of a group that seldom changes
      std::size_t begin = 0, end = 0;  ///< spans
      std::size_t index = 0;           ///< of its first value
      std::vector<One> otherwise;      ///< what changes all the same

      [[nodiscard]] std::span<const Span> of(const std::vector<Span>& all) const {
        return std::span(all).subspan(begin, end - begin);
      }
    };
    std::vector<Span> spans;        ///< of the subtree, in order of declaration; neighbours in memory are one
    std::vector<Section> sections;  ///< of all spans
    std::vector<const Impl*> settle;  ///< groups that want it
    std::size_t size = 0;             ///< values
    /// What matches the patterns that sum() was asked for.
    std::map<std::string, std::vector<std::pair<const Counters*, std::size_t>>> matched;
  };

  std::string name;
  std::string description;
  std::vector<Item> items;  ///< in order of declaration
  std::function<void()> settle;
  bool* changed_flag = nullptr;  ///< seldom_changes()
  std::vector<std::string> otherwise;
  Impl* parent = nullptr;
  std::shared_ptr<ZeroStore> zeros = std::make_shared<ZeroStore>();  ///< of the whole tree
  std::unique_ptr<Flat> flat;                                        ///< nullptr: to be made

  /// Something is declared here.
  void changed() {
    for (Impl* group = this; group != nullptr; group = group->parent) group->flat.reset();
  }

  [[nodiscard]] Flat& layout();
  [[nodiscard]] Flat& settled_layout();
  void settled() const {
    if (settle) settle();
  }

  /// Calls of_counter(counters, index) for every counter, and of_derived(function) for every derived number, whose path matches. `path` is
  /// never empty.
  template <class OfCounter, class OfDerived>
  void for_matching(std::string_view path, const OfCounter& of_counter, const OfDerived& of_derived) const;
  Item& add(const std::string& item_name, const std::string& unit, const std::string& text);
  [[nodiscard]] std::uint64_t sum(const std::string& pattern);
  void reset();
  void add_to(std::vector<std::uint64_t>& sum);
  void check_size(const std::vector<std::uint64_t>& values);

  // ---- Reports: stats_report.cpp

  struct Row {
    std::string path, value, unit, description;
  };
  [[nodiscard]] bool all_zero() const;
  /// Reads `values` instead of the counters; nullptr: the counters again. Returns what is left of them.
  const std::uint64_t* show(const std::uint64_t* values);
  [[nodiscard]] nlohmann::ordered_json to_json() const;
  void dictionary(const std::string& prefix, nlohmann::ordered_json& json,
                  std::unordered_set<std::string>& known) const;
  /// Of counters, maxima and derived numbers.
  void names(const StatName& prefix, bool every_unit, std::vector<StatName>& out) const;
  void rows(const std::string& prefix, std::vector<Row>& out) const;

 private:
  void collect(Flat& to);
  /// What is collected from now on belongs to another section.
  static void begin_section(Flat& to, bool* changed);
  /// core0, core1 ... are described once, as "core"; l2 without an l0 beside it keeps its name.
  [[nodiscard]] std::string dictionary_name(const Item& item) const;
};

}  // namespace heddle::base
