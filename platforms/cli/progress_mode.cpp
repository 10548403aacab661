#include "cli/progress_mode.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace heddle::cli {

void add_progress_option(CLI::App& command, ProgressMode& mode) {
  static const std::map<std::string, ProgressMode> names = {{"text", ProgressMode::kText},
                                                            {"json", ProgressMode::kJson}};
  command
      .add_option_function<std::string>(
          "--progress", [&mode](const std::string& name) { mode = names.at(name); },
          "Tell on stderr how far it is and how long it will take, also where that is no terminal: text (the "
          "default), or json: "
          "a line of JSON each")
      ->type_name("text|json")
      ->check(CLI::IsMember({"text", "json"}));
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(std::max(seconds, 0.0)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::optional<double> seconds_left(double seconds, double done, double all) {
  if (done <= 0) return std::nullopt;
  return seconds * (all - done) / done;
}

}  // namespace heddle::cli
