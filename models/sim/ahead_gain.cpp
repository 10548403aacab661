#include "sim/ahead_gain.h"

#include <algorithm>
#include <numeric>

namespace heddle::sim {

void AheadGain::count(Count windows) {
  const std::uint64_t runs = windows.runs - counted_.runs;
  if (ahead_ && runs < kCountedRuns) return;
  const bool pays = !ahead_ || windows.edges - counted_.edges >= kEdgesOfARun * runs;
  if (!pays) {
    stretch_ = wait_;
    wait_ = std::min(2 * wait_, kLongestWait);
  } else if (ahead_) {
    wait_ = kShortestWait;
  }
  ahead_ = pays;
  counted_ = windows;
}

bool AheadGain::look(std::uint64_t work, Count windows) {
  if (policy_ == Policy::kCounted) count(windows);
  if (policy_ == Policy::kByTurns) {
    ahead_ = turns_() % 2 != 0;
    stretch_ = 1 + turns_() % kMostByTurns;
  }
  if (policy_ != Policy::kMeasured) return ahead_;
  const Clock::time_point now = now_();
  const Time looked = now - looked_;
  looked_ = now;
  part_ += looked;
  if (!ahead_) {  // a look costs little beside what passes until the next one
    if (looked < kPart / 4)
      stretch_ = std::min(stretch_ * 2, kLongestStretch);
    else if (looked > kPart && stretch_ > kShortestStretch)
      stretch_ /= 2;
  }
  if (part_ >= kPart && work != work_) end_part(work);
  return ahead_;
}

void AheadGain::end_part(std::uint64_t work) {
  const double time = part_.count() / static_cast<double>(work - work_);
  rested_ += part_;
  part_ = Time{};
  work_ = work;
  if (rests_) {
    if (rested_ < rest_) return;
    rests_ = false;
    parts_ = kUncounted;  // its own way is warm
    return;
  }
  if (parts_++ < kUncounted) return;
  microseconds_[parts_ - kUncounted - 1] = time;
  if (parts_ == kUncounted + kCounted) end_trial();
}

double AheadGain::typical(std::array<double, kCounted>& microseconds) {
  std::ranges::sort(microseconds);
  constexpr unsigned kSlowest = 3;
  return std::accumulate(microseconds.begin(), microseconds.end() - kSlowest, 0.0) / (kCounted - kSlowest);
}

void AheadGain::end_trial() {
  const double time = typical(microseconds_);
  parts_ = 0;
  if (ahead_ == own_) {
    own_time_ = time;
    ahead_ = !own_;
    return;
  }
  const bool pays = ahead_ ? time * kLeastGain < own_time_ : time < own_time_ * kLeastGain;
  if (pays) {
    own_ = ahead_;
    rest_ = kShortestRest;
  } else {
    ahead_ = own_;
    rest_ = std::min(rest_ * kRarer, kLongestRest);
  }
  rests_ = true;
  rested_ = Time{};
}

}  // namespace heddle::sim
