#include "report/page.h"

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text_input.h"

namespace heddle::report {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t kMostPageBytes = std::size_t{64} << 20;
constexpr const char* kDataMark = "@data@";
constexpr const char* kTitleMark = "<title>Heddle report</title>";

std::string& installed_folder() {
  static std::string folder;
  return folder;
}

/// By run: what differs from run to run but is no parameter.
Json runs_json(const results::Results& results, const Machines& machines) {
  std::vector<std::string> statuses;
  std::vector<const std::string*> status, folder, configuration, heddle;
  statuses.reserve(results.runs().size());  // their addresses are kept
  Json machine = Json::array();
  for (std::size_t run = 0; run < results.runs().size(); ++run) {
    const results::Run& each = results.runs()[run];
    const auto text = [](const std::string& value) { return value.empty() ? nullptr : &value; };
    statuses.emplace_back(results::name_of(each.status));
    status.push_back(&statuses.back());
    folder.push_back(text(each.folder));
    configuration.push_back(text(each.configuration));
    heddle.push_back(text(each.heddle));
    const auto number = machines.of(run);
    machine.push_back(number ? Json(*number) : Json(-1));
  }
  return {{"count", results.runs().size()}, {"status", text_column(status)},
          {"folder", text_column(folder)},  {"configuration", text_column(configuration)},
          {"heddle", text_column(heddle)},  {"machine", machine}};
}

Json machines_json(const Machines& machines) {
  Json json = Json::array();
  for (const Machine& machine : machines.all()) json.push_back(machine_json(machine));
  return json;
}

Json about_json(const results::Results& results, const PageOptions& options) {
  Json about = {{"heddle", options.heddle}};
  for (const results::Parameter& each : results.about())
    if (each.name != "heddle") about[each.name] = each.value;
  return about;
}

}  // namespace

std::string report_folder() {
  if (const char* folder = std::getenv("HEDDLE_REPORT_DIR"); folder != nullptr && *folder != '\0')
    return folder;
  return installed_folder().empty() ? HEDDLE_REPORT_BUILD_DIR : installed_folder();
}

void use_report_folder(const std::string& folder) { installed_folder() = folder; }

std::string page_template() {
  const std::string path = (fs::path(report_folder()) / "page.html").string();
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    throw base::InputError(
        path, "is not there: this heddle was built without the page's chart libraries",
        "Run scripts/setup, which gets them by npm, and build again (platforms/report/README.md).");
  return base::read_file(path, "template of the page", kMostPageBytes);
}

Json page_data(const results::Results& results, const PageOptions& options) {
  const std::map<std::string, Sheet> sheets = read_sheets((fs::path(report_folder()) / "sheets").string());
  const Machines machines(results, sheets);
  Json data = {{"schema", 1},
               {"title", options.title},
               {"about", about_json(results, options)},
               {"runs", runs_json(results, machines)},
               {"parameters", parameters_json(results, options.describe)},
               {"common", common_json(results)},
               {"metrics", metrics_json(results, machines)},
               {"slots", slots_json(results)},
               {"occupancy_limits", occupancy_limits_json(results)},
               {"machines", machines_json(machines)},
               {"blocks", blocks_json(machines)},
               {"failures", failures_json(results)},
               {"files", trace_files_json(results, options.folder)}};
  if (options.baseline) data["baseline"] = *options.baseline;
  data.update(details_json(results, options.limits));
  return data;
}

std::string page_text(const std::string& page_template, const std::string& title, const Json& data) {
  const std::size_t mark = page_template.find(kDataMark);
  if (mark == std::string::npos)
    throw base::InputError(report_folder() + "/page.html", "has no place for data",
                           "Build or install Heddle again.");
  std::string json;
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<')
      json += "\\u003c";
    else
      json += c;
  }
  std::string text =
      page_template.substr(0, mark) + json + page_template.substr(mark + std::string_view(kDataMark).size());
  if (const std::size_t at = text.find(kTitleMark); at != std::string::npos) {
    std::string escaped;
    for (const char c : title) escaped += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    text.replace(at, std::string_view(kTitleMark).size(), "<title>" + escaped + "</title>");
  }
  return text;
}

}  // namespace heddle::report
