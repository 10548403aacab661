#include "resync/replay_statistics.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace heddle::resync {

unsigned distance_class(std::uint64_t distance) {
  const auto log = static_cast<unsigned>(distance == 0 ? 0 : std::bit_width(distance) - 1);
  return log < 4 ? 0 : log < 8 ? 1 : log < 16 ? 2 : log < 32 ? 3 : 4;
}

OperandAccess classify_access(std::span<const unsigned> thread, std::span<const std::uint64_t> address) {
  const std::uint64_t first = address[0];
  if (std::all_of(address.begin(), address.end(), [first](std::uint64_t a) { return a == first; }))
    return {MemoryPattern::kUniform, 0};
  if (address[1] > first) {
    const std::uint64_t stride = (address[1] - first) / (thread[1] - thread[0]);
    bool affine = stride != 0;
    for (std::size_t i = 1; i < address.size() && affine; ++i)
      affine = address[i] == first + stride * (thread[i] - thread[0]);
    if (affine) return {MemoryPattern::kAffine, stride};
  }
  const auto [low, high] = std::minmax_element(address.begin(), address.end());
  return {MemoryPattern::kScattered, *high - *low};
}

void ReplayStatistics::add(const ReplayStatistics& other) {
  fetches += other.fetches;
  instructions += other.instructions;
  cycles += other.cycles;
  threads = std::max(threads, other.threads);
  for (std::size_t k = 0; k < active.size(); ++k) {
    active[k] += other.active[k];
    identical[k] += other.identical[k];
    for (std::size_t i = 0; i < 3; ++i) patterns[k][i] += other.patterns[k][i];
    for (std::size_t i = 0; i < kDistanceClasses; ++i) {
      strides[k][i] += other.strides[k][i];
      intervals[k][i] += other.intervals[k][i];
    }
  }
}

void ReplayStatistics::check() const {
  std::uint64_t sum = 0, weighted = 0;
  for (std::size_t k = 0; k < active.size(); ++k) {
    sum += active[k];
    weighted += k * active[k];
  }
  if (sum != fetches || weighted != instructions || cycles > fetches || (fetches != 0 && cycles == 0))
    throw std::logic_error("replay: the histogram does not account for every fetch");
}

void ReplayMeter::operands(ThreadMask mask, unsigned k,
                           const std::array<const TraceRecord*, kMaxThreads>& record) {
  const TraceRecord& first = *record[lowest(mask)];
  bool same = true;
  unsigned operands = first.addresses;
  for_each_thread(mask, [&](unsigned t) {
    same &= record[t]->operands == first.operands && record[t]->register_bytes == first.register_bytes;
    operands = std::min<unsigned>(operands, record[t]->addresses);
  });
  // Calls and returns read SP and FP only, which are the same relative to the stack's base.
  if (same || first.is(TraceRecord::kDirectCall) || first.is(TraceRecord::kReturn))
    ++statistics_.identical[k];
  if (operands == 0) return;
  std::array<unsigned, kMaxThreads> thread;
  std::array<std::uint64_t, kMaxThreads> address;
  for (unsigned operand = 0; operand < operands; ++operand) {
    unsigned n = 0;
    for_each_thread(mask, [&](unsigned t) {
      thread[n] = t;
      address[n++] = record[t]->address[operand];
    });
    const OperandAccess access = classify_access({thread.data(), n}, {address.data(), n});
    ++statistics_.patterns[k][static_cast<std::size_t>(access.pattern)];
    if (access.pattern == MemoryPattern::kAffine) ++statistics_.strides[k][distance_class(access.distance)];
    if (access.pattern == MemoryPattern::kScattered)
      ++statistics_.intervals[k][distance_class(access.distance)];
  }
}

}  // namespace heddle::resync
