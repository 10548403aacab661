// Typed configuration from YAML.
//
// Every configurable block has a struct with defaults and one function template-free visit():
//
//   struct L1dConfig {
//     std::uint32_t latency_cycles = 18;
//     void visit(base::ConfigVisitor& v) {
//       v.field("latency_cycles", latency_cycles, {.unit = "core cycles", .doc = "hit latency", .min = 1});
//     }
//   };
//
// The same visit() loads a YAML file, applies --set path=value, prints the key reference and writes the
// resolved configuration, so the four can never disagree. Keys are dotted paths ("core.l1d.latency_cycles").
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::base {

/// Whose a key is: the model's, or for tests only: perturbations, additional checks.
enum class KeyUse : std::uint8_t { kModel, kTest };

/// What a key means. min/max bound integers and reals (inclusive); choices bound strings (empty: any text).
struct FieldInfo {
  std::string unit{};  ///< "core cycles", "bytes", "MHz", ... empty for pure numbers, flags and names
  std::string doc{};
  double min = 0;
  double max = std::numeric_limits<double>::max();
  std::vector<std::string> choices{};
  /// Keys for tests are apart from the model's: `cycles` of section core.l1d is test.core.l1d.cycles.
  KeyUse use = KeyUse::kModel;
};

class ConfigVisitor {
 public:
  virtual ~ConfigVisitor() = default;
  virtual void field(const std::string& key, std::uint32_t& value, const FieldInfo& info) = 0;
  virtual void field(const std::string& key, std::uint64_t& value, const FieldInfo& info) = 0;
  virtual void field(const std::string& key, double& value, const FieldInfo& info) = 0;
  virtual void field(const std::string& key, bool& value, const FieldInfo& info) = 0;
  virtual void field(const std::string& key, std::string& value, const FieldInfo& info) = 0;

  /// A nested struct with its own visit().
  template <class Config>
  void section(const std::string& key, Config& config, const std::string& doc) {
    enter(key, doc);
    config.visit(*this);
    leave();
  }

  /// An enum, written as one of the names (in the order of the enumerators 0, 1, 2 ...).
  template <class Enum>
  void choice(const std::string& key, Enum& value, const std::vector<std::string>& names,
              const std::string& doc, KeyUse use = KeyUse::kModel) {
    std::string text = names.at(static_cast<std::size_t>(value));
    field(key, text, FieldInfo{.doc = doc, .choices = names, .use = use});
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == text) value = static_cast<Enum>(i);
  }

 protected:
  virtual void enter(const std::string& key, const std::string& doc) = 0;
  virtual void leave() = 0;
};

/// One scalar of a YAML file or a --set, flattened: where it came from is kept for messages.
struct ConfigEntry {
  std::string value;
  std::string place;  ///< "file.yaml:12" or "--set core.l1d.latency_cycles"
};

/// The values a user gave, by dotted path. Later files and --set override earlier ones.
/// All problems throw InputError with place and remedy.
class ConfigSource {
 public:
  /// Reads a YAML file (maps of maps of scalars; `core.l1d: {ways: 4}` and `core.l1d.ways: 4` stand for their
  /// sections). A top-level key `include: other.yaml` reads that file first. It is looked for beside this one, then
  /// in `include_folders`, where .yaml may be left out; a file does not find itself there while another has its name.
  /// Errors: unreadable file, malformed YAML (file:line:column), lists, duplicate keys, files that include each other.
  void add_file(const std::string& path, const std::vector<std::string>& include_folders = {});
  /// The same from text; `name` stands for the file in messages.
  void add_text(const std::string& text, const std::string& name);
  /// "path=value" as given to --set.
  void add_assignment(const std::string& assignment);

  [[nodiscard]] const std::map<std::string, ConfigEntry>& entries() const { return entries_; }
  /// Paths of all files that were read, each before those that it includes.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

 private:
  std::map<std::string, ConfigEntry> entries_;
  std::vector<std::string> files_;
};

/// What describe_config() yields for each key, in declaration order; those for tests are the last.
struct KeyDescription {
  std::string path;
  std::string value;  ///< default, or the present value of the given struct
  FieldInfo info;
};

namespace detail {
void load(const ConfigSource& source, const std::function<void(ConfigVisitor&)>& visit);
std::vector<KeyDescription> describe(const std::function<void(ConfigVisitor&)>& visit);
std::string write_yaml(const std::function<void(ConfigVisitor&)>& visit);
}  // namespace detail

/// Applies the source to the struct. Throws InputError: value of the wrong kind, out of range or not among
/// the choices (at file:line, naming what is allowed); unknown key (at file:line, naming the nearest valid
/// key). Then calls config.validate() if the struct has one (cross-field checks, throws InputError).
template <class Config>
void load_config(const ConfigSource& source, Config& config) {
  detail::load(source, [&](ConfigVisitor& v) { config.visit(v); });
  if constexpr (requires { config.validate(); }) config.validate();
}

/// Every key with its present value, unit, range and meaning.
template <class Config>
[[nodiscard]] std::vector<KeyDescription> describe_config(Config config = {}) {
  return detail::describe([&](ConfigVisitor& v) { config.visit(v); });
}

/// The whole struct as YAML; reading it back gives the same struct.
template <class Config>
[[nodiscard]] std::string write_config(Config config) {
  return detail::write_yaml([&](ConfigVisitor& v) { config.visit(v); });
}

/// The candidate with the smallest edit distance to `word` if it is near enough to be a likely typo.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view word,
                                                      const std::vector<std::string>& candidates);

}  // namespace heddle::base
