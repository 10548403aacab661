#include "results/run_folder.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/text_input.h"
#include "results/run_statistics.h"

namespace heddle::results {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr const char* kRemedy = "give folders that heddle run --out or heddle sweep --out has written";

std::string in(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

std::string scalar_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// What stats.json says of the run before its outcome.
std::vector<Parameter> identity_of(const Json& stats) {
  std::vector<Parameter> parameters;
  for (const auto& [name, value] : stats.items()) {
    if (name == "passed") break;
    if (name == "heddle") continue;
    if (value.is_object()) {
      for (const auto& [inner, number] : value.items())
        parameters.push_back(
            {name == "parameters" ? "param." + inner : name + "." + inner, scalar_text(number)});
    } else {
      parameters.push_back({name, scalar_text(value)});
    }
  }
  return parameters;
}

int exit_code_of(const Json& stats, const Json& host) {
  if (const auto code = host.find("exit_code"); code != host.end() && code->is_number_integer())
    return code->get<int>();
  if (!stats.value("complete", true)) return static_cast<int>(base::ExitCode::kInternal);
  return static_cast<int>(stats.at("passed").get<bool>() ? base::ExitCode::kOk : base::ExitCode::kMismatch);
}

void flatten(const YAML::Node& node, const std::string& prefix, std::vector<Parameter>& to) {
  for (const auto& entry : node) {
    const std::string path = prefix + entry.first.Scalar();
    if (entry.second.IsMap())
      flatten(entry.second, path + ".", to);
    else if (entry.second.IsScalar())
      to.push_back({path, entry.second.Scalar()});
  }
}

}  // namespace

bool is_run_folder(const std::string& folder) {
  std::error_code ignored;
  return fs::is_regular_file(in(folder, "stats.json"), ignored);
}

Json document_of(const std::string& folder, const std::string& file) {
  const std::string path = in(folder, file);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return nullptr;
  Json json = Json::parse(base::read_file(path, "a run's " + file, kMostBytes), nullptr, false);
  if (json.is_discarded()) throw base::InputError(path, "is not JSON, or ends too early", kRemedy);
  return json;
}

std::vector<Parameter> configuration_of(const std::string& folder) {
  const std::string path = in(folder, "config.yaml");
  std::vector<Parameter> keys;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return keys;
  try {
    flatten(YAML::Load(base::read_file(path, "a run's config.yaml", kMostBytes)), "", keys);
  } catch (const YAML::Exception& error) {
    throw base::InputError(path, error.what(), kRemedy);
  }
  return keys;
}

std::string digest_of(std::string_view text) {
  std::uint64_t digest = 0xcbf29ce484222325ull;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return fmt::format("{:016x}", digest);
}

MeasuredRun read_run(const std::string& folder) {
  if (!is_run_folder(folder)) {
    std::error_code ignored;
    throw base::InputError(
        folder, fs::exists(folder, ignored) ? "has no stats.json" : "there is no such folder", kRemedy);
  }
  const Json stats = document_of(folder, "stats.json"), host = document_of(folder, "host.json");
  if (stats.contains("total") && stats["total"].contains("estimate"))
    throw base::InputError(folder, "is an estimate: its statistics are of the CTAs that were simulated",
                           "Run it without --estimate; of an estimate stats.json has total.estimate.");
  MeasuredRun measured;
  Run& run = measured.run;
  try {
    run.parameters = identity_of(stats);
    run.exit_code = exit_code_of(stats, host.is_object() ? host : Json::object());
    run.status = status_of(static_cast<base::ExitCode>(run.exit_code));
    run.verdict = stats.at("verdict").get<std::string>();
    run.diagnosis = stats.value("diagnosis", "");
    run.heddle = stats.value("heddle", "");
    if (host.is_object()) {
      run.seconds = host.value("seconds", 0.0);
      if (const std::string commit = host.value("commit", ""); !commit.empty()) run.heddle += " " + commit;
    }
    run.cycles = stats.at("total").at("cycles").get<std::uint64_t>();
    RunStatistics statistics = statistics_of(stats);
    measured.statistics = std::move(statistics.statistics);
    measured.values = std::move(statistics.values);
  } catch (const nlohmann::json::exception& error) {
    throw base::InputError(
        folder, fmt::format("stats.json or host.json is not one of the model's runs ({})", error.what()),
        kRemedy);
  }
  std::error_code ignored;
  if (const std::string config = in(folder, "config.yaml"); fs::is_regular_file(config, ignored))
    run.configuration = digest_of(base::read_file(config, "a run's config.yaml", kMostBytes));
  run.folder = folder;
  return measured;
}

}  // namespace heddle::results
