// Tags, states and data of one bank of a set-associative cache with LRU replacement and sectored lines.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/l2_request.h"

namespace heddle::memory {

/// Frames are numbered set * ways + way. A frame has one tag; validity and dirtiness are kept per sector.
/// Line addresses are channel-local addresses of a line's first byte; the array holds the lines of one bank.
class CacheArray {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  CacheArray(const L2Config& config, const L2Geometry& geometry);

  /// The line will soon be looked up: prefetches its set's tags into the host's cache.
  void prefetch(std::uint64_t line) const {
    const std::uint32_t first = first_frame(line);
    __builtin_prefetch(&lines_[first]);
    __builtin_prefetch(&frames_[first]);
  }
  /// Frame that holds the line or is reserved for it; kNone if there is none.
  [[nodiscard]] std::uint32_t find(std::uint64_t line) const;
  /// Frame to use for a line that is not present: an empty one, else the least recently used. Frames with an
  /// owner are not replaced. kNone if all have one.
  [[nodiscard]] std::uint32_t victim(std::uint64_t line) const;

  /// Assigns the frame to a line, as the most recently used and with no valid sectors. The previous contents
  /// are dropped.
  void assign(std::uint32_t frame, std::uint64_t line);
  void touch(std::uint32_t frame) { frames_[frame].used = next_use(); }

  /// The MSHR that waits for sectors of the line; kNone: none.
  [[nodiscard]] std::uint32_t owner(std::uint32_t frame) const {
    return frames_[frame].owner == kNoOwner ? kNone : frames_[frame].owner;
  }
  void set_owner(std::uint32_t frame, std::uint32_t owner) {
    frames_[frame].owner = owner == kNone ? kNoOwner : static_cast<std::uint16_t>(owner);
  }

  [[nodiscard]] SectorMask valid(std::uint32_t frame) const { return frames_[frame].valid; }
  [[nodiscard]] SectorMask dirty(std::uint32_t frame) const { return frames_[frame].dirty; }
  void add_valid(std::uint32_t frame, SectorMask sectors) { frames_[frame].valid |= sectors; }
  void add_dirty(std::uint32_t frame, SectorMask sectors) { frames_[frame].dirty |= sectors; }

  [[nodiscard]] std::uint64_t line(std::uint32_t frame) const { return lines_[frame]; }
  /// line_bytes bytes.
  [[nodiscard]] unsigned char* data(std::uint32_t frame) {
    return &data_[static_cast<std::size_t>(frame) * line_bytes_];
  }

 private:
  static constexpr std::uint16_t kNoOwner = 0xffff;
  /// Kept small, so that the frames of a set share a line of the host's cache.
  struct Frame {
    std::uint32_t used = 0;
    std::uint16_t owner = kNoOwner;
    SectorMask valid = 0;
    SectorMask dirty = 0;
  };
  static_assert(sizeof(Frame) == 8);
  [[nodiscard]] std::uint32_t next_use() {
    if (uses_ == ~std::uint32_t{0}) renumber();
    return ++uses_;
  }
  void renumber();
  [[nodiscard]] std::uint32_t first_frame(std::uint64_t line) const {
    return static_cast<std::uint32_t>(sets_.remainder(geometry_.number_in_bank(line))) * ways_;
  }

  L2Geometry geometry_;
  std::uint32_t line_bytes_;
  std::uint32_t ways_;
  Divisor sets_;
  std::uint32_t uses_ = 0;
  std::vector<std::uint64_t> lines_;  ///< kNoLine while empty
  std::vector<Frame> frames_;
  std::vector<unsigned char> data_;
};

}  // namespace heddle::memory
