// Deterministic livelock ([GPUDet:G21]): wavefronts that execute one atomic per quantum in a fixed order may repeat
// for ever what on other machines some delay would break up.
//
// A digest of a quantum covers the states of all wavefronts at its end and everything stored in it. If the digests of
// three periods on end are equal, quantum by quantum, the launch repeats for ever: in the second period and in the
// third the wavefronts began in the same states, and memory was the same, since what the period writes had been written
// by the same stores in the same order, and the rest by nobody. Registers that count attempts hide a livelock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle::determinism {

class LivelockWatch {
 public:
  static constexpr std::uint32_t kLongestPeriod = 64;
  static constexpr std::uint32_t kPeriods = 3;

  LivelockWatch() = default;
  /// `patience`: quanta without a CTA that starts or ends before it begins to look; 0: it never looks.
  explicit LivelockWatch(std::uint64_t patience) : patience_(patience) {}

  void begin_launch() { *this = LivelockWatch(patience_); }
  /// A CTA has started or ended: whatever repeated is over.
  void advanced() {
    quiet_ = 0;
    digests_.clear();
    wait_ = patience_;
  }
  /// The next quantum needs a digest.
  [[nodiscard]] bool looks() const { return patience_ != 0 && quiet_ >= wait_; }
  /// A quantum is over. The period in which everything repeats; 0: none is known.
  [[nodiscard]] std::uint32_t quantum(bool has_digest, std::uint64_t digest) {
    ++quiet_;
    if (!has_digest) return 0;
    digests_.push_back(digest);
    for (std::uint32_t period = 1; period <= kLongestPeriod; ++period)
      if (repeats(period)) return period;
    if (digests_.size() > std::size_t{kPeriods} * kLongestPeriod * 2) {  // later again
      digests_.clear();
      wait_ = quiet_ * 2;
    }
    return 0;
  }

 private:
  [[nodiscard]] bool repeats(std::uint32_t period) const {
    const std::size_t span = std::size_t{period} * (kPeriods - 1);
    if (digests_.size() < span + period) return false;
    for (std::size_t i = 0; i < span; ++i)
      if (digests_[digests_.size() - 1 - i] != digests_[digests_.size() - 1 - i - period]) return false;
    return true;
  }

  std::uint64_t patience_ = 0;
  std::uint64_t wait_ = patience_;
  std::uint64_t quiet_ = 0;  ///< quanta since something advanced
  std::vector<std::uint64_t> digests_;
};

}  // namespace heddle::determinism
