// Where the logs of a core's warp slots lie in device memory ([GPUDet:A22]): per warp slot an array of data, of 128 bytes
// an entry, so that an entry is written and read by one coalesced access, and one of what is known of the entries.
#pragma once

#include <cstdint>

namespace heddle::warp_log {

inline constexpr unsigned kDataBytes = 128;

class LogLayout {
 public:
  LogLayout() = default;
  /// `meta_bytes`: of an entry, a power of two of 4 to 128. `first_log`: number of the core's first warp slot in the GPU.
  constexpr LogLayout(std::uint64_t base, std::uint32_t capacity, std::uint32_t meta_bytes,
                      std::uint64_t first_log)
      : base_(base + first_log * bytes_of_log(capacity, meta_bytes)),
        capacity_(capacity),
        meta_bytes_(meta_bytes) {}

  [[nodiscard]] constexpr std::uint64_t data(std::uint32_t warp, std::uint32_t entry) const {
    return log(warp) + std::uint64_t{entry} * kDataBytes;
  }
  [[nodiscard]] constexpr std::uint64_t meta(std::uint32_t warp, std::uint32_t entry) const {
    return log(warp) + std::uint64_t{capacity_} * kDataBytes + std::uint64_t{entry} * meta_bytes_;
  }
  [[nodiscard]] constexpr std::uint32_t capacity() const { return capacity_; }
  [[nodiscard]] constexpr std::uint32_t meta_bytes() const { return meta_bytes_; }
  /// Entries whose meta shares a line.
  [[nodiscard]] constexpr std::uint32_t entries_per_meta_line() const { return kDataBytes / meta_bytes_; }

  /// A line more than the arrays need: the logs of a core's warps begin in different sets of its cache.
  [[nodiscard]] static constexpr std::uint64_t bytes_of_log(std::uint32_t capacity,
                                                            std::uint32_t meta_bytes) {
    const std::uint64_t meta =
        (std::uint64_t{capacity} * meta_bytes + kDataBytes - 1) / kDataBytes * kDataBytes;
    return std::uint64_t{capacity} * kDataBytes + meta + kDataBytes;
  }

 private:
  [[nodiscard]] constexpr std::uint64_t log(std::uint32_t warp) const {
    return base_ + warp * bytes_of_log(capacity_, meta_bytes_);
  }

  std::uint64_t base_ = 0;
  std::uint32_t capacity_ = 0;
  std::uint32_t meta_bytes_ = 32;
};

}  // namespace heddle::warp_log
