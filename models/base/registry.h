// Named mechanisms of one kind, of which a configuration key chooses one: those that Heddle has and those that a
// program adds before it loads a platform.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/config.h"
#include "base/error.h"

namespace heddle::base {

/// "place: 'name' is not ...": the error for a name that is none of `names`.
[[noreturn]] void refuse_name(const std::string& place, const std::string& name,
                              const std::vector<std::string>& names);

/// Entry: a struct with `name`, as it is written in the configuration, and `doc`, one line.
template <class Entry>
class Registry {
 public:
  /// `what`: the kind, for messages ("control-flow mechanism"). The first entry is the default.
  Registry(std::string what, std::vector<Entry> entries) : what_(std::move(what)) {
    for (Entry& entry : entries) add(std::move(entry));
    own_ = entries_.size();
  }
  /// Throws InputError if the name is taken or empty. Configurations made before do not have the entry.
  void add(Entry entry) {
    if (entry.name.empty()) throw InputError(what_, "has no name", "Give it one: it is selected by it.");
    for (const Entry& known : entries_)
      if (known.name == entry.name)
        throw InputError(what_, fmt::format("there is one of the name '{}' already", entry.name),
                         "Register each once, and your own under another name.");
    entries_.push_back(std::move(entry));
  }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  /// "control-flow mechanism 'x'": the first that a program has added; empty: none.
  [[nodiscard]] std::string added() const {
    return entries_.size() == own_ ? "" : fmt::format("{} '{}'", what_, entries_[own_].name);
  }

 private:
  std::string what_;
  std::size_t own_ = 0;  ///< entries of Heddle
  std::vector<Entry> entries_;
};

template <class Entry>
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

/// The entry of that name; `place`: the configuration key, for the InputError if there is none.
template <class Entry>
[[nodiscard]] const Entry& entry_named(const std::vector<Entry>& entries, const std::string& name,
                                       const std::string& place) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.name == name; });
  if (found == entries.end()) refuse_name(place, name, names_of(entries));
  return *found;
}

}  // namespace heddle::base
