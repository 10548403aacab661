#include "base/config.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

#include "base/error.h"
#include "base/text_input.h"

namespace heddle::base {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`; `limit` if there are
/// that many or more. Takes time in proportion to the shorter word times the limit or so, and none where the
/// lengths alone differ by the limit.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() < b.size()) std::swap(a, b);
  if (a.size() - b.size() >= limit) return limit;
  // Rows of the table for i - 2, i - 1 and i letters of a.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    // A later row takes its values from the two above it.
    if (least >= limit && (i == 1 || *std::min_element(above.begin(), above.end()) >= limit)) return limit;
    std::swap(before, above);
    std::swap(above, row);
  }
  return std::min(above[b.size()], limit);
}

std::string join(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

constexpr const char* kTestSection = "test";

/// Keeps the dotted path of the section being visited.
class PathVisitor : public ConfigVisitor {
 protected:
  void enter(const std::string& key, const std::string&) override { prefix_ += key + "."; }
  void leave() override {
    const auto end = prefix_.find_last_of('.', prefix_.size() - 2);
    prefix_.resize(end == std::string::npos ? 0 : end + 1);
  }
  [[nodiscard]] std::string path(const std::string& key, const FieldInfo& info) const {
    return info.use == KeyUse::kTest ? fmt::format("{}.{}{}", kTestSection, prefix_, key) : prefix_ + key;
  }

 private:
  std::string prefix_;
};

/// 18 as "18", 0.25 as "0.25".
std::string number_text(double value) {
  if (std::floor(value) == value && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

std::string range_text(const FieldInfo& info, long double type_max) {
  const long double max = std::min(static_cast<long double>(info.max), type_max);
  std::string text;
  if (max > static_cast<long double>(std::numeric_limits<std::uint32_t>::max()))
    text = fmt::format("at least {}", number_text(info.min));
  else
    text = fmt::format("between {} and {}", number_text(info.min), number_text(static_cast<double>(max)));
  if (!info.unit.empty()) text += " " + info.unit;
  return text;
}

class Loader : public PathVisitor {
 public:
  explicit Loader(const ConfigSource& source) : source_(source) {}

  void field(const std::string& key, std::uint32_t& value, const FieldInfo& info) override {
    integer(key, value, info);
  }
  void field(const std::string& key, std::uint64_t& value, const FieldInfo& info) override {
    integer(key, value, info);
  }

  void field(const std::string& key, double& value, const FieldInfo& info) override {
    const ConfigEntry* entry = take(key, info);
    if (entry == nullptr) return;
    const std::string_view text = trim(entry->value);
    double parsed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || !std::isfinite(parsed))
      wrong(*entry, path(key, info), "a number", info, range_text(info, std::numeric_limits<double>::max()));
    if (parsed < info.min || parsed > info.max)
      out_of_range(*entry, path(key, info), range_text(info, std::numeric_limits<double>::max()));
    value = parsed;
  }

  void field(const std::string& key, bool& value, const FieldInfo& info) override {
    const ConfigEntry* entry = take(key, info);
    if (entry == nullptr) return;
    const std::string text = lower(trim(entry->value));
    if (text == "true" || text == "yes" || text == "on")
      value = true;
    else if (text == "false" || text == "no" || text == "off")
      value = false;
    else
      wrong(*entry, path(key, info), "true or false", info, "true or false");
  }

  void field(const std::string& key, std::string& value, const FieldInfo& info) override {
    const ConfigEntry* entry = take(key, info);
    if (entry == nullptr) return;
    if (!info.choices.empty() &&
        std::find(info.choices.begin(), info.choices.end(), entry->value) == info.choices.end()) {
      const auto near = nearest_name(entry->value, info.choices);
      throw InputError(entry->place,
                       fmt::format("'{}' is not a choice for '{}'{}", entry->value, path(key, info),
                                   near ? fmt::format("; did you mean '{}'?", *near) : ""),
                       "choices: " + join(info.choices));
    }
    value = entry->value;
  }

  /// All given keys must have been asked for.
  void finish() const {
    for (const auto& [path, entry] : source_.entries())
      if (!fields_.contains(path)) unknown(path, entry);
  }

 private:
  template <class Integer>
  void integer(const std::string& key, Integer& value, const FieldInfo& info) {
    const ConfigEntry* entry = take(key, info);
    if (entry == nullptr) return;
    constexpr auto kTypeMax = static_cast<long double>(std::numeric_limits<Integer>::max());
    std::string_view text = trim(entry->value);
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex) text.remove_prefix(2);
    std::uint64_t parsed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed, hex ? 16 : 10);
    if (error == std::errc::result_out_of_range)
      out_of_range(*entry, path(key, info), range_text(info, kTypeMax));
    if (text.empty() || error != std::errc{} || end != text.data() + text.size())
      wrong(*entry, path(key, info), "a whole number", info, range_text(info, kTypeMax));
    const auto wide = static_cast<long double>(parsed);
    if (wide < static_cast<long double>(info.min) || wide > static_cast<long double>(info.max) ||
        wide > kTypeMax)
      out_of_range(*entry, path(key, info), range_text(info, kTypeMax));
    value = static_cast<Integer>(parsed);
  }

  const ConfigEntry* take(const std::string& key, const FieldInfo& info) {
    const std::string full = path(key, info);
    for (auto dot = full.rfind('.'); dot != std::string::npos; dot = full.rfind('.', dot - 1))
      if (!sections_.insert(full.substr(0, dot)).second) break;
    if (!fields_.insert(full).second) throw std::logic_error("configuration key declared twice: " + full);
    order_.push_back(full);
    const auto found = source_.entries().find(full);
    return found == source_.entries().end() ? nullptr : &found->second;
  }

  [[noreturn]] static void wrong(const ConfigEntry& entry, const std::string& path, const std::string& kind,
                                 const FieldInfo& info, const std::string& allowed) {
    throw InputError(entry.place, fmt::format("'{}' must be {}, not '{}'", path, kind, entry.value),
                     fmt::format("allowed: {}{}", allowed, info.doc.empty() ? "" : " (" + info.doc + ")"));
  }

  [[noreturn]] static void out_of_range(const ConfigEntry& entry, const std::string& path,
                                        const std::string& allowed) {
    throw InputError(entry.place, fmt::format("'{}' is out of range: {}", path, entry.value),
                     "allowed: " + allowed);
  }

  /// Names directly below `section` ("" for the top), keys and sections alike.
  [[nodiscard]] std::vector<std::string> names_in(const std::string& section) const {
    std::vector<std::string> names;
    const std::string prefix = section.empty() ? "" : section + ".";
    for (const std::string& key : order_) {
      if (!key.starts_with(prefix)) continue;
      std::string name = key.substr(prefix.size());
      name = name.substr(0, name.find('.'));
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
  }

  [[noreturn]] void unknown(const std::string& path, const ConfigEntry& entry) const {
    if (sections_.contains(path))
      throw InputError(entry.place, fmt::format("'{}' is a section and takes no value", path),
                       "its keys: " + join(names_in(path)));
    for (auto dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
      const std::string above = path.substr(0, dot);
      if (fields_.contains(above))
        throw InputError(entry.place,
                         fmt::format("unknown key '{}': '{}' is a single value, not a section", path, above));
    }
    const std::string for_tests = fmt::format("{}.{}", kTestSection, path);
    if (const auto near = fields_.contains(for_tests) ? std::optional(for_tests) : nearest_name(path, order_))
      throw InputError(entry.place, fmt::format("unknown key '{}'; did you mean '{}'?", path, *near));

    // The right name in the wrong section?
    const std::string last = path.substr(path.find_last_of('.') + 1);
    std::vector<std::string> same_name;
    for (const std::string& key : order_)
      if (key == last || key.ends_with("." + last)) same_name.push_back(key);
    if (!same_name.empty())
      throw InputError(entry.place, fmt::format("unknown key '{}'", path),
                       "keys of that name: " + join(same_name));

    std::string section = path;
    do {
      const auto dot = section.find_last_of('.');
      section = dot == std::string::npos ? "" : section.substr(0, dot);
    } while (!section.empty() && !sections_.contains(section));
    throw InputError(entry.place, fmt::format("unknown key '{}'", path),
                     fmt::format("keys {}: {}", section.empty() ? "at the top" : "in '" + section + "'",
                                 join(names_in(section))));
  }

  const ConfigSource& source_;
  std::set<std::string> fields_;
  std::vector<std::string> order_;  ///< of fields_, as declared
  std::set<std::string> sections_;
};

/// Turns every field into text.
class TextVisitor : public PathVisitor {
 public:
  void field(const std::string& key, std::uint32_t& value, const FieldInfo& info) override {
    text(key, fmt::format("{}", value), info, false);
  }
  void field(const std::string& key, std::uint64_t& value, const FieldInfo& info) override {
    text(key, fmt::format("{}", value), info, false);
  }
  void field(const std::string& key, double& value, const FieldInfo& info) override {
    text(key, number_text(value), info, false);
  }
  void field(const std::string& key, bool& value, const FieldInfo& info) override {
    text(key, value ? "true" : "false", info, false);
  }
  void field(const std::string& key, std::string& value, const FieldInfo& info) override {
    text(key, value, info, true);
  }

 protected:
  virtual void text(const std::string& key, const std::string& value, const FieldInfo& info,
                    bool is_name) = 0;
};

class Describer : public TextVisitor {
 public:
  [[nodiscard]] std::vector<KeyDescription> keys() {
    keys_.insert(keys_.end(), for_tests_.begin(), for_tests_.end());
    return std::move(keys_);
  }

 private:
  void text(const std::string& key, const std::string& value, const FieldInfo& info, bool) override {
    (info.use == KeyUse::kTest ? for_tests_ : keys_).push_back({path(key, info), value, info});
  }

  std::vector<KeyDescription> keys_;
  std::vector<KeyDescription> for_tests_;
};

/// Names that YAML reads as they stand; everything else is quoted.
std::string quoted(const std::string& text) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
  if (!text.empty() && text[0] != '-' && text.find_first_not_of(kPlain) == std::string::npos &&
      lower(text) != "null")
    return text;
  YAML::Emitter emitter;
  emitter << YAML::DoubleQuoted << text;
  return emitter.c_str();
}

/// Writes sections that have keys: of the model, and behind them those for tests.
class Writer : public TextVisitor {
 public:
  Writer() { for_tests_.above.push_back({kTestSection, "perturbations and checks: for tests"}); }
  [[nodiscard]] std::string yaml() const { return model_.yaml + for_tests_.yaml; }

 private:
  struct Section {
    std::string key;
    std::string doc;
  };
  struct Part {
    std::vector<Section> above{};  ///< around all sections
    std::size_t written = 0;       ///< of the sections around the present place
    std::string yaml{};
  };

  void enter(const std::string& key, const std::string& doc) override {
    sections_.push_back({key, doc});
    TextVisitor::enter(key, doc);
  }
  void leave() override {
    sections_.pop_back();
    for (Part* part : {&model_, &for_tests_})
      part->written = std::min(part->written, part->above.size() + sections_.size());
    TextVisitor::leave();
  }
  void text(const std::string& key, const std::string& value, const FieldInfo& info, bool is_name) override {
    Part& part = info.use == KeyUse::kTest ? for_tests_ : model_;
    const std::size_t depth = part.above.size() + sections_.size();
    const auto line = [&part](std::size_t level, const std::string& content, const std::string& comment) {
      part.yaml += fmt::format("{}{}{}\n", std::string(2 * level, ' '), content,
                               comment.empty() ? "" : "  # " + comment);
    };
    for (; part.written < depth; ++part.written) {
      const bool outer = part.written < part.above.size();
      const Section& section = outer ? part.above[part.written] : sections_[part.written - part.above.size()];
      line(part.written, section.key + ":", section.doc);
    }
    line(depth, fmt::format("{}: {}", key, is_name ? quoted(value) : value), info.unit);
  }

  std::vector<Section> sections_;  ///< around the present place, outermost first
  Part model_;
  Part for_tests_;
};

}  // namespace

namespace detail {

void load(const ConfigSource& source, const std::function<void(ConfigVisitor&)>& visit) {
  Loader loader(source);
  visit(loader);
  loader.finish();
}

std::vector<KeyDescription> describe(const std::function<void(ConfigVisitor&)>& visit) {
  Describer describer;
  visit(describer);
  return describer.keys();
}

std::string write_yaml(const std::function<void(ConfigVisitor&)>& visit) {
  Writer writer;
  visit(writer);
  return writer.yaml();
}

}  // namespace detail

std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string wanted = lower(word);
  std::optional<std::string> best;
  // A third of the letters wrong is about where a typo ends and another word begins.
  std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, lower(candidate), best_distance);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace heddle::base
