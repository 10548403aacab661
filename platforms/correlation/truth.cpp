#include "correlation/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <utility>

#include "base/error.h"

namespace heddle::correlation {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRemedy = "platforms/correlation/README.md describes the form.";

/// A value of the file, and where it is: "counters.json: workloads.aes.small[0].kernel".
class Value {
 public:
  Value(const Json& json, std::string place) : json_(json), place_(std::move(place)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw base::InputError(is_file() ? place_.substr(0, place_.size() - 2) : place_, what, kRemedy);
  }

  [[nodiscard]] Value in(const std::string& name) const {
    if (!json_.contains(name)) fail(fmt::format("'{}' is missing", name));
    return {json_[name], place_ + (is_file() ? "" : ".") + name};
  }
  [[nodiscard]] bool has(const std::string& name) const { return json_.is_object() && json_.contains(name); }
  [[nodiscard]] std::string text() const {
    if (!json_.is_string()) fail("must be a text");
    return json_.get<std::string>();
  }
  [[nodiscard]] bool truth() const {
    if (!json_.is_boolean()) fail("must be true or false");
    return json_.get<bool>();
  }
  [[nodiscard]] double number() const {
    if (!json_.is_number()) fail("must be a number");
    const auto value = json_.get<double>();
    if (!std::isfinite(value) || value < 0) fail("must not be negative");
    return value;
  }
  [[nodiscard]] std::uint64_t count() const {
    const double value = number();
    if (value != std::floor(value) || value > 9e15) fail("must be a whole number");
    return static_cast<std::uint64_t>(value);
  }
  void object() const {
    if (!json_.is_object()) fail("must be an object");
  }
  /// Calls fn(value) for every element.
  template <class Fn>
  void each(Fn fn) const {
    if (!json_.is_array()) fail("must be a list");
    for (std::size_t i = 0; i < json_.size(); ++i) fn(Value(json_[i], fmt::format("{}[{}]", place_, i)));
  }
  /// Calls fn(name, value) for every member.
  template <class Fn>
  void members(Fn fn) const {
    object();
    for (const auto& [name, value] : json_.items()) fn(name, in(name));
  }
  /// Refuses members of other names: a typing error would be a value that is not compared.
  void only(const std::set<std::string>& names) const {
    members([&](const std::string& name, const Value& value) {
      if (!names.contains(name)) value.fail("is not part of the form");
    });
  }
  [[nodiscard]] std::size_t size() const { return json_.size(); }

 private:
  /// The value is the whole file: its place is "counters.json: ".
  [[nodiscard]] bool is_file() const { return place_.ends_with(": "); }

  const Json& json_;
  std::string place_;
};

InstructionCount instruction(const Value& row) {
  InstructionCount count;
  std::size_t column = 0;
  row.each([&](const Value& value) {
    switch (column++) {
      case 0:
        count.offset = value.count();
        break;
      case 1:
        count.text = value.text();
        break;
      case 2:
        count.warps = value.count();
        break;
      case 3:
        count.lanes = value.count();
        break;
      default:
        break;
    }
  });
  if (column != 4) row.fail("must have four elements: offset, text, executions by warps, by lanes");
  return count;
}

CardLaunch launch(const Value& value, const std::vector<std::string>& names) {
  value.only({"kernel", "launch_of_kernel", "counters", "values", "instructions"});
  CardLaunch launch;
  launch.kernel = value.in("kernel").text();
  const std::uint64_t number = value.in("launch_of_kernel").count();
  if (number == 0 || number > std::numeric_limits<std::uint32_t>::max())
    value.in("launch_of_kernel").fail("counts from 1");
  launch.launch_of_kernel = static_cast<std::uint32_t>(number);
  if (value.has("counters"))
    value.in("counters").members([&](const std::string& name, const Value& count) {
      launch.counters[name] = count.number();
    });
  if (value.has("values")) {
    const Value values = value.in("values");
    std::size_t column = 0;
    values.each([&](const Value& count) {
      if (column < names.size()) launch.counters[names[column]] = count.number();
      ++column;
    });
    if (column != names.size())
      values.fail(
          fmt::format("has {} values for the {} names of the file's 'counters'", column, names.size()));
  }
  if (value.has("instructions"))
    value.in("instructions").each([&](const Value& row) {
      launch.instructions.push_back(instruction(row));
      const auto& all = launch.instructions;
      if (all.size() > 1 && all[all.size() - 2].offset >= all.back().offset) row.fail("offsets must ascend");
    });
  return launch;
}

CardRun run(const std::string& workload, const std::string& size, const Value& launches,
            const std::vector<std::string>& names) {
  CardRun run{workload, size, {}};
  launches.each([&](const Value& value) {
    CardLaunch next = launch(value, names);
    for (const CardLaunch& other : run.launches)
      if (other.kernel == next.kernel && other.launch_of_kernel == next.launch_of_kernel)
        value.fail(fmt::format("launch {} of {} is here twice", next.launch_of_kernel, next.kernel));
    run.launches.push_back(std::move(next));
  });
  if (run.launches.empty()) launches.fail("has no launches");
  return run;
}

}  // namespace

