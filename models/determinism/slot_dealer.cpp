#include "determinism/slot_dealer.h"

#include <algorithm>

namespace heddle::determinism {

SlotDealer::SlotDealer(const DeterminismConfig& config, std::uint32_t cores, std::uint32_t slots,
                       std::uint64_t ctas)
    : interleaved_(config.slot_order == SlotOrder::kInterleaved),
      dwp_(config.dwp),
      is_static_(config.dwp && config.dwp_repartition == Repartition::kStatic),
      cores_(cores),
      slots_(slots),
      ctas_(ctas),
      pending_(ctas),
      taken_(std::size_t{cores} * slots) {}

void SlotDealer::settle_shares() {
  const std::uint64_t slots = taken_.size();
  std::uint64_t touched = 0;  // none from this one on has been taken
  for (std::uint64_t s = 0; s < slots; ++s)
    if (taken_[s] != 0) touched = std::max(touched, s + (taken_[s] - 1) * slots + 1);
  std::vector<std::uint64_t> left;
  for (std::uint64_t k = 0; k < touched; ++k)
    if (k / slots >= taken_[k % slots]) left.push_back(cta_at(k));
  for (std::uint64_t k = touched; k < early_.size(); ++k) left.push_back(early_[k]);
  if (touched > early_.size()) next_ += touched - early_.size();
  early_ = std::move(left);
  taken_.assign(taken_.size(), 0);
}

std::vector<SlotDealer::Assignment> SlotDealer::distribute(const std::vector<bool>& occupied) {
  std::vector<Assignment> given;
  if (is_static_) {
    for (std::uint32_t at = 0; at < taken_.size(); ++at)
      if (!occupied[at])
        if (const auto cta = refill(at)) given.push_back({at, *cta});
    return given;
  }
  settle_shares();
  std::uint64_t first = 0;
  for (std::uint32_t at = 0; at < taken_.size() && first < dealt(); ++at)
    if (!occupied[at]) given.push_back({at, cta_at(first++)});
  pending_ -= first;
  // Those are the first of what was pending: the shares are dealt from behind them.
  const std::uint64_t of_early = std::min<std::uint64_t>(first, early_.size());
  early_.erase(early_.begin(), early_.begin() + static_cast<std::ptrdiff_t>(of_early));
  next_ += first - of_early;
  return given;
}

std::optional<std::uint64_t> SlotDealer::refill(std::uint32_t ordinal) {
  if (!dwp_) return std::nullopt;
  const std::uint64_t k = ordinal + taken_[ordinal] * taken_.size();
  if (k >= dealt()) return std::nullopt;
  ++taken_[k % taken_.size()];
  --pending_;
  return cta_at(k);
}

}  // namespace heddle::determinism
