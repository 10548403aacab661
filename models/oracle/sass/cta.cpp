#include "oracle/sass/cta.h"

#include <bit>

#include <fmt/format.h>

namespace heddle::oracle::machine_code {

std::string CtaBarrier::arrive(std::size_t warp, std::uint32_t lanes, std::uint32_t threads,
                               std::uint32_t yes, std::size_t warps) {
  if (threads % kLanes != 0 || threads > 1024)
    return fmt::format("a barrier for {} threads; the count must be a multiple of 32 up to 1024", threads);
  const auto all = static_cast<std::uint32_t>(warps * kLanes);
  const std::uint32_t expected = threads == 0 ? all : threads;
  if (arrived_.empty()) {
    arrived_.assign(warps, 0);
    expected_ = expected;
  } else if (expected_ != expected) {
    return fmt::format("a barrier for {} threads, but others wait at it for {}", expected, expected_);
  }
  if ((arrived_[warp] & lanes) != 0) return "arrives twice at a barrier before it completes";
  arrived_[warp] |= lanes;
  threads_ += static_cast<std::uint32_t>(std::popcount(lanes));
  yes_ += static_cast<std::uint32_t>(std::popcount(yes));
  return {};
}

bool CtaBarrier::complete(const std::vector<Warp>& warps) const {
  if (arrived_.empty()) return false;
  const bool whole = expected_ == warps.size() * kLanes;
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < warps.size(); ++i) {
    const std::uint32_t gone = ~warps[i].live;
    if (arrived_[i] != 0 || (whole && warps[i].live == 0))
      count += static_cast<std::uint32_t>(std::popcount(arrived_[i] | gone));
  }
  return count >= expected_;
}

std::uint32_t CtaBarrier::result(Reduction how) const {
  switch (how) {
    case Reduction::kPopc:
      return yes_;
    case Reduction::kAnd:
      return yes_ == threads_ ? 1 : 0;
    case Reduction::kOr:
      return yes_ != 0 ? 1 : 0;
  }
  return 0;
}

}  // namespace heddle::oracle::machine_code
