// The value of a configuration key that names an entry of a registry, and the keys that the entries bring.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/config_options.h"
#include "base/registry.h"

namespace heddle::base {

/// Entry: as for Registry; if it has `options`, a vector of ConfigOption, they are keys beside the one that names it.
template <class Entry>
class Choice {
 public:
  /// The first entry is the default.
  explicit Choice(const std::vector<Entry>& entries)
      : name_(entries.at(0).name), entries_(std::make_shared<const std::vector<Entry>>(entries)) {
    if constexpr (requires(const Entry& entry) { entry.options; }) {
      std::vector<ConfigOption> all;
      for (const Entry& entry : entries) all.insert(all.end(), entry.options.begin(), entry.options.end());
      std::stable_sort(all.begin(), all.end(),
                       [](const auto& left, const auto& right) { return left.key() < right.key(); });
      for (const ConfigOption& option : all) options_.add(option);
    }
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  /// For programs that do not read a configuration. Throws InputError if there is none of the name.
  void select(const std::string& name) { name_ = entry_named(*entries_, name, name).name; }
  [[nodiscard]] const Entry& entry() const { return entry_named(*entries_, name_, name_); }
  /// Keys of the entries, by their type.
  template <class Options>
  [[nodiscard]] Options& get() {
    return options_.get<Options>();
  }
  template <class Options>
  [[nodiscard]] const Options& get() const {
    return options_.get<Options>();
  }

  /// `doc`: what is chosen; the entries' own lines follow.
  void visit(ConfigVisitor& v, const std::string& key, std::string doc) {
    for (const Entry& entry : *entries_) doc += fmt::format("; {}: {}", entry.name, entry.doc);
    v.field(key, name_, {.doc = std::move(doc), .choices = names_of(*entries_)});
    options_.visit(v);
  }

 private:
  std::string name_;
  std::shared_ptr<const std::vector<Entry>> entries_;
  ConfigOptions options_;
};

}  // namespace heddle::base
