// heddle describe: configuration keys, all of a platform or a selection, with value, unit, range and meaning.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/config.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/text_table.h"
#include "gpu/platform_files.h"

namespace heddle::cli {
namespace {

constexpr const char* kDescribeHelp = R"(Examples:
  heddle describe                                       every key on the default platform
  heddle describe rtx2060                               every key on another
  heddle describe core.scheduler.policy                 one key
  heddle describe core.scheduler --platform rtx2060     the keys of a section
  heddle describe test                                  keys for tests of the model: perturbations, checks

A word that names a platform, has a '/' or ends in .yaml is the platform; any other is a key or a section.
The default is what a platform file that does not give the key gets.)";

struct DescribeRequest {
  std::vector<std::string> words;  ///< at most one platform, any number of keys and sections
  std::string platform;            ///< of --platform
  std::vector<std::string> assignments;
  bool json = false;
};

struct DescribedKey {
  base::KeyDescription key;
  std::string default_value;
};

std::string number(double value) {
  return std::floor(value) == value && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                              : fmt::format("{}", value);
}

/// "1 .. 80", ">= 1", "lrr | gto"; empty for flags and free text.
std::string range(const base::KeyDescription& key) {
  if (!key.info.choices.empty()) return fmt::format("{}", fmt::join(key.info.choices, " | "));
  if (key.info.max < std::numeric_limits<double>::max())
    return fmt::format("{} .. {}", number(key.info.min), number(key.info.max));
  return key.info.min != 0 ? fmt::format(">= {}", number(key.info.min)) : "";
}

/// Like range(), but also for flags.
std::string values(const base::KeyDescription& key) {
  const bool flag = key.info.choices.empty() && (key.value == "true" || key.value == "false");
  return flag ? "true | false" : range(key);
}

void print_table(const std::vector<DescribedKey>& keys) {
  TextTable table(0, {.right = {1}});
  for (const auto& [key, default_value] : keys)
    table.row(
        {key.path, key.value, key.info.unit, range(key),
         key.info.doc + (key.value == default_value ? "" : fmt::format(" (default {})", default_value))});
  fmt::print("{}", table.text());
}

/// The meaning, with a line for every choice that it explains ("lrr: next ready warp; gto: the oldest").
std::string meaning(const base::KeyDescription& key) {
  std::string text = key.info.doc;
  for (const std::string& choice : key.info.choices)
    if (const auto at = text.find("; " + choice + ": "); at != std::string::npos)
      text.replace(at, 2, fmt::format("\n  {:<9} ", ""));
  return text;
}

void print_key(const DescribedKey& described, const std::string& platform) {
  const auto& [key, default_value] = described;
  fmt::print("{} = {}\n", key.path, key.value);
  for (const auto& [name, text] : {std::pair<const char*, std::string>{"platform", platform},
                                   {"default", default_value},
                                   {"unit", key.info.unit},
                                   {"range", values(key)},
                                   {"meaning", meaning(key)}})
    if (!text.empty()) fmt::print("  {:<9} {}\n", name, text);
}

void print_json(const std::vector<DescribedKey>& keys) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const auto& [key, default_value] : keys) {
    nlohmann::ordered_json entry = {
        {"path", key.path}, {"value", key.value}, {"default", default_value}, {"unit", key.info.unit}};
    if (!key.info.choices.empty())
      entry["choices"] = key.info.choices;
    else if (key.info.max < std::numeric_limits<double>::max())
      entry["range"] = {key.info.min, key.info.max};
    entry["meaning"] = key.info.doc;
    json.push_back(entry);
  }
  fmt::print("{}\n", json_text(json, 1));
}

bool within(const std::string& path, const std::string& section) {
  return path == section || path.starts_with(section + ".");
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('.') + 1); }

