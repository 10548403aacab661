#include "workloads/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <vector>

#include "base/error.h"

namespace heddle::workloads {

void set_parameter(const Workload& workload, const std::string& assignment, Options& options) {
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    throw base::InputError("--param " + assignment, what, remedy);
  };
  std::vector<std::string> names;
  for (const Parameter& parameter : workload.parameters) names.push_back(parameter.name);
  const std::string known = names.empty() ? "its input is chosen by --size only"
                                          : fmt::format("there are {}", fmt::join(names, ", "));
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) refuse("it has no value", "write NAME=VALUE; " + known);
  const std::string name = assignment.substr(0, equals), text = assignment.substr(equals + 1);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) refuse(fmt::format("{} has no parameter '{}'", workload.name, name), known);
  const Parameter& parameter = workload.parameters[static_cast<std::size_t>(found - names.begin())];
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc() && end == text.data() + text.size();
  if (!number || value < parameter.least || value > parameter.most ||
      (parameter.power_of_two && !std::has_single_bit(value)))
    refuse(fmt::format("{} cannot be '{}'", name, text),
           fmt::format("it is a {} from {} to {}", parameter.power_of_two ? "power of two" : "whole number",
                       parameter.least, parameter.most));
  options.parameters[name] = value;
}

std::uint32_t chosen(const Options& options, const std::string& name, std::uint32_t of_size) {
  const auto found = options.parameters.find(name);
  return found == options.parameters.end() ? of_size : found->second;
}

}  // namespace heddle::workloads
