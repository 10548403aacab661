#include "cli/profile_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

namespace heddle::cli {
namespace {

constexpr std::size_t kCausesShown = 3;
constexpr double kSmallestShare = 0.1;  ///< of a cause that is listed after the dominant one

}  // namespace

std::vector<base::Pc> KernelHeat::hottest() const {
  std::vector<base::Pc> pcs;
  for (std::uint32_t pc = 0; pc < by_pc.size(); ++pc)
    if (by_pc[pc].group_cycles() != 0) pcs.emplace_back(pc);
  std::stable_sort(pcs.begin(), pcs.end(), [this](base::Pc a, base::Pc b) {
    return by_pc[a.value()].group_cycles() > by_pc[b.value()].group_cycles();
  });
  return pcs;
}

std::vector<KernelHeat> profiled_kernels(const std::vector<gpu::KernelRecord>& records) {
  std::vector<KernelHeat> kernels;
  for (const gpu::KernelRecord& record : records) {
    if (!record.profile) continue;
    KernelHeat& kernel = kernels.emplace_back();
    kernel.code = record.code;
    kernel.launches = record.launches;
    kernel.complete = record.complete;
    kernel.cycles = record.cycles;
    kernel.by_pc = record.profile->by_pc();
    kernel.causes = record.profile->causes();
    for (const core::PcProfile& pc : kernel.by_pc) kernel.total += pc;
    for (const auto& [pcs, wait] : record.profile->dependences())
      kernel.dependences.push_back({base::Pc{pcs.first}, base::Pc{pcs.second}, wait});
    std::ranges::stable_sort(kernel.dependences, std::greater<>(),
                             [](const auto& each) { return each.wait.cycles; });
  }
  std::stable_sort(kernels.begin(), kernels.end(), [](const KernelHeat& a, const KernelHeat& b) {
    return a.total.group_cycles() > b.total.group_cycles();
  });
  return kernels;
}

ProgramFiles::ProgramFiles(const isa::Kernel& kernel) {
  if (!kernel.has_origins()) return;
  std::map<std::string, std::string> files;  // by name
  for (const isa::SourceOrigin& origin : kernel.source->origins) {
    const std::string name = origin.name();
    if (files.try_emplace(name, origin.file).first->second != origin.file) ambiguous_.insert(name);
  }
}

std::string ProgramFiles::text(const isa::SourceOrigin& origin) const {
  if (origin.line == 0 || !ambiguous_.contains(origin.name())) return origin.text();
  return fmt::format("{}:{}", origin.file, origin.line);
}

std::vector<LineHeat> hottest_lines(const KernelHeat& kernel) {
  std::map<isa::SourceOrigin, LineHeat> by_line;
  for (std::uint32_t pc = 0; pc < kernel.by_pc.size(); ++pc) {
    const isa::SourceOrigin line = kernel.code->has_origins()
                                       ? kernel.code->origin(base::Pc{pc})
                                       : isa::SourceOrigin{{}, kernel.code->code[pc].where.line};
    LineHeat& heat = by_line[line];
    heat.file = line.file;
    heat.line = line.line;
    ++heat.pcs;
    heat.sum += kernel.by_pc[pc];
  }
  std::vector<LineHeat> lines;
  for (const auto& [line, heat] : by_line)
    if (heat.sum.group_cycles() != 0) lines.push_back(heat);
  std::stable_sort(lines.begin(), lines.end(), [](const LineHeat& a, const LineHeat& b) {
    return a.sum.group_cycles() > b.sum.group_cycles();
  });
  return lines;
}

std::string waits_for(const core::PcProfile& profile, const std::vector<std::string>& names) {
  const std::uint64_t all = profile.waited();
  if (all == 0) return {};
  std::vector<unsigned> causes(names.size());
  std::iota(causes.begin(), causes.end(), 0u);
  std::stable_sort(causes.begin(), causes.end(),
                   [&](unsigned a, unsigned b) { return profile.waiting[a] > profile.waiting[b]; });
  std::string text;
  for (std::size_t i = 0; i < kCausesShown; ++i) {
    const double share = static_cast<double>(profile.waiting[causes[i]]) / static_cast<double>(all);
    if (i != 0 && share < kSmallestShare) break;
    text += fmt::format("{}{} {} %", text.empty() ? "" : ", ", names[causes[i]], std::lround(100 * share));
  }
  return text;
}

}  // namespace heddle::cli
