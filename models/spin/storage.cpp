#include "spin/storage.h"

#include <bit>

namespace heddle::spin {
namespace {

/// To name one of `count` things.
std::uint64_t index_bits(std::uint64_t count) { return count <= 1 ? 0 : std::bit_width(count - 1); }

}  // namespace

Storage storage_bits(const SpinConfig& config, std::uint32_t warps, std::uint32_t schedulers) {
  constexpr std::uint64_t kPcBits = 32, kLaneBits = 5, kDelayBits = 14, kStateBits = 2;
  Storage bits;
  if (config.source == SibSource::kDdos) {
    const DdosConfig& ddos = config.ddos;
    const std::uint64_t sets = ddos.time_share_cycles == 0 ? warps : 1;
    bits.sib_table = ddos.table_entries * (kPcBits + index_bits(ddos.threshold) + 1);
    bits.histories = sets * ddos.length * (ddos.path_bits + 2 * std::uint64_t{ddos.value_bits});
    bits.detectors = sets * (kStateBits + 2 * index_bits(ddos.length) + kLaneBits);
  }
  if (config.source != SibSource::kNone && config.bows.enabled) {
    bits.pending_delay = warps * kDelayBits;
    bits.backed_off = warps;
    bits.queues = warps * index_bits((warps + schedulers - 1) / schedulers);
  }
  return bits;
}

}  // namespace heddle::spin
