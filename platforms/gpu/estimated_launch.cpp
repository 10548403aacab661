#include "gpu/estimated_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"

namespace heddle::gpu {
namespace {

/// Of Student's distribution: 95 % lie within. `freedom`: degrees of freedom, at least 1; those between whole ones are
/// interpolated.
double student(double freedom) {
  constexpr std::array kWithin = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                  2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                  2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  constexpr double kNormal = 1.96;
  const auto whole = static_cast<std::size_t>(freedom);
  if (whole >= kWithin.size()) return kNormal;
  const double below = static_cast<double>(whole), step = below * (below + 1) * (1 / below - 1 / freedom);
  return std::exp((1 - step) * std::log(kWithin.at(whole - 1)) + step * std::log(kWithin.at(whole)));
}

}  // namespace

void check(const Estimation& estimation) {
  if (estimation.windows >= 2 && estimation.warm_up_waves != 0 && estimation.measured_waves != 0) return;
  throw base::InputError("an estimate of launches",
                         fmt::format("{} windows, {} waves that warm up, {} that count", estimation.windows,
                                     estimation.warm_up_waves, estimation.measured_waves),
                         "take at least two windows, with a wave of each kind");
}

std::vector<CtaRange> windows_of(std::uint64_t ctas, std::uint64_t wave, const Estimation& estimation) {
  const std::uint64_t waves = std::uint64_t{estimation.warm_up_waves} + estimation.measured_waves + 1;
  const std::uint64_t size = waves * wave;
  const std::uint64_t count = std::min<std::uint64_t>(estimation.windows, ctas / 2 / size);
  if (count < 2) return {};
  std::vector<CtaRange> windows;
  const std::uint64_t steps = count - 1, last = ctas - size;
  for (std::uint64_t i = 0; i <= steps; ++i)
    windows.push_back({last / steps * i + last % steps * i / steps, size});
  return windows;
}

double cycles_per_cta(const WindowTimes& times, std::uint64_t warm_up) {
  const base::Cycle from = times.done.at(warm_up - 1);
  const auto done = std::upper_bound(times.done.begin(), times.done.end(), times.last_start) -
                    times.done.begin() - static_cast<std::ptrdiff_t>(warm_up);
  if (done <= 0 || times.last_start <= from)  // CTAs that all start at once: the whole window's mean
    return static_cast<double>(times.end - times.begin) / static_cast<double>(times.done.size());
  return static_cast<double>(times.last_start - from) / static_cast<double>(done);
}

Estimate estimate_of(std::uint64_t ctas, const std::vector<CtaRange>& windows,
                     const std::vector<WindowTimes>& times, std::uint64_t warm_up) {
  std::vector<double> rates;
  rates.reserve(times.size());
  for (const WindowTimes& each : times) rates.push_back(cycles_per_cta(each, warm_up));
  Estimate estimate;
  estimate.ctas = ctas;
  estimate.windows = windows.size();
  estimate.cycles = static_cast<double>(times.front().last_start - times.front().begin) +
                    static_cast<double>(times.back().end - times.back().last_start);
  double squares = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    estimate.simulated += windows[i].count;
    if (i == 0) continue;
    const double between = static_cast<double>(windows[i].first - windows[i - 1].end());
    estimate.cycles +=
        between * (rates[i] + rates[i - 1]) / 2 + static_cast<double>(windows[i].count) * rates[i];
    squares += (rates[i] - rates[i - 1]) * (rates[i] - rates[i - 1]);
  }
  const auto count = static_cast<double>(windows.size());
  estimate.margin = student(2 * (count - 1) * (count - 1) / (3 * count - 4)) *
                    static_cast<double>(ctas - estimate.simulated) *
                    std::sqrt(squares / (2 * (count - 1)) / count);
  return estimate;
}

Estimate& Estimate::operator+=(const Estimate& other) {
  ctas += other.ctas;
  simulated += other.simulated;
  windows += other.windows;
  cycles += other.cycles;
  margin += other.margin;
  return *this;
}

void Estimate::add_independent(const Estimate& other) {
  const double both = std::hypot(margin, other.margin);
  *this += other;
  margin = both;
}

}  // namespace heddle::gpu
