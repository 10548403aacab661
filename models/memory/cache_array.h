// Tags, states and data of one bank of a set-associative cache with sectored lines.
#pragma once

#include <cstdint>
#include <vector>

#include "base/host_heap.h"
#include "cache/tag_array.h"
#include "memory/l2_request.h"

namespace heddle::memory {

/// Frames are numbered set * ways + way. A frame has one tag; validity and dirtiness are kept per sector.
/// Line addresses are channel-local addresses of a line's first byte; the array holds the lines of one bank.
class CacheArray {
 public:
  static constexpr std::uint32_t kNone = cache::TagArray::kNone;

  CacheArray(const L2Config& config, const L2Geometry& geometry);

  /// The line will soon be looked up: prefetches its set's tags into the host's cache.
  void prefetch(std::uint64_t line) const {
    const std::uint64_t number = geometry_.number_in_bank(line);
    tags_.prefetch(number);
    __builtin_prefetch(&frames_[tags_.set_of(number)]);
  }
  /// Frame that holds the line or is reserved for it; kNone if there is none.
  [[nodiscard]] std::uint32_t find(std::uint64_t line) const {
    return tags_.find(geometry_.number_in_bank(line), line);
  }
  /// Frame to use for a line that is not present: an empty one, else the policy's choice. Frames with an owner are not
  /// replaced. kNone if all have one.
  [[nodiscard]] std::uint32_t victim(std::uint64_t line) const {
    return tags_.victim(geometry_.number_in_bank(line),
                        [this](std::uint32_t frame) { return frames_[frame].owner == kNoOwner; });
  }
  /// The same of a set that holds the line in `home`, which stays.
  [[nodiscard]] std::uint32_t victim_beside(std::uint32_t home) const {
    return tags_.victim(geometry_.number_in_bank(line(home)), [this, home](std::uint32_t frame) {
      return frame != home && frames_[frame].owner == kNoOwner;
    });
  }

  /// Assigns the frame to a line with no valid sectors. The previous contents are dropped.
  void assign(std::uint32_t frame, std::uint64_t line) {
    tags_.place(frame, line);
    frames_[frame] = {};
  }
  /// The frame is the place of a copy of the line, which the set of the line holds for others; it has no sectors. find()
  /// does not find it.
  void assign_copy(std::uint32_t frame, std::uint64_t line) { assign(frame, line | kCopy); }
  [[nodiscard]] bool is_copy(std::uint32_t frame) const {
    return !tags_.empty(frame) && (tags_.tag(frame) & kCopy) != 0;
  }
  /// An access to the line is served.
  void touch(std::uint32_t frame) {
    if (frames_[frame].fresh) {
      frames_[frame].fresh = false;
      tags_.serve_miss(frame);
    } else {
      tags_.use(frame);
    }
  }

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

  /// That the frame holds, or has a copy of.
  [[nodiscard]] std::uint64_t line(std::uint32_t frame) const { return tags_.tag(frame) & ~kCopy; }
  [[nodiscard]] bool empty(std::uint32_t frame) const { return tags_.empty(frame); }
  /// Calls fn(frame) for every frame that holds a line and has no owner.
  template <class Fn>
  void for_each_unowned(Fn fn) const {
    for (std::uint32_t frame = 0; frame < frames_.size(); ++frame)
      if (!tags_.empty(frame) && frames_[frame].owner == kNoOwner) fn(frame);
  }
  /// The line is gone; dirty sectors with it.
  void forget(std::uint32_t frame) {
    tags_.remove(frame);
    frames_[frame] = {};
  }
  /// line_bytes bytes.
  [[nodiscard]] unsigned char* data(std::uint32_t frame) {
    return &data_[static_cast<std::size_t>(frame) * line_bytes_];
  }

 private:
  static constexpr std::uint16_t kNoOwner = 0xffff;
  static constexpr std::uint64_t kCopy = 1;  ///< in a tag; addresses of lines are even
  /// Kept small, so that the frames of a set share a line of the host's cache.
  struct Frame {
    std::uint16_t owner = kNoOwner;
    SectorMask valid = 0;
    SectorMask dirty = 0;
    bool fresh = true;  ///< the access that brought the line has not been served
  };
  static_assert(sizeof(Frame) == 6);

  L2Geometry geometry_;
  std::uint32_t line_bytes_;
  cache::TagArray tags_;
  std::vector<Frame> frames_;
  base::ZeroedBlock data_;
};

}  // namespace heddle::memory
