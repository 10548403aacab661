#include "correlation/means.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace heddle::correlation {
namespace {

std::optional<double> pearson(const std::vector<std::pair<double, double>>& points) {
  if (points.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(points.size());
  double mean_x = 0, mean_y = 0;
  for (const auto& [x, y] : points) mean_x += x / n, mean_y += y / n;
  double xy = 0, xx = 0, yy = 0;
  for (const auto& [x, y] : points) {
    xy += (x - mean_x) * (y - mean_y);
    xx += (x - mean_x) * (x - mean_x);
    yy += (y - mean_y) * (y - mean_y);
  }
  if (xx <= 0 || yy <= 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

}  // namespace

bool CycleRange::holds(const LaunchComparison& launch) const {
  const double cycles = launch.cycles().card.value_or(0);
  return cycles >= least && (most == 0 || cycles < most);
}

Means means_of(const std::vector<LaunchComparison>& launches, std::size_t counter, const CycleRange& range) {
  Means means;
  std::map<std::string, std::pair<double, double>> by_workload;  // sum of absolute errors, launches
  std::vector<std::pair<double, double>> points;
  for (const LaunchComparison& launch : launches) {
    const Pair& pair = launch.values[counter];
    const std::optional<double> error = pair.error();
    if (!error || !range.holds(launch)) continue;
    ++means.launches;
    means.absolute += std::abs(*error);
    means.bias += *error;
    auto& workload = by_workload[launch.workload];
    workload.first += std::abs(*error);
    workload.second += 1;
    if (*pair.card > 0 && *pair.model > 0) points.emplace_back(std::log(*pair.card), std::log(*pair.model));
  }
  if (means.launches == 0) return means;
  means.absolute /= static_cast<double>(means.launches);
  means.bias /= static_cast<double>(means.launches);
  for (const auto& [name, sum] : by_workload) means.by_workload += sum.first / sum.second;
  means.workloads = by_workload.size();
  means.by_workload /= static_cast<double>(means.workloads);
  means.pearson = pearson(points);
  return means;
}

Agreement agreement_of(const std::vector<LaunchComparison>& launches, std::size_t counter) {
  Agreement agreement;
  for (const LaunchComparison& launch : launches) {
    const Pair& pair = launch.values[counter];
    if (!pair.both()) continue;
    ++agreement.launches;
    agreement.equal += *pair.card == *pair.model;
    agreement.within += !differs(counters()[counter], pair);
  }
  return agreement;
}

std::vector<std::size_t> worst(const std::vector<LaunchComparison>& launches, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < launches.size(); ++i)
    if (launches[i].cycles().error()) order.push_back(i);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::abs(*launches[a].cycles().error()) > std::abs(*launches[b].cycles().error());
  });
  if (order.size() > most) order.resize(most);
  return order;
}

}  // namespace heddle::correlation
