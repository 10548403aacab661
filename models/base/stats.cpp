#include "base/stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string_view>
#include <variant>

namespace heddle::base {

/// What a group holds. Not in the unnamed namespace, since StatGroup::Impl is not either.
namespace stat_items {

/// Counters, or one maximum.
struct Counters {
  std::vector<std::string> labels;  ///< empty: one plain counter
  const std::uint64_t* values = nullptr;
  std::vector<std::uint64_t> zero;         ///< values at the last reset
  std::uint64_t* largest = nullptr;        ///< a maximum: what reset() sets to 0; then `zero` stays 0
  const std::uint64_t* instead = nullptr;  ///< values of other intervals, while these are written

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

using stat_items::Counters;
using stat_items::Derived;
using stat_items::Formula;
using stat_items::Item;
using stat_items::Subgroup;

namespace {

/// '*' stands for any run of characters.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

struct SplitPath {
  std::string_view first;
  std::string_view rest;  ///< empty: `first` was the last element
};

SplitPath split(std::string_view path) {
  const auto dot = path.find('.');
  if (dot == std::string_view::npos) return {path, {}};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

std::string stem_of(const std::string& name) {
  const auto last = name.find_last_not_of("0123456789");
  return last == std::string::npos ? name : name.substr(0, last + 1);
}

std::string value_text(double value) {
  if (value != value) return "-";  // 0 / 0: nothing was measured
  return fmt::format("{:.4f}", value);
}

struct Row {
  std::string path, value, unit, description;
};

}  // namespace

struct StatGroup::Impl {
  /// What every launch goes through, without the names around it.
  struct Flat {
    struct Span {
      const std::uint64_t* values;
      std::uint64_t* zero;
      std::uint64_t* largest;
      std::size_t size;
    };
    std::vector<Span> spans;          ///< of the subtree, in order of declaration
    std::vector<const Impl*> settle;  ///< groups that want it
    std::size_t size = 0;             ///< values
    /// What matches the patterns that sum() was asked for.
    std::map<std::string, std::vector<std::pair<const Counters*, std::size_t>>> matched;
  };

  std::string name;
  std::string description;
  std::vector<Item> items;  ///< in order of declaration
  std::function<void()> settle;
  Impl* parent = nullptr;
  std::unique_ptr<Flat> flat;  ///< nullptr: to be made

  /// Something is declared here.
  void changed() {
    for (Impl* group = this; group != nullptr; group = group->parent) group->flat.reset();
  }

  void collect(Flat& to) {
    if (settle) to.settle.push_back(this);
    for (Item& item : items) {
      if (const auto* group = std::get_if<Subgroup>(&item.content)) {
        (*group)->impl_->collect(to);
      } else if (auto* counters = std::get_if<Counters>(&item.content)) {
        to.spans.push_back({counters->values, counters->zero.data(), counters->largest, counters->size()});
        to.size += counters->size();
      }
    }
  }

  Flat& layout() {
    if (flat == nullptr) {
      auto made = std::make_unique<Flat>();
      collect(*made);
      flat = std::move(made);
    }
    return *flat;
  }

  Flat& settled_layout() {
    Flat& all = layout();
    for (const Impl* group : all.settle) group->settle();
    return all;
  }

  void settled() const {
    if (settle) settle();
  }

  Item& add(const std::string& item_name, const std::string& unit, const std::string& text) {
    if (item_name.empty() || item_name.find_first_of(".*") != std::string::npos)
      throw std::logic_error("bad statistics name '" + item_name + "' in " + name);
    for (const Item& item : items)
      if (item.name == item_name)
        throw std::logic_error("statistics name '" + item_name + "' declared twice in " + name);
    changed();
    items.push_back({item_name, unit, text, Counters{}});
    return items.back();
  }

  /// Calls use(counters, index) for every counter whose path matches. `path` is never empty.
  template <class Use>
  void for_matching(std::string_view path, const Use& use) const {
    const auto [first, rest] = split(path);
    for (const Item& item : items) {
      if (!matches(first, item.name)) continue;
      if (const auto* group = std::get_if<Subgroup>(&item.content)) {
        if (!rest.empty()) (*group)->impl_->for_matching(rest, use);
      } else if (const auto* counters = std::get_if<Counters>(&item.content)) {
        if (counters->labels.empty()) {
          if (rest.empty()) use(*counters, 0);
          continue;
        }
        for (std::size_t i = 0; i < counters->size(); ++i)
          if (!rest.empty() && matches(rest, counters->labels[i])) use(*counters, i);
      }
    }
  }

  [[nodiscard]] std::uint64_t sum(const std::string& pattern) {
    const auto [known, is_new] = settled_layout().matched.try_emplace(pattern);
    if (is_new)
      for_matching(pattern, [&](const Counters& counters, std::size_t i) {
        known->second.emplace_back(&counters, i);
      });
    std::uint64_t total = 0;
    for (const auto& [counters, i] : known->second) total += counters->at(i);
    return total;
  }

