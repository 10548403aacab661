#include "cli/sweep/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "cli/cuda_run.h"
#include "gpu/platform_files.h"
#include "results/run_folder.h"

namespace heddle::cli {
namespace {

constexpr std::array<std::string_view, 9> kOwn = {"workload", "kernel",   "program", "compiler", "size",
                                                  "seed",     "platform", "cubin",   "variant"};

}  // namespace

bool is_key(const std::string& name) {
  return std::ranges::find(kOwn, name) == kOwn.end() && !name.starts_with("param.");
}

std::string value_of(const std::vector<Setting>& settings, const std::string& name) {
  for (const Setting& each : settings)
    if (each.name == name) return each.value;
  return {};
}

SweepPlan::SweepPlan(SweepSpec spec) : spec_(std::move(spec)) {
  std::map<std::string, std::string> owner;  // place of the first axis that has a setting
  for (const Axis& axis : spec_.axes) {
    std::map<std::string, std::string> own;
    for (const Choice& choice : axis.choices) {
      std::set<std::string> once;
      for (const Setting& setting : choice) {
        if (!once.insert(setting.name).second)
          throw base::InputError(setting.place, fmt::format("'{}' is set twice", setting.name),
                                 "leave one of them out");
        own.emplace(setting.name, setting.place);
      }
    }
    for (const auto& [name, place] : own)
      if (const auto [other, is_new] = owner.emplace(name, place); !is_new)
        throw base::InputError(place, fmt::format("'{}' is set twice, first at {}", name, other->second),
                               "a setting belongs to one list, one group of paired lists, or the variants");
  }
  const bool workloads = owner.contains("workload"), kernels = owner.contains("kernel"),
             programs = owner.contains("program");
  if (!workloads && !kernels && !programs)
    throw base::InputError(spec_.name, "nothing to run: neither workload, kernels nor programs",
                           "for example workload: [bfs, sgemm]");
  if (workloads + kernels + programs > 1)
    throw base::InputError(owner[kernels ? "kernel" : "program"],
                           "workloads, kernels of one's own and programs are sweeps of their own",
                           "write a spec for each; heddle compare takes several results");
  std::uint64_t product = 1;
  for (const Axis& axis : spec_.axes) {
    product *= axis.choices.size();
    if (product > kMostRuns)
      throw base::InputError(spec_.name, fmt::format("more than {} runs", kMostRuns), "vary less at a time");
  }
  for (std::uint64_t i = 0; i < product; ++i)
    if (!is_excluded(combination(i))) combinations_.push_back(static_cast<std::uint32_t>(i));
  if (combinations_.empty()) throw base::InputError(spec_.name, "'exclude' leaves no run", "exclude less");
}

std::vector<Setting> SweepPlan::combination(std::uint64_t number) const {
  std::vector<const Choice*> chosen(spec_.axes.size());
  for (std::size_t i = spec_.axes.size(); i-- > 0;) {
    const std::vector<Choice>& choices = spec_.axes[i].choices;
    chosen[i] = &choices[number % choices.size()];
    number /= choices.size();
  }
  std::vector<Setting> settings;
  for (const Choice* choice : chosen) settings.insert(settings.end(), choice->begin(), choice->end());
  return settings;
}

bool SweepPlan::is_excluded(const std::vector<Setting>& settings) const {
  return std::ranges::any_of(spec_.excluded, [&](const Choice& excluded) {
    return std::ranges::all_of(
        excluded, [&](const Setting& each) { return value_of(settings, each.name) == each.value; });
  });
}

std::vector<Setting> SweepPlan::settings(std::size_t run) const { return combination(combinations_.at(run)); }

std::vector<results::Parameter> SweepPlan::parameters(std::size_t run) const {
  std::vector<results::Parameter> parameters;
  const std::vector<Setting> chosen = settings(run);
  for (const Setting& each : chosen) parameters.push_back({each.name, each.value});
  const auto complete = [&](const char* name, const char* value) {
    if (value_of(chosen, name).empty()) parameters.push_back({name, value});
  };
  if (!value_of(chosen, "workload").empty()) {
    if (value_of(chosen, "cubin").empty()) complete("compiler", "nvcc");
    complete("size", "small");
    complete("seed", "1");
  }
  complete("platform", value_of(chosen, "program").empty() ? gpu::kDefaultPlatform : kDefaultProgramPlatform);
  return parameters;
}

const SweepKernel* SweepPlan::kernel(const std::string& name) const {
  for (const SweepKernel& each : spec_.kernels)
    if (each.name == name) return &each;
  return nullptr;
}

const SweepProgram* SweepPlan::program(const std::string& name) const {
  for (const SweepProgram& each : spec_.programs)
    if (each.name == name) return &each;
  return nullptr;
}

std::string SweepPlan::digest() const {
  std::string text;
  const auto add = [&](const std::string& word) { text += fmt::format("{}:{} ", word.size(), word); };
  const auto add_choice = [&](const Choice& choice) {
    for (const Setting& each : choice) {
      add(each.name);
      add(each.value);
    }
    text += '\n';
  };
  for (const Axis& axis : spec_.axes) {
    text += "axis\n";
    for (const Choice& choice : axis.choices) add_choice(choice);
  }
  text += "exclude\n";
  for (const Choice& choice : spec_.excluded) add_choice(choice);
  for (const SweepKernel& kernel : spec_.kernels) {
    const PtxRequest& r = kernel.request;
    for (const std::string& word : {kernel.name, r.file, r.entry, r.grid, r.block}) add(word);
    text += fmt::format("{} {}\n", r.shared_bytes, r.cooperative);
    for (const auto* list : {&r.arguments, &r.buffers, &r.compares})
      for (const std::string& word : *list) add(word);
  }
  for (const SweepProgram& program : spec_.programs) {
    text += "program\n";
    add(program.name);
    for (const std::string& word : program.command) add(word);
  }
  const SweepOptions& o = spec_.options;
  text += fmt::format("{} {} {} {} {} {} {}", o.max_cycles, o.max_seconds, o.sample, o.profile, o.per_launch,
                      o.cold_caches, o.check_oracle);
  // Sweeps without traces keep the digest that they had before there were any.
  if (o.trace_control_flow || o.trace_timeline)
    text += fmt::format(" {} {}", o.trace_control_flow, o.trace_timeline);
  return results::digest_of(text);
}

}  // namespace heddle::cli
