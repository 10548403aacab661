#include "correlation/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::correlation {
namespace {

template <class Launch>
const Launch* find(const std::vector<Launch>& launches, const std::string& kernel, std::uint32_t number) {
  const auto it = std::ranges::find_if(launches, [&](const Launch& launch) {
    return launch.kernel == kernel && launch.launch_of_kernel == number;
  });
  return it == launches.end() ? nullptr : &*it;
}

std::vector<Pair> values_of(const CardLaunch& card, const ModelLaunch* model, const CompareOptions& options) {
  const Lookup in_card = [&](const std::string& name) -> std::optional<double> {
    const auto it = card.counters.find(name);
    return it == card.counters.end() ? std::nullopt : std::optional(it->second);
  };
  std::vector<Pair> values;
  for (const Counter& counter : counters()) {
    Pair pair{evaluate(counter.card, in_card), std::nullopt};
    if (model != nullptr)
      if (const auto it = model->counters.find(counter.name); it != model->counters.end())
        pair.model = it->second + (values.size() == cycles_counter() ? options.add_cycles : 0);
    values.push_back(pair);
  }
  return values;
}

/// By offset, over those that ran on either side.
void compare_instructions(const CardLaunch& card, const ModelLaunch& model, LaunchComparison& to) {
  if (card.instructions.empty() || model.instructions.empty()) return;
  to.instructions_compared = true;
  std::map<std::uint64_t, std::pair<const InstructionCount*, const InstructionCount*>> by_offset;
  for (const InstructionCount& each : card.instructions)
    if (each.warps != 0) by_offset[each.offset].first = &each;
  for (const InstructionCount& each : model.instructions)
    if (each.warps != 0) by_offset[each.offset].second = &each;
  to.instructions = by_offset.size();
  const auto count = [](const InstructionCount* of, std::uint64_t InstructionCount::*member) {
    return of == nullptr ? 0.0 : static_cast<double>(of->*member);
  };
  for (const auto& [offset, both] : by_offset) {
    const auto& [c, m] = both;
    const Pair warps{count(c, &InstructionCount::warps), count(m, &InstructionCount::warps)};
    const Pair lanes{count(c, &InstructionCount::lanes), count(m, &InstructionCount::lanes)};
    if (warps.card == warps.model && lanes.card == lanes.model) continue;
    to.differences.push_back({offset,
                              c != nullptr && !c->text.empty() ? c->text
                              : m != nullptr                   ? m->text
                                                               : "",
                              warps, lanes});
  }
}

}  // namespace

std::optional<double> Pair::error() const {
  if (!both()) return std::nullopt;
  if (*card == 0) return *model == 0 ? std::optional(0.0) : std::nullopt;
  return (*model - *card) / *card;
}

bool differs(const Counter& counter, const Pair& pair) {
  if (!pair.both()) return false;
  const double distance = std::abs(*pair.model - *pair.card);
  return distance > counter.slack && distance > counter.tolerance * *pair.card;
}

std::optional<std::size_t> LaunchComparison::first_difference() const {
  for (std::size_t i = 0; i < cycles_counter(); ++i)
    if (counters()[i].comparable && differs(counters()[i], values[i])) return i;
  return std::nullopt;
}

std::vector<LaunchComparison> compare(const CardRun& card, const ModelRun& model,
                                      const CompareOptions& options) {
  std::vector<LaunchComparison> all;
  for (const CardLaunch& launch : card.launches) {
    LaunchComparison next{card.workload, card.size, launch.kernel, launch.launch_of_kernel, {}};
    const ModelLaunch* const found = find(model.launches, launch.kernel, launch.launch_of_kernel);
    next.values = values_of(launch, found, options);
    if (found != nullptr) {
      compare_instructions(launch, *found, next);
    } else if (!model.problem.empty()) {
      next.problem = model.problem;
    } else {
      std::uint32_t launches = 0;
      for (const ModelLaunch& each : model.launches) launches += each.kernel == launch.kernel;
      next.problem = launches == 0 ? "the model's run launches no kernel of this name"
                                   : fmt::format("the model's run launches the kernel {} time{} only",
                                                 launches, launches == 1 ? "" : "s");
    }
    all.push_back(std::move(next));
  }
  return all;
}

std::vector<std::string> unknown_kernels(const CardRun& card, const ModelRun& model) {
  std::vector<std::string> names;
  for (const ModelLaunch& launch : model.launches) {
    const auto same = [&](const auto& other) { return other.kernel == launch.kernel; };
    if (std::ranges::any_of(card.launches, same) || std::ranges::find(names, launch.kernel) != names.end())
      continue;
    names.push_back(launch.kernel);
  }
  return names;
}

}  // namespace heddle::correlation