  [[nodiscard]] bool all_zero() const {
    settled();
    bool has_counters = false;
    for (const Item& item : items) {
      if (const auto* group = std::get_if<Subgroup>(&item.content)) {
        has_counters = true;
        if (!(*group)->impl_->all_zero()) return false;
      } else if (const auto* counters = std::get_if<Counters>(&item.content)) {
        has_counters = true;
        for (std::size_t i = 0; i < counters->size(); ++i)
          if (counters->at(i) != 0) return false;
      } else if (const auto* derived = std::get_if<Derived>(&item.content)) {
        has_counters = true;
        if ((*derived)() != 0) return false;
      }
    }
    return has_counters;
  }

  void reset() {
    for (const Flat::Span& span : settled_layout().spans) {
      if (span.largest != nullptr)
        *span.largest = 0;
      else
        std::copy_n(span.values, span.size, span.zero);
    }
  }

  void add_to(std::vector<std::uint64_t>& sum) {
    const Flat& all = settled_layout();
    if (sum.empty()) sum.resize(all.size);
    check_size(sum);
    std::uint64_t* to = sum.data();
    for (const Flat::Span& span : all.spans)
      for (std::size_t i = 0; i < span.size; ++i, ++to) {
        const std::uint64_t value = span.values[i] - span.zero[i];
        *to = span.largest != nullptr ? std::max(*to, value) : *to + value;
      }
  }

  void check_size(const std::vector<std::uint64_t>& values) {
    if (values.size() != layout().size)
      throw std::logic_error("these are not values of the statistics of " + name);
  }

  /// Reads `values` instead of the counters; nullptr: the counters again. Returns what is left of them.
  const std::uint64_t* show(const std::uint64_t* values) {
    for (Item& item : items) {
      if (const auto* group = std::get_if<Subgroup>(&item.content)) {
        values = (*group)->impl_->show(values);
      } else if (auto* counters = std::get_if<Counters>(&item.content)) {
        counters->instead = values;
        if (values != nullptr) values += counters->size();
      }
    }
    return values;
  }

  [[nodiscard]] nlohmann::ordered_json to_json() const {
    settled();
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const Item& item : items) {
      nlohmann::ordered_json& place = json[item.name];
      if (const auto* group = std::get_if<Subgroup>(&item.content)) {
        place = (*group)->impl_->to_json();
      } else if (const auto* formula = std::get_if<Formula>(&item.content)) {
        place = (*formula)();  // not a number is written as null
      } else if (const auto* derived = std::get_if<Derived>(&item.content)) {
        place = (*derived)();
      } else {
        const auto& counters = std::get<Counters>(item.content);
        if (counters.labels.empty()) {
          place = counters.at(0);
        } else {
          place = nlohmann::ordered_json::object();
          for (std::size_t i = 0; i < counters.size(); ++i) place[counters.labels[i]] = counters.at(i);
        }
      }
    }
    return json;
  }

  /// core0, core1 ... are described once, as "core"; l2 without an l0 beside it keeps its name.
  [[nodiscard]] std::string dictionary_name(const Item& item) const {
    if (!std::holds_alternative<Subgroup>(item.content)) return item.name;
    const std::string stem = stem_of(item.name);
    const bool numbered = std::any_of(items.begin(), items.end(), [&](const Item& other) {
      return other.name == stem + "0" && std::holds_alternative<Subgroup>(other.content);
    });
    return numbered && !stem.empty() ? stem : item.name;
  }

  void dictionary(const std::string& prefix, nlohmann::ordered_json& json) const {
    for (const Item& item : items) {
      const std::string path = prefix + dictionary_name(item);
      if (const auto* group = std::get_if<Subgroup>(&item.content)) {
        const std::string& text = (*group)->impl_->description;
        if (!text.empty() && !json.contains(path)) json[path] = {{"unit", ""}, {"description", text}};
        (*group)->impl_->dictionary(path + ".", json);
        continue;
      }
      if (json.contains(path)) continue;
      json[path] = {{"unit", item.unit}, {"description", item.description}};
      const auto* counters = std::get_if<Counters>(&item.content);
      if (counters != nullptr && !counters->labels.empty()) json[path]["labels"] = counters->labels;
    }
  }

