#include "base/stats.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/stat_sums.h"
#include "base/stats_impl.h"

namespace heddle::base {

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

}  // namespace

// ---- The tree

void StatGroup::Impl::begin_section(Flat& to, bool* changed) {
  if (!to.sections.empty()) to.sections.back().end = to.spans.size();
  to.sections.push_back({changed, to.spans.size(), to.spans.size(), to.size, {}});
}

void StatGroup::Impl::collect(Flat& to) {
  if (settle) to.settle.push_back(this);
  if (changed_flag != nullptr) begin_section(to, changed_flag);
  const std::size_t section = to.sections.size() - 1;
  for (Item& item : items) {
    if (const auto* group = std::get_if<Subgroup>(&item.content)) {
      (*group)->impl_->collect(to);
    } else if (auto* counters = std::get_if<Counters>(&item.content)) {
      counters->at_value = to.size;
      Flat::Span* const last = to.spans.size() == to.sections.back().begin ? nullptr : &to.spans.back();
      if (last != nullptr && last->largest == nullptr && counters->largest == nullptr &&
          last->values + last->size == counters->values && last->zero + last->size == counters->zero.data())
        last->size += counters->size();
      else
        to.spans.push_back({counters->values, counters->zero.data(), counters->largest, counters->size()});
      to.size += counters->size();
    }
  }
  if (changed_flag == nullptr) return;
  for (const std::string& path : otherwise)
    for_matching(
        path,
        [&](const Counters& counters, std::size_t i) {
          to.sections[section].otherwise.push_back(
              {counters.values + i, counters.zero.data() + i, counters.at_value + i});
        },
        [](const Derived&) {});
  begin_section(to, nullptr);
}

StatGroup::Impl::Flat& StatGroup::Impl::layout() {
  if (flat == nullptr) {
    auto made = std::make_unique<Flat>();
    begin_section(*made, nullptr);
    collect(*made);
    made->sections.back().end = made->spans.size();
    flat = std::move(made);
  }
  return *flat;
}

StatGroup::Impl::Flat& StatGroup::Impl::settled_layout() {
  Flat& all = layout();
  for (const Impl* group : all.settle) group->settle();
  return all;
}

Item& StatGroup::Impl::add(const std::string& item_name, const std::string& unit, const std::string& text) {
  if (item_name.empty() || item_name.find_first_of(".*") != std::string::npos)
    throw std::logic_error("bad statistics name '" + item_name + "' in " + name);
  for (const Item& item : items)
    if (item.name == item_name)
      throw std::logic_error("statistics name '" + item_name + "' declared twice in " + name);
  changed();
  items.push_back({item_name, unit, text, Counters{}});
  return items.back();
}

template <class OfCounter, class OfDerived>
void StatGroup::Impl::for_matching(std::string_view path, const OfCounter& of_counter,
                                   const OfDerived& of_derived) const {
  const auto [first, rest] = split(path);
  for (const Item& item : items) {
    if (!matches(first, item.name)) continue;
    if (const auto* group = std::get_if<Subgroup>(&item.content)) {
      if (!rest.empty()) (*group)->impl_->for_matching(rest, of_counter, of_derived);
    } else if (const auto* derived = std::get_if<Derived>(&item.content)) {
      if (rest.empty()) of_derived(*derived);
    } else if (const auto* counters = std::get_if<Counters>(&item.content)) {
      if (counters->labels.empty()) {
        if (rest.empty()) of_counter(*counters, 0);
        continue;
      }
      for (std::size_t i = 0; i < counters->size(); ++i)
        if (!rest.empty() && matches(rest, counters->labels[i])) of_counter(*counters, i);
    }
  }
}

std::uint64_t StatGroup::Impl::sum(const std::string& pattern) {
  const auto entry = settled_layout().matched.try_emplace(pattern);
  auto& known = entry.first->second;
  if (entry.second)
    for_matching(
        pattern, [&](const Counters& counters, std::size_t i) { known.emplace_back(&counters, i); },
        [](const Derived&) {});
  std::uint64_t total = 0;
  for (const auto& [counters, i] : known) total += counters->at(i);
  return total;
}

