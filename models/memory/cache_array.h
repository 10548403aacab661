// Tags, states and data of a set-associative cache with LRU replacement.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/config.h"

namespace heddle::memory {

/// Frames are numbered set * ways + way. Line addresses are addresses of a line's first byte.
class CacheArray {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  explicit CacheArray(const L2Config& config);

  /// Frame that holds the line or is reserved for it; kNone if there is none.
  [[nodiscard]] std::uint32_t find(std::uint64_t line) const;
  /// Frame to use for a line that is not there: an empty one, else the least recently used; reserved frames
  /// are left alone. kNone if all are reserved.
  [[nodiscard]] std::uint32_t victim(std::uint64_t line) const;

  /// Reserves a frame for a line on its way; `owner` says who waits for it.
  void reserve(std::uint32_t frame, std::uint64_t line, std::uint32_t owner);
  /// The frame holds the line, clean and most recently used.
  void install(std::uint32_t frame, std::uint64_t line);
  /// The reserved frame's line is there and nobody waits for it any more.
  void release(std::uint32_t frame) { frames_[frame].state = State::kValid; }
  void touch(std::uint32_t frame) { frames_[frame].used = ++uses_; }
  void mark_dirty(std::uint32_t frame) { frames_[frame].dirty = true; }

  [[nodiscard]] bool reserved(std::uint32_t frame) const { return frames_[frame].state == State::kReserved; }
  [[nodiscard]] bool valid(std::uint32_t frame) const { return frames_[frame].state == State::kValid; }
  [[nodiscard]] bool dirty(std::uint32_t frame) const {
    return frames_[frame].state == State::kValid && frames_[frame].dirty;
  }
  [[nodiscard]] std::uint64_t line(std::uint32_t frame) const { return lines_[frame]; }
  [[nodiscard]] std::uint32_t owner(std::uint32_t frame) const { return frames_[frame].owner; }
  /// line_bytes bytes.
  [[nodiscard]] unsigned char* data(std::uint32_t frame) {
    return &data_[static_cast<std::size_t>(frame) * line_bytes_];
  }

 private:
  enum class State : std::uint8_t { kEmpty, kReserved, kValid };
  struct Frame {
    std::uint64_t used = 0;
    std::uint32_t owner = 0;
    State state = State::kEmpty;
    bool dirty = false;
  };
  [[nodiscard]] std::uint32_t first_frame(std::uint64_t line) const;

  std::uint32_t line_bytes_;
  std::uint32_t ways_;
  std::uint32_t sets_;
  std::uint64_t uses_ = 0;
  std::vector<std::uint64_t> lines_;  ///< kNoLine while empty
  std::vector<Frame> frames_;
  std::vector<unsigned char> data_;
};

}  // namespace heddle::memory