  void rows(const std::string& prefix, std::vector<Row>& out) const {
    for (const Item& item : items) {
      const std::string path = prefix + item.name;
      if (const auto* group = std::get_if<Subgroup>(&item.content)) {
        if (!(*group)->impl_->all_zero()) (*group)->impl_->rows(path + ".", out);
      } else if (const auto* formula = std::get_if<Formula>(&item.content)) {
        out.push_back({path, value_text((*formula)()), item.unit, item.description});
      } else if (const auto* derived = std::get_if<Derived>(&item.content)) {
        out.push_back({path, fmt::format("{}", (*derived)()), item.unit, item.description});
      } else {
        const auto& counters = std::get<Counters>(item.content);
        if (counters.labels.empty())
          out.push_back({path, fmt::format("{}", counters.at(0)), item.unit, item.description});
        for (std::size_t i = 0; i < counters.labels.size(); ++i)
          out.push_back({path + "." + counters.labels[i], fmt::format("{}", counters.at(i)), item.unit,
                         item.description});
      }
    }
  }
};

StatGroup::StatGroup(std::string name, std::string description) : impl_(std::make_unique<Impl>()) {
  impl_->name = std::move(name);
  impl_->description = std::move(description);
}

StatGroup::~StatGroup() = default;

StatGroup& StatGroup::child(const std::string& name, const std::string& description) {
  for (Item& item : impl_->items) {
    if (item.name != name) continue;
    auto* group = std::get_if<Subgroup>(&item.content);
    if (group == nullptr) throw std::logic_error("statistics name '" + name + "' is a counter, not a group");
    if ((*group)->impl_->description.empty()) (*group)->impl_->description = description;
    return **group;
  }
  Item& item = impl_->add(name, "", "");
  item.content = std::make_unique<StatGroup>(name, description);
  StatGroup& made = *std::get<Subgroup>(item.content);
  made.impl_->parent = impl_.get();
  return made;
}

void StatGroup::counter(const std::string& name, const std::string& unit, const std::string& description,
                        const std::uint64_t* value) {
  impl_->add(name, unit, description).content = Counters{.labels = {}, .values = value, .zero = {0}};
}

void StatGroup::maximum(const std::string& name, const std::string& unit, const std::string& description,
                        std::uint64_t* value) {
  impl_->add(name, unit, description).content =
      Counters{.labels = {}, .values = value, .zero = {0}, .largest = value};
}

void StatGroup::counters(const std::string& name, const std::string& unit, const std::string& description,
                         const std::vector<std::string>& labels, const std::uint64_t* values) {
  if (labels.empty() || std::set<std::string>(labels.begin(), labels.end()).size() != labels.size())
    throw std::logic_error("labels of statistics '" + name + "' are missing or not distinct");
  impl_->add(name, unit, description).content =
      Counters{.labels = labels, .values = values, .zero = std::vector<std::uint64_t>(labels.size(), 0)};
}

void StatGroup::formula(const std::string& name, const std::string& unit, const std::string& description,
                        std::function<double()> compute) {
  impl_->add(name, unit, description).content = Formula(std::move(compute));
}

void StatGroup::derived(const std::string& name, const std::string& unit, const std::string& description,
                        std::function<std::uint64_t()> compute) {
  impl_->add(name, unit, description).content = Derived(std::move(compute));
}

void StatGroup::before_reading(std::function<void()> settle) {
  impl_->settle = std::move(settle);
  impl_->changed();
}

std::uint64_t StatGroup::count(const std::string& path) const {
  const Impl* group = impl_.get();
  std::string_view rest = path;
  while (true) {
    group->settled();
    const auto [first, below] = split(rest);
    const auto item = std::find_if(group->items.begin(), group->items.end(),
                                   [&, name = first](const Item& i) { return i.name == name; });
    if (item == group->items.end()) break;
    if (const auto* sub = std::get_if<Subgroup>(&item->content)) {
      group = (*sub)->impl_.get();
      rest = below;
      continue;
    }
    if (const auto* derived = std::get_if<Derived>(&item->content); derived != nullptr && below.empty())
      return (*derived)();
    const auto* counters = std::get_if<Counters>(&item->content);
    if (counters == nullptr) break;
    if (counters->labels.empty()) {
      if (!below.empty()) break;
      return counters->at(0);
    }
    const auto label = std::find(counters->labels.begin(), counters->labels.end(), below);
    if (label == counters->labels.end()) break;
    return counters->at(static_cast<std::size_t>(label - counters->labels.begin()));
  }
  throw std::out_of_range("no counter '" + path + "' in statistics of " + impl_->name);
}

std::uint64_t StatGroup::sum(const std::string& pattern) const { return impl_->sum(pattern); }

void StatGroup::reset() { impl_->reset(); }

void StatGroup::add_to(StatValues& sum) const { impl_->add_to(sum.values_); }

nlohmann::ordered_json StatGroup::to_json() const { return impl_->to_json(); }

nlohmann::ordered_json StatGroup::to_json(const StatValues& values) const {
  impl_->check_size(values.values_);
  impl_->show(values.values_.data());
  struct Restore {
    Impl& impl;
    ~Restore() { impl.show(nullptr); }
  } restore{*impl_};
  return impl_->to_json();
}

nlohmann::ordered_json StatGroup::dictionary() const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  impl_->dictionary("", json);
  return json;
}

std::string StatGroup::to_table() const {
  std::vector<Row> rows;
  impl_->rows("", rows);
  std::size_t path_width = 0, value_width = 0, unit_width = 0;
  for (const Row& row : rows) {
    path_width = std::max(path_width, row.path.size());
    value_width = std::max(value_width, row.value.size());
    unit_width = std::max(unit_width, row.unit.size());
  }
  std::string table;
  for (const Row& row : rows) {
    std::string line = fmt::format("{:<{}}  {:>{}}  {:<{}}  {}", row.path, path_width, row.value, value_width,
                                   row.unit, unit_width, row.description);
    line.resize(line.find_last_not_of(' ') + 1);
    table += line + "\n";
  }
  return table;
}

}  // namespace heddle::base