void StatGroup::Impl::reset() {
  const Flat& all = settled_layout();
  for (const Flat::Section& section : all.sections) {
    if (section.changed != nullptr && !std::exchange(*section.changed, false)) {
      for (const Flat::One& one : section.otherwise) *one.zero = *one.value;
      continue;
    }
    for (const Flat::Span& span : section.of(all.spans)) {
      if (span.largest != nullptr)
        *span.largest = 0;
      else
        std::copy_n(span.values, span.size, span.zero);
    }
  }
}

void StatGroup::Impl::add_to(std::vector<std::uint64_t>& sum) {
  const Flat& all = settled_layout();
  if (sum.empty()) sum.resize(all.size);
  check_size(sum);
  for (const Flat::Section& section : all.sections) {
    if (section.changed != nullptr && !*section.changed) {
      for (const Flat::One& one : section.otherwise) sum[one.index] += *one.value - *one.zero;
      continue;
    }
    std::uint64_t* to = sum.data() + section.index;
    for (const Flat::Span& span : section.of(all.spans)) {
      if (span.largest != nullptr)
        *to = std::max(*to, *span.values);  // its zero is 0
      else
        for (std::size_t i = 0; i < span.size; ++i) to[i] += span.values[i] - span.zero[i];
      to += span.size;
    }
  }
}

void StatGroup::Impl::check_size(const std::vector<std::uint64_t>& values) {
  if (values.size() != layout().size)
    throw std::logic_error("these are not values of the statistics of " + name);
}

// ---- StatGroup

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
  made.impl_->zeros = impl_->zeros;
  return made;
}

void StatGroup::counter(const std::string& name, const std::string& unit, const std::string& description,
                        const std::uint64_t* value) {
  impl_->add(name, unit, description).content =
      Counters{.labels = {}, .values = value, .zero = impl_->zeros->take(1)};
}

void StatGroup::maximum(const std::string& name, const std::string& unit, const std::string& description,
                        std::uint64_t* value) {
  impl_->add(name, unit, description).content =
      Counters{.labels = {}, .values = value, .zero = impl_->zeros->take(1), .largest = value};
}

void StatGroup::counters(const std::string& name, const std::string& unit, const std::string& description,
                         const std::vector<std::string>& labels, const std::uint64_t* values) {
  if (labels.empty() || std::set<std::string>(labels.begin(), labels.end()).size() != labels.size())
    throw std::logic_error("labels of statistics '" + name + "' are missing or not distinct");
  impl_->add(name, unit, description).content =
      Counters{.labels = labels, .values = values, .zero = impl_->zeros->take(labels.size())};
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

void StatGroup::seldom_changes(bool* changed, std::vector<std::string> otherwise) {
  impl_->changed_flag = changed;
  impl_->otherwise = std::move(otherwise);
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

// ---- StatSums

std::vector<StatName> StatSums::names_of(const StatGroup& group, bool every_unit) {
  std::vector<StatName> names;
  group.impl_->names({}, every_unit, names);
  return names;
}

std::vector<StatName> stat_names(const StatGroup& group, bool every_unit) {
  return StatSums::names_of(group, every_unit);
}

StatSums::StatSums(const StatGroup& group, const std::vector<std::string>& patterns)
    : group_(group), sums_(patterns.size()), values_(patterns.size()) {
  for (std::size_t p = 0; p < patterns.size(); ++p)
    group.impl_->for_matching(
        patterns[p],
        [&](const Counters& counters, std::size_t i) {
          sums_[p].counters.push_back({counters.values + i, counters.zero.data() + i});
        },
        [&](const Derived& derived) { sums_[p].derived.push_back(&derived); });
}

const std::vector<std::uint64_t>& StatSums::read() {
  (void)group_.impl_->settled_layout();
  for (std::size_t p = 0; p < sums_.size(); ++p) {
    std::uint64_t sum = 0;
    for (const Counter& counter : sums_[p].counters) sum += *counter.value - *counter.zero;
    for (const auto* derived : sums_[p].derived) sum += (*derived)();
    values_[p] = sum;
  }
  return values_;
}

}  // namespace heddle::base