Truth parse_truth(const std::string& text, const std::string& file) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 1, ..."
    throw base::InputError(file, what.substr(std::min(what.find("] ") + 2, what.size())),
                           fmt::format("The file must be JSON. {}", kRemedy));
  }
  const Value root(json, file + ": ");
  root.object();
  Truth truth;
  std::vector<std::string> names;
  const bool has_header = root.has("workloads");
  if (has_header) {
    root.only({"device", "recorded", "cold_caches", "replayed", "counters", "workloads"});
    if (root.has("device")) truth.device = root.in("device").text();
    if (root.has("cold_caches")) truth.cold_caches = root.in("cold_caches").truth();
    if (root.has("replayed")) truth.replayed = root.in("replayed").truth();
    if (root.has("counters"))
      root.in("counters").each([&](const Value& name) { names.push_back(name.text()); });
  }
  (has_header ? root.in("workloads") : root).members([&](const std::string& workload, const Value& sizes) {
    sizes.members([&](const std::string& size, const Value& launches) {
      truth.runs.push_back(run(workload, size, launches, names));
    });
  });
  if (truth.runs.empty()) root.fail("has no workloads");
  return truth;
}

Truth read_truth(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream || !text) throw base::InputError(file, "the file cannot be read", "give a recorded truth");
  return parse_truth(text.str(), file);
}

void Truth::add(Truth other, const std::string& file) {
  if (device.empty()) device = other.device;
  for (const auto& [key, same] : {std::pair("cold_caches", cold_caches == other.cold_caches),
                                  std::pair("replayed", replayed == other.replayed)})
    if (!same)
      throw base::InputError(file, fmt::format("'{}' is not as in the files before", key),
                             "compare recordings of the same kind");
  for (CardRun& from : other.runs) {
    const auto same_run = std::ranges::find_if(
        runs, [&](const CardRun& to) { return to.workload == from.workload && to.size == from.size; });
    if (same_run == runs.end()) {
      runs.push_back(std::move(from));
      continue;
    }
    for (CardLaunch& launch : from.launches) {
      const auto to = std::ranges::find_if(same_run->launches, [&](const CardLaunch& each) {
        return each.kernel == launch.kernel && each.launch_of_kernel == launch.launch_of_kernel;
      });
      if (to == same_run->launches.end()) {
        same_run->launches.push_back(std::move(launch));
        continue;
      }
      const auto twice = [&](const std::string& what) {
        return base::InputError(
            file,
            fmt::format("{} of launch {} of {} ({}, size {}) is in a file before as well", what,
                        launch.launch_of_kernel, launch.kernel, from.workload, from.size),
            "Leave one of the files out.");
      };
      for (const auto& [name, value] : launch.counters)
        if (!to->counters.emplace(name, value).second) throw twice(name);
      if (launch.instructions.empty()) continue;
      if (!to->instructions.empty()) throw twice("the instructions");
      to->instructions = std::move(launch.instructions);
    }
  }
}

}  // namespace heddle::correlation
