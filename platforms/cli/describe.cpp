// heddle describe: every configuration key with its value, unit, range and meaning.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/files.h"
#include "gpu/platform_files.h"
#include "sim/config.h"

namespace heddle::cli {
namespace {

struct Settings {
  std::string platform = gpu::kDefaultPlatform;
  std::vector<std::string> assignments;
  bool json = false;
};

std::string number(double value) {
  return std::floor(value) == value && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                              : fmt::format("{}", value);
}

/// "1 .. 80", ">= 1", "lrr | gto"; empty for flags and free text.
std::string range(const sim::KeyDescription& key) {
  if (!key.info.choices.empty()) return fmt::format("{}", fmt::join(key.info.choices, " | "));
  if (key.info.max < std::numeric_limits<double>::max())
    return fmt::format("{} .. {}", number(key.info.min), number(key.info.max));
  return key.info.min != 0 ? fmt::format(">= {}", number(key.info.min)) : "";
}

void print_table(const std::vector<sim::KeyDescription>& keys) {
  std::size_t path_width = 0, value_width = 0, unit_width = 0, range_width = 0;
  for (const auto& key : keys) {
    path_width = std::max(path_width, key.path.size());
    value_width = std::max(value_width, key.value.size());
    unit_width = std::max(unit_width, key.info.unit.size());
    range_width = std::max(range_width, range(key).size());
  }
  for (const auto& key : keys)
    fmt::print("{:<{}}  {:>{}}  {:<{}}  {:<{}}  {}\n", key.path, path_width, key.value, value_width,
               key.info.unit, unit_width, range(key), range_width, key.info.doc);
}

void print_json(const std::vector<sim::KeyDescription>& keys) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const auto& key : keys) {
    nlohmann::ordered_json entry = {{"path", key.path}, {"value", key.value}, {"unit", key.info.unit}};
    if (!key.info.choices.empty())
      entry["choices"] = key.info.choices;
    else if (key.info.max < std::numeric_limits<double>::max())
      entry["range"] = {key.info.min, key.info.max};
    entry["meaning"] = key.info.doc;
    json.push_back(entry);
  }
  fmt::print("{}\n", json_text(json, 1));
}

}  // namespace

void add_describe(CLI::App& app, Body& body) {
  CLI::App* command =
      app.add_subcommand("describe", "Configuration keys of a platform: value, unit, range, meaning");
  const auto settings = std::make_shared<Settings>();
  command->add_option("PLATFORM", settings->platform, "Platform name or .yaml file")->capture_default_str();
  command->add_option("--set", settings->assignments, "KEY=VALUE, as for heddle run")
      ->allow_extra_args(false);
  command->add_flag("--json", settings->json, "As JSON");
  command->callback([settings, &body] {
    body = [settings] {
      const auto keys = sim::describe_config(gpu::load_platform(settings->platform, settings->assignments));
      settings->json ? print_json(keys) : print_table(keys);
      return sim::ExitCode::kOk;
    };
  });
}

}  // namespace heddle::cli
