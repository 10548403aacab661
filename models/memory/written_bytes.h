// Which bytes of a cache's lines have been written since the line got its frame: what L2Config::write_miss=byte_mask keeps
// for sectors that are not valid as a whole.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <tlm>
#include <vector>

#include "base/host_heap.h"
#include "memory/cache_array.h"
#include "memory/line_bytes.h"

namespace heddle::memory {

static_assert(TLM_BYTE_DISABLED == 0, "a block of zeros is one in which nothing is written");

/// A byte for each byte of the cache, TLM_BYTE_ENABLED or TLM_BYTE_DISABLED, so that a line's serve as the byte enables of
/// its write-back. Empty if off; then only on() may be asked.
class WrittenBytes {
 public:
  WrittenBytes(bool on, std::uint32_t frames, std::uint32_t line_bytes)
      : line_bytes_(line_bytes),
        of_(base::zeroed_block(on ? std::size_t{frames} * line_bytes : 0)),
        any_(on ? frames : 0) {}

  [[nodiscard]] bool on() const { return of_ != nullptr; }
  void clear(std::uint32_t frame) {
    if (any_[frame] == 0) return;
    any_[frame] = 0;
    std::memset(line(frame), TLM_BYTE_DISABLED, line_bytes_);
  }
  /// The write's enabled bytes, from `offset` of the line.
  void add(std::uint32_t frame, std::uint32_t offset, const tlm::tlm_generic_payload& write) {
    const unsigned char* const enables = write.get_byte_enable_ptr();
    const unsigned pattern = write.get_byte_enable_length();
    any_[frame] = 1;
    unsigned char* const to = line(frame) + offset;
    for (unsigned i = 0; i < write.get_data_length(); ++i)
      to[i] |= enables == nullptr || pattern == 0 ? TLM_BYTE_ENABLED : enables[i % pattern];
  }
  [[nodiscard]] bool all(std::uint32_t frame, std::uint32_t offset, unsigned bytes) const {
    const unsigned char* const from = at(frame) + offset;
    return std::all_of(from, from + bytes, [](unsigned char byte) { return byte == TLM_BYTE_ENABLED; });
  }
  /// Copies what has been written: `from` and `to` are of the bytes from `offset` of the line.
  void copy(std::uint32_t frame, std::uint32_t offset, const unsigned char* from, unsigned char* to,
            unsigned bytes, bool written) const {
    if (any_[frame] == 0) {
      if (!written) copy_bytes(to, from, bytes);
      return;
    }
    const unsigned char* const mask = at(frame) + offset;
    for (unsigned i = 0; i < bytes; ++i)
      if ((mask[i] == TLM_BYTE_ENABLED) == written) to[i] = from[i];
  }
  /// Of the whole line.
  [[nodiscard]] const unsigned char* at(std::uint32_t frame) const {
    return &of_[std::size_t{frame} * line_bytes_];
  }

 private:
  [[nodiscard]] unsigned char* line(std::uint32_t frame) { return &of_[std::size_t{frame} * line_bytes_]; }

  std::uint32_t line_bytes_;
  base::ZeroedBlock of_;
  std::vector<std::uint8_t> any_;  ///< by frame: some byte has been written
};

}  // namespace heddle::memory
