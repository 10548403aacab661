// What the user gave: YAML files and assignments, flattened to dotted paths.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/config.h"
#include "base/error.h"
#include "base/text_input.h"
#include "base/yaml_document.h"

namespace heddle::base {
namespace {

// YAML aliases can nest without end or multiply; no configuration comes near these.
constexpr const char* kRemedy =
    "write 'key: value' lines, those of a section indented below its name; heddle describe lists the keys";
constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxEntries = 100'000;
constexpr std::size_t kMaxBytes = std::size_t{16} << 20;  ///< of a file

std::string read_text(const std::string& path, const std::string& place) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw InputError(place, fmt::format("'{}' is a directory, not a configuration file", path),
                     "give the path of a .yaml file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    throw InputError(place,
                     fmt::format("cannot read configuration file '{}': {}", path, std::strerror(errno)),
                     "check the path and who may read it");
  const auto text = read_all(stream, kMaxBytes);
  if (stream.bad())
    throw InputError(place,
                     fmt::format("cannot read configuration file '{}': {}", path, std::strerror(errno)),
                     "check the path and who may read it");
  if (!text)
    throw InputError(place,
                     fmt::format("'{}' is larger than {} MiB: no configuration file", path, kMaxBytes >> 20));
  return *text;
}

/// Values appear in JSON and YAML, whose text is UTF-8.
void check_text(const std::string& value, const std::string& path, const std::string& place) {
  if (valid_utf8(value) != value)
    throw InputError(place, fmt::format("the value of '{}' is not UTF-8", path), "write it in UTF-8");
}

/// yaml-cpp lets a quote that is never closed swallow the rest of the file; here a value ends on its line.
bool closes_before_the_end(std::string_view line, std::size_t i) {
  if (i >= line.size() || (line[i] != '"' && line[i] != '\'')) return true;  // not quoted
  const char quote = line[i];
  for (++i; i < line.size(); ++i) {
    if (quote == '"' && line[i] == '\\')
      ++i;
    else if (line[i] == quote)
      return true;  // in single quotes, '' stands for one: its first half already shows that the quote closes
  }
  return false;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
  }
  return lines;
}

class YamlReader {
 public:
  /// Adds to `entries` and `files`.
  YamlReader(std::map<std::string, ConfigEntry>& entries, std::vector<std::string>& files,
             const std::vector<std::string>& include_folders = {})
      : entries_(entries), files_(files), include_folders_(include_folders) {}

  /// `place`: who asked for the file, empty for the command line.
  void file(const std::string& path, const std::string& place) {
    std::error_code error;
    const std::string canonical = std::filesystem::weakly_canonical(path, error).string();
    if (std::find(open_.begin(), open_.end(), canonical) != open_.end())
      throw InputError(place, fmt::format("'{}' includes itself, directly or through another file", path),
                       "remove one of the include: lines");
    const std::string content = read_text(path, place);
    files_.push_back(path);
    open_.push_back(canonical);
    text(content, path);
    open_.pop_back();
  }

  void text(const std::string& content, const std::string& name) {
    if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff") ||
        content.find('\0') != std::string::npos)
      throw InputError(name,
                       "this is UTF-16 or UTF-32 text, or no text at all; a configuration file is UTF-8",
                       "save it in UTF-8");
    const YamlDocument document(content, name, kRemedy);
    const YamlNode& root = document.root();
    if (root.kind == YamlNode::Kind::kNull) return;
    if (root.kind != YamlNode::Kind::kMap)
      throw InputError(at(name, root), "a configuration file holds 'key: value' lines, this one does not",
                       kRemedy);

