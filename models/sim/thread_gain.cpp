#include "sim/thread_gain.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace heddle::sim {

bool ThreadGain::begin(std::uint64_t edges) {
  measured_ = nullptr;
  if (policy_ != Policy::kMeasured) return policy_ == Policy::kAlways;
  if (edges < kFewEdges) return false;
  if (edges >= kManyEdges) return true;
  const auto number = static_cast<unsigned>(std::bit_width(edges / kFewEdges)) - 1;
  Class& its = classes_[std::min(number, kClasses - 1)];
  if (!its.trying) {
    if (++its.windows < its.rest) return its.shared;
    its.trying = true;
    its.other = false;
    its.windows = 0;
  }
  measured_ = &its;
  began_ = now_();
  return its.shared != its.other;
}

void ThreadGain::end(std::uint64_t edges) {
  if (measured_ == nullptr) return;
  Class& its = *measured_;
  if (its.windows++ < kUncounted) return;
  const std::chrono::duration<double, std::nano> time = now_() - began_;
  its.nanoseconds[its.windows - kUncounted - 1] =
      time.count() / static_cast<double>(std::max<std::uint64_t>(1, edges));
  if (its.windows == kUncounted + kCounted) end_trial(its);
}

double ThreadGain::typical(std::array<double, kCounted>& nanoseconds) {
  std::ranges::sort(nanoseconds);
  constexpr unsigned kSlowest = 2;
  return std::accumulate(nanoseconds.begin(), nanoseconds.end() - kSlowest, 0.0) / (kCounted - kSlowest);
}

void ThreadGain::end_trial(Class& its) {
  const double time = typical(its.nanoseconds);
  its.windows = 0;
  if (!its.other) {
    its.own = time;
    its.other = true;
    return;
  }
  if (time < its.own) {
    its.shared = !its.shared;
    its.rest = kShortestRest;
  } else {
    its.rest = std::min(2 * its.rest, kLongestRest);
  }
  its.trying = false;
}

}  // namespace heddle::sim
