#include "microbench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "microbench/number.h"
#include "microbench/session.h"

namespace heddle::microbench {

std::string number(double value) {
  if (value == std::round(value)) return fmt::format("{:.0f}", value);
  std::string text = fmt::format("{:.3f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

bool Result::ok() const {
  return std::all_of(readings.begin(), readings.end(), [](const Reading& reading) { return reading.ok(); });
}

Result run(const Benchmark& benchmark, Session& session) {
  session.begin();
  Result result{.benchmark = benchmark.name, .readings = {}};
  if (benchmark.missing != nullptr) result.missing = benchmark.missing(session.config());
  if (!result.missing.empty()) return result;
  try {
    benchmark.run(session);
  } catch (const OnlyTheModel& asked) {
    result.missing = fmt::format("only the model tells {}", asked.what());
  }
  result.readings = session.readings();
  return result;
}

std::string table(const std::vector<Result>& results) {
  const std::vector<std::string> header = {"benchmark", "measured", "expected", "unit", "from (keys)", "ok"};
  std::vector<std::vector<std::string>> lines = {header};
  for (const Result& result : results) {
    if (!result.missing.empty()) lines.push_back({result.benchmark, "-", "-", "", result.missing, "-"});
    for (const Reading& r : result.readings)
      lines.push_back({result.benchmark + (r.what.empty() ? "" : " " + r.what), number(r.measured),
                       r.expected.text(), r.unit, r.keys, r.ok() ? "ok" : "FAILED"});
  }
  std::vector<std::size_t> widths(header.size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string out;
  for (const auto& line : lines) {
    out += fmt::format("{:<{}} | {:>{}} | {:>{}} | {:<{}} | {:<{}} | {}\n", line[0], widths[0], line[1],
                       widths[1], line[2], widths[2], line[3], widths[3], line[4], widths[4], line[5]);
    if (&line == &lines.front()) {
      std::size_t total = header.back().size();
      for (std::size_t i = 0; i + 1 < widths.size(); ++i) total += widths[i] + 3;
      out += std::string(total, '-') + "\n";
    }
  }
  std::vector<std::string> told;  // prints each reason once
  for (const Result& result : results)
    for (const Reading& r : result.readings) {
      if (r.why.empty() || std::find(told.begin(), told.end(), result.benchmark + r.why) != told.end())
        continue;
      out += fmt::format("{}{}: {}\n", told.empty() ? "\nWhere a value is a bound:\n  " : "  ",
                         result.benchmark, r.why);
      told.push_back(result.benchmark + r.why);
    }
  return out;
}

nlohmann::ordered_json to_json(const std::vector<Result>& results) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Result& result : results)
    for (const Reading& r : result.readings)
      json.push_back({{"benchmark", result.benchmark},
                      {"what", r.what},
                      {"measured", r.measured},
                      {"expected", r.expected.value},
                      {"bound", Expectation::kBoundNames[static_cast<unsigned>(r.expected.bound)]},
                      {"slack", r.expected.slack},
                      {"unit", r.unit},
                      {"keys", r.keys},
                      {"why", r.why},
                      {"ok", r.ok()}});
  return json;
}

}  // namespace heddle::microbench
