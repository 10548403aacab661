#include "cli/compare/compare_means.h"

#include <algorithm>
#include <cmath>

namespace heddle::cli {

const std::vector<std::string>& main_figures() {
  static const std::vector<std::string> names = {"total.cycles",
                                                 "total.warp_instructions",
                                                 "total.ipc",
                                                 "total.simd_efficiency",
                                                 "total.l1d.rate",
                                                 "total.l2.rate",
                                                 "total.dram.read_bytes",
                                                 "total.dram.write_bytes",
                                                 "total.dram.row_hit_rate",
                                                 "total.energy.dynamic_femtojoules"};
  return names;
}

bool is_complete(const results::Results& results, const RunPair& pair) {
  return results.runs()[pair.base].complete() && results.runs()[pair.other].complete();
}

namespace {

void add_causes(const Waterfall& fall, GroupMeans& means) {
  for (const CauseDifference& each : fall.causes) {
    auto cause = std::ranges::find(means.causes, each.cause, &CauseDifference::cause);
    if (cause == means.causes.end()) cause = means.causes.insert(means.causes.end(), {each.cause, 0, 0, 0});
    cause->base_slots += each.base_slots;
    cause->other_slots += each.other_slots;
    cause->cycles += each.cycles;
  }
}

}  // namespace

GroupMeans means_of(const results::Results& results, const PairGroup& group) {
  GroupMeans means;
  const auto values = results.table(main_figures());
  std::vector<double> logarithms(values.size(), 0);
  std::vector<std::size_t> counts(values.size(), 0);
  for (const RunPair& pair : group.pairs) {
    if (!is_complete(results, pair)) {
      ++means.incomplete;
      continue;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double base = values[i][pair.base], other = values[i][pair.other];
      if (!(base > 0) || !(other > 0)) continue;
      logarithms[i] += std::log(other / base);
      ++counts[i];
    }
    const auto base = static_cast<std::int64_t>(*results.runs()[pair.base].cycles);
    const auto other = static_cast<std::int64_t>(*results.runs()[pair.other].cycles);
    means.cycles += other - base;
    ++(other < base ? means.faster : other > base ? means.slower : means.equal);
    if (const auto fall = waterfall(results, pair.base, pair.other)) add_causes(*fall, means);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (counts[i] != 0)
      means.ratios.push_back({results.statistic(main_figures()[i]).value(),
                              std::exp(logarithms[i] / static_cast<double>(counts[i])), counts[i]});
  std::ranges::stable_sort(means.causes, [](const CauseDifference& a, const CauseDifference& b) {
    return std::abs(a.cycles) > std::abs(b.cycles);
  });
  return means;
}

}  // namespace heddle::cli
