#include "simt/table_size.h"

#include <bit>

namespace heddle::simt {
namespace {

constexpr std::uint64_t kPc = 32;
constexpr std::uint64_t kMask = base::kLanes;
constexpr std::uint64_t kIndex = 5;
constexpr std::uint64_t kStackEntry = kPc + kPc + kMask;
constexpr std::uint64_t kSplit = kPc + kPc + kIndex + kMask;                  // 101
constexpr std::uint64_t kReconvergence = kPc + kPc + kIndex + kMask + kMask;  // 133
// Spilled as 12 and 16 bytes; the R-Index is in the upper bits of the PCs.
constexpr std::uint64_t kSplitRecord = 96;
constexpr std::uint64_t kReconvergenceRecord = 128;
constexpr std::uint64_t kAddress = 32;

}  // namespace

std::uint64_t stack_table_bits(FirstSide first_side) {
  // With the smaller side first the stack is at most log2(lanes) deep ([AWARE] §5.5.2).
  const unsigned entries = first_side == FirstSide::kSmaller
                               ? static_cast<unsigned>(std::countr_zero(base::kLanes))
                               : base::kLanes;
  return entries * kStackEntry;
}

std::uint64_t aware_table_bits(const AwareConfig& config) {
  if (!config.virtualised()) return base::kLanes * (kSplit + kReconvergence + kIndex + 1);
  constexpr std::uint64_t kBuffers =
      2 * (kSplitRecord + kReconvergenceRecord)                 // spill requests, fill responses
      + kSplitRecord                                            // Reconverged Entry
      + kMask                                                   // Pending-Mask Updates
      + 2 * kAddress;                                           // fill requests
  constexpr std::uint64_t kFifo = base::kLanes * (kIndex + 2);  // the index, virtual, blocked or transient
  return kBuffers + kFifo + config.st_entries * kSplitRecord + config.rt_entries * kReconvergenceRecord;
}

std::uint64_t multi_path_table_bits() {
  return base::kLanes * (kSplit + kReconvergence + 1);  // no FIFO; BL is in the ST
}

}  // namespace heddle::simt