    includes(root, name);
    lines_ = lines_of(content);
    std::map<std::string, std::string> seen;
    map(root, name, "", 1, seen);
  }

 private:
  [[nodiscard]] bool closes_on_its_line(const YAML::Mark& begin) const {
    return closes_before_the_end(lines_.at(static_cast<std::size_t>(begin.line)),
                                 static_cast<std::size_t>(begin.column));
  }

  static std::string at(const std::string& name, const YamlNode& node) {
    return fmt::format("{}:{}", name, node.mark.line + 1);
  }

  void includes(const YamlNode& root, const std::string& name) {
    std::string first;
    for (const auto& [key, value] : root.pairs) {
      if (key->kind != YamlNode::Kind::kScalar || key->scalar != "include") continue;
      const std::string place = at(name, *key);
      if (!first.empty())
        throw InputError(place, fmt::format("key 'include' was already given at {}", first));
      first = place;
      if (value->scalar.empty())
        throw InputError(place, "include takes one file name", "write include: other.yaml");
      file(included(value->scalar, name, place), place);
    }
  }

  /// The path of the file that `includer` calls `name`.
  std::string included(const std::string& name, const std::string& includer, const std::string& place) const {
    namespace fs = std::filesystem;
    std::string beside = (fs::path(includer).parent_path() / name).string();
    std::vector<std::string> looked_at{beside};
    const std::string file = fs::path(name).has_extension() ? name : name + ".yaml";
    if (fs::path(name).is_relative())
      for (const std::string& folder : include_folders_)
        looked_at.push_back((fs::path(folder) / file).string());
    std::error_code ignored;
    for (const std::string& path : looked_at)
      if (fs::exists(path, ignored) && !fs::equivalent(path, includer, ignored)) return path;
    if (looked_at.size() == 1 || fs::exists(beside, ignored)) return beside;  // file() says what is wrong
    throw InputError(place, fmt::format("there is no file '{}' to include", name),
                     fmt::format("looked for {}", fmt::join(looked_at, " and ")));
  }

  void map(const YamlNode& node, const std::string& name, const std::string& prefix, std::size_t depth,
           std::map<std::string, std::string>& seen) {
    if (depth > kMaxDepth)
      throw InputError(at(name, node), fmt::format("sections nest deeper than {} levels", kMaxDepth));
    for (const auto& [key, given] : node.pairs) {
      const std::string place = at(name, *key);
      if (key->scalar.empty()) throw InputError(place, "a key must be a plain name");
      const std::string path = prefix + key->scalar;
      if (path == "include") continue;
      const auto [previous, is_new] = seen.emplace(path, place);
      if (!is_new)
        throw InputError(place, fmt::format("key '{}' was already given at {}", path, previous->second),
                         "keep one of the two");
      if (seen.size() > kMaxEntries) throw InputError(place, "too many keys");
      value(*given, name, place, path, depth, seen);
    }
  }

  void value(const YamlNode& node, const std::string& name, const std::string& place, const std::string& path,
             std::size_t depth, std::map<std::string, std::string>& seen) {
    switch (node.kind) {
      case YamlNode::Kind::kMap:
        map(node, name, path + ".", depth + 1, seen);
        return;
      case YamlNode::Kind::kScalar:
        if (!closes_on_its_line(node.mark))
          throw InputError(fmt::format("{}:{}", place, node.mark.column + 1),
                           "malformed YAML: this quote is not closed on its line", "close it there");
        check_text(node.scalar, path, place);
        entries_.insert_or_assign(path, ConfigEntry{node.scalar, place});
        return;
      case YamlNode::Kind::kSequence:
        throw InputError(place,
                         fmt::format("'{}' is given a list; configuration values are single values", path),
                         "write one value, or 'key: value' lines below it if it is a section");
      case YamlNode::Kind::kNull:
        break;
    }
    throw InputError(place, fmt::format("'{}' has no value", path), "give it one or remove the line");
  }

  std::map<std::string, ConfigEntry>& entries_;
  std::vector<std::string>& files_;
  const std::vector<std::string> include_folders_;
  std::vector<std::string_view> lines_;  ///< of the text being read
  std::vector<std::string> open_;        ///< files being read, outermost first
};

}  // namespace

void ConfigSource::add_file(const std::string& path, const std::vector<std::string>& include_folders) {
  YamlReader(entries_, files_, include_folders).file(path, "");
}

void ConfigSource::add_text(const std::string& text, const std::string& name) {
  YamlReader(entries_, files_).text(text, name);
}

void ConfigSource::add_assignment(const std::string& assignment) {
  const auto equals = assignment.find('=');
  const std::string path(trim(std::string_view(assignment).substr(0, equals)));
  if (equals == std::string::npos || path.empty())
    throw InputError("--set " + assignment, "an assignment reads path=value", "for example --set cores=4");
  std::string value(trim(std::string_view(assignment).substr(equals + 1)));
  check_text(value, path, "--set " + path);
  entries_.insert_or_assign(path, ConfigEntry{std::move(value), "--set " + path});
}

}  // namespace heddle::base
