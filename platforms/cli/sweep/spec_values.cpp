#include "cli/sweep/spec_values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "cli/errors.h"

namespace heddle::cli {
namespace {

bool parse(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc{} && end == text.data() + text.size();
}

bool flag_in(const std::string& text, const std::string& what, const std::string& place) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw base::InputError(place, fmt::format("'{}' is true or false, not '{}'", what, text),
                         "write true or false");
}

double seconds_in(const std::string& text, const std::string& what, const std::string& place) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number) ||
      number < 0)
    throw base::InputError(place, fmt::format("'{}' is a number of seconds, not '{}'", what, text),
                           "0: no limit");
  return number;
}

std::uint32_t bytes_in(const std::string& text, const std::string& what, const std::string& place) {
  const std::uint64_t bytes = whole_number_in(text, what, place);
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (bytes > kMost)
    throw base::InputError(place, fmt::format("'{}' is at most {} bytes", what, kMost), "write fewer");
  return static_cast<std::uint32_t>(bytes);
}

const std::vector<std::string> kOptions = {"max_cycles", "max_seconds",        "sample",
                                           "profile",    "per_launch",         "cold_caches",
                                           "check",      "trace_control_flow", "trace_timeline"};
const std::vector<std::string> kOfKernel = {"name",   "ptx",         "cubin", "entry",  "grid",   "block",
                                            "shared", "cooperative", "arg",   "buffer", "compare"};

}  // namespace

std::uint64_t whole_number_in(const std::string& text, const std::string& what, const std::string& place) {
  std::uint64_t number = 0;
  if (!parse(text, number))
    throw base::InputError(place, fmt::format("'{}' is a whole number of at least 0, not '{}'", what, text),
                           "write it in decimal");
  return number;
}

std::vector<std::string> values_in(const std::string& text, const std::string& place) {
  const auto dots = text.find("..");
  if (dots == std::string::npos) return {text};
  std::uint64_t first = 0, last = 0;
  if (!parse(std::string_view(text).substr(0, dots), first) ||
      !parse(std::string_view(text).substr(dots + 2), last))
    return {text};  // a path
  if (last < first || last - first >= kMostRuns)
    throw base::InputError(place, fmt::format("'{}' is no range", text),
                           fmt::format("write FIRST..LAST, at most {} numbers", kMostRuns));
  std::vector<std::string> values;
  for (std::uint64_t i = first; i <= last; ++i) values.push_back(fmt::format("{}", i));
  return values;
}

Axis axis_of(const std::string& assignment, const std::string& option) {
  const std::string place = fmt::format("{} {}", option, assignment);
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == assignment.size())
    throw base::InputError(place, "is not NAME=VALUE,VALUE,...",
                           "for example --vary core.l1d.size_kib=16,32");
  const std::string name = assignment.substr(0, equals);
  Axis axis;
  for (std::size_t at = equals + 1; at <= assignment.size();) {
    const std::size_t comma = std::min(assignment.find(',', at), assignment.size());
    if (comma == at)
      throw base::InputError(place, "has an empty value", "for example --vary core.l1d.size_kib=16,32");
    for (std::string& value : values_in(assignment.substr(at, comma - at), place)) {
      for (const Choice& other : axis.choices)
        if (other.front().value == value)
          throw base::InputError(place, fmt::format("has the value {} twice", value),
                                 "leave one of them out");
      axis.choices.push_back({{name, std::move(value), place}});
    }
    at = comma + 1;
  }
  return axis;
}

void set_option(SweepOptions& options, const std::string& name, const std::string& value,
                const std::string& place) {
  if (name == "max_cycles")
    options.max_cycles = whole_number_in(value, name, place);
  else if (name == "max_seconds")
    options.max_seconds = seconds_in(value, name, place);
  else if (name == "sample")
    options.sample = whole_number_in(value, name, place);
  else if (name == "profile")
    options.profile = flag_in(value, name, place);
  else if (name == "per_launch")
    options.per_launch = flag_in(value, name, place);
  else if (name == "cold_caches")
    options.cold_caches = flag_in(value, name, place);
  else if (name == "trace_control_flow")
    options.trace_control_flow = flag_in(value, name, place);
  else if (name == "trace_timeline")
    options.trace_timeline = flag_in(value, name, place);
  else if (name == "check" && value == "oracle")
    options.check_oracle = true;
  else if (name == "check")
    throw base::InputError(place, fmt::format("'check' is oracle, not '{}'", value), "write check: oracle");
  else
    throw unknown_name(place, "option", name, kOptions);
}

void set_of_kernel(SweepKernel& kernel, const std::string& name, const std::vector<std::string>& values,
                   const std::string& place) {
  PtxRequest& request = kernel.request;
  if (name == "arg") {
    request.arguments = values;
    return;
  }
  if (name == "buffer") {
    request.buffers = values;
    return;
  }
  if (name == "compare") {
    request.compares = values;
    return;
  }
  // A grid may be a list of its dimensions.
  const bool dimensions = name == "grid" || name == "block";
  if (values.size() != 1 && !dimensions)
    throw base::InputError(place, fmt::format("'{}' of a kernel has one value", name), "leave one of them");
  if (name == "name")
    kernel.name = values[0];
  else if (name == "ptx")
    request.file = values[0];
  else if (name == "cubin")
    request.file = request.machine_code_file = values[0];
  else if (name == "entry")
    request.entry = values[0];
  else if (dimensions)
    (name == "grid" ? request.grid : request.block) = fmt::format("{}", fmt::join(values, ","));
  else if (name == "shared")
    request.shared_bytes = bytes_in(values[0], name, place);
  else if (name == "cooperative")
    request.cooperative = flag_in(values[0], name, place);
  else
    throw unknown_name(place, "setting of a kernel", name, kOfKernel);
  request.machine_code = !request.machine_code_file.empty();
}

}  // namespace heddle::cli