/// Suggests the nearest platform, section or key, or the keys whose last component is equal or similar to the
/// word.
base::InputError unknown_word(const std::string& word, const std::vector<DescribedKey>& keys,
                              const std::vector<std::string>& platforms) {
  std::vector<std::string> whole = platforms, last;
  for (const auto& [key, default_value] : keys) {
    for (auto dot = key.path.find('.'); dot != std::string::npos; dot = key.path.find('.', dot + 1))
      whole.push_back(key.path.substr(0, dot));
    whole.push_back(key.path);
    last.push_back(last_name(key.path));
  }
  const std::string place = "heddle describe " + word;
  const std::string what = "there is no platform, key or section of that name";
  const bool is_last = std::find(last.begin(), last.end(), word) != last.end();
  if (const auto near = base::nearest_name(word, whole); near && !is_last)
    return {place, fmt::format("{}; did you mean '{}'?", what, *near)};
  if (const auto near = is_last ? std::optional(word) : base::nearest_name(word, last)) {
    std::vector<std::string> paths;
    for (const auto& [key, default_value] : keys)
      if (last_name(key.path) == *near) paths.push_back(key.path);
    return {place, what, fmt::format("keys named '{}': {}", *near, fmt::join(paths, ", "))};
  }
  return {place, what,
          fmt::format("platforms: {}; heddle describe lists the keys", fmt::join(platforms, ", "))};
}

base::ExitCode describe(DescribeRequest request) {
  std::vector<std::string> platforms;
  for (const gpu::Platform& platform : gpu::platforms()) platforms.push_back(platform.name);
  std::vector<std::string> wanted;
  for (const std::string& word : request.words) {
    const bool file =
        word.find('/') != std::string::npos || word.ends_with(".yaml") || word.ends_with(".yml");
    if (!file && std::find(platforms.begin(), platforms.end(), word) == platforms.end()) {
      wanted.push_back(word);
    } else if (request.platform.empty()) {
      request.platform = word;
    } else {
      throw base::InputError("heddle describe " + word,
                             fmt::format("the platform is '{}' already", request.platform),
                             "give one platform");
    }
  }
  if (request.platform.empty()) request.platform = gpu::kDefaultPlatform;

  const gpu::GpuConfig config = gpu::load_platform(request.platform, request.assignments);
  std::map<std::string, std::string> defaults;
  for (const auto& key : base::describe_config<gpu::GpuConfig>()) defaults[key.path] = key.value;
  std::vector<DescribedKey> keys;
  for (const auto& key : base::describe_config(config)) keys.push_back({key, defaults.at(key.path)});
  for (const std::string& word : wanted)
    if (std::none_of(keys.begin(), keys.end(),
                     [&](const auto& known) { return within(known.key.path, word); }))
      throw unknown_word(word, keys, platforms);
  if (wanted.empty())
    std::erase_if(keys, [](const DescribedKey& known) { return known.key.info.use == base::KeyUse::kTest; });
  else
    std::erase_if(keys, [&](const DescribedKey& known) {
      return std::none_of(wanted.begin(), wanted.end(),
                          [&](const std::string& word) { return within(known.key.path, word); });
    });

  if (request.json)
    print_json(keys);
  else if (keys.size() == 1 && wanted == std::vector{keys.front().key.path})
    print_key(keys.front(), config.name);
  else
    print_table(keys);
  return base::ExitCode::kOk;
}

}  // namespace

void add_describe(CLI::App& app, Body& body) {
  CLI::App* command = app.add_subcommand("describe", "Configuration keys: value, unit, range, meaning");
  command->footer(kDescribeHelp);
  const auto request = std::make_shared<DescribeRequest>();
  command->add_option("WHAT", request->words,
                      "Platform, keys and sections to describe; without one all keys but those for tests");
  command->add_option("--platform", request->platform,
                      fmt::format("Platform name or .yaml file (default {})", gpu::kDefaultPlatform));
  command->add_option("--set", request->assignments, "KEY=VALUE, as for heddle run; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--json", request->json, "As JSON");
  command->callback([request, &body] { body = [request] { return describe(*request); }; });
}

}  // namespace heddle::cli
