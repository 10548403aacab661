// Statistics as JSON, as a dictionary of their names, and as a table.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/stats_impl.h"

namespace heddle::base {

using stat_items::Counters;
using stat_items::Derived;
using stat_items::Formula;
using stat_items::Subgroup;

namespace {

std::string stem_of(const std::string& name) {
  const auto last = name.find_last_not_of("0123456789");
  return last == std::string::npos ? name : name.substr(0, last + 1);
}

std::string value_text(double value) {
  if (value != value) return "-";  // 0 / 0: nothing was measured
  return fmt::format("{:.4f}", value);
}

}  // namespace

bool StatGroup::Impl::all_zero() const {
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

const std::uint64_t* StatGroup::Impl::show(const std::uint64_t* values) {
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

nlohmann::ordered_json StatGroup::Impl::to_json() const {
  settled();
  // Names are unique (add()), so nothing is looked up. Without room for all, an object that grows copies what it holds.
  nlohmann::ordered_json::object_t json;
  json.reserve(items.size());
  for (const Item& item : items) {
    if (const auto* group = std::get_if<Subgroup>(&item.content)) {
      json.emplace_back(item.name, (*group)->impl_->to_json());
    } else if (const auto* formula = std::get_if<Formula>(&item.content)) {
      json.emplace_back(item.name, (*formula)());  // not a number is written as null
    } else if (const auto* derived = std::get_if<Derived>(&item.content)) {
      json.emplace_back(item.name, (*derived)());
    } else if (const auto& counters = std::get<Counters>(item.content); counters.labels.empty()) {
      json.emplace_back(item.name, counters.at(0));
    } else {
      nlohmann::ordered_json::object_t labelled;
      labelled.reserve(counters.size());
      for (std::size_t i = 0; i < counters.size(); ++i)
        labelled.emplace_back(counters.labels[i], counters.at(i));
      json.emplace_back(item.name, std::move(labelled));
    }
  }
  return json;
}

void StatGroup::Impl::names(const StatName& prefix, bool every_unit, std::vector<StatName>& out) const {
  for (const Item& item : items) {
    const std::string common = dictionary_name(item);
    if (!every_unit && common != item.name && item.name != common + "0") continue;
    const StatName its{prefix.path + item.name, prefix.common + common};
    if (const auto* group = std::get_if<Subgroup>(&item.content)) {
      (*group)->impl_->names({its.path + ".", its.common + "."}, every_unit, out);
    } else if (const auto* counters = std::get_if<Counters>(&item.content)) {
      if (counters->labels.empty()) out.push_back(its);
      for (const std::string& label : counters->labels)
        out.push_back({its.path + "." + label, its.common + "." + label});
    } else if (std::holds_alternative<Derived>(item.content)) {
      out.push_back(its);
    }
  }
}

std::string StatGroup::Impl::dictionary_name(const Item& item) const {
  if (!std::holds_alternative<Subgroup>(item.content)) return item.name;
  const std::string stem = stem_of(item.name);
  const bool numbered = std::any_of(items.begin(), items.end(), [&](const Item& other) {
    return other.name == stem + "0" && std::holds_alternative<Subgroup>(other.content);
  });
  return numbered && !stem.empty() ? stem : item.name;
}

void StatGroup::Impl::dictionary(const std::string& prefix, nlohmann::ordered_json& json,
                                 std::unordered_set<std::string>& known) const {
  for (const Item& item : items) {
    const std::string path = prefix + dictionary_name(item);
    if (const auto* group = std::get_if<Subgroup>(&item.content)) {
      const std::string& text = (*group)->impl_->description;
      if (!text.empty() && known.insert(path).second) json[path] = {{"unit", ""}, {"description", text}};
      (*group)->impl_->dictionary(path + ".", json, known);
      continue;
    }
    if (!known.insert(path).second) continue;
    json[path] = {{"unit", item.unit}, {"description", item.description}};
    const auto* counters = std::get_if<Counters>(&item.content);
    if (counters != nullptr && !counters->labels.empty()) json[path]["labels"] = counters->labels;
  }
}

void StatGroup::Impl::rows(const std::string& prefix, std::vector<Row>& out) const {
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
  std::unordered_set<std::string> known;
  impl_->dictionary("", json, known);
  return json;
}

std::string StatGroup::to_table() const {
  std::vector<Impl::Row> rows;
  impl_->rows("", rows);
  std::size_t path_width = 0, value_width = 0, unit_width = 0;
  for (const Impl::Row& row : rows) {
    path_width = std::max(path_width, row.path.size());
    value_width = std::max(value_width, row.value.size());
    unit_width = std::max(unit_width, row.unit.size());
  }
  std::string table;
  for (const Impl::Row& row : rows) {
    std::string line = fmt::format("{:<{}}  {:>{}}  {:<{}}  {}", row.path, path_width, row.value, value_width,
                                   row.unit, unit_width, row.description);
    line.resize(line.find_last_not_of(' ') + 1);
    table += line + "\n";
  }
  return table;
}

}  // namespace heddle::base
