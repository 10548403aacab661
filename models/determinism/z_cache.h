// Depth cache of a Z-buffer unit ([GPUDet] §4.4.3): set-associative, LRU, write-back, and with lines that are locked
// while a request works on them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "determinism/chunk.h"
#include "determinism/depth.h"

namespace heddle::determinism {

/// Depths of a chunk's words.
using DepthLine = std::array<Depth, kChunkWords>;

class ZCache {
 public:
  enum class State : std::uint8_t {
    kInvalid,
    kValid,
    kLocked,  ///< a request works on it: nobody else may read or evict it. After a miss it holds nothing until unlock()
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  ZCache(std::uint32_t sets, std::uint32_t ways);

  [[nodiscard]] std::uint32_t set_of(std::uint64_t chunk) const {
    return static_cast<std::uint32_t>(chunk / kChunkBytes) & (sets_ - 1);
  }
  /// The line of a chunk's depths, or kNone.
  [[nodiscard]] std::uint32_t find(std::uint64_t chunk) const;
  /// The line that a miss on `chunk` would take: an invalid one, else the least recently used one that is not locked, or
  /// kNone.
  [[nodiscard]] std::uint32_t victim(std::uint64_t chunk) const;
  [[nodiscard]] bool set_locked(std::uint64_t chunk) const { return locked_in_set_[set_of(chunk)] == ways_; }

  [[nodiscard]] State state(std::uint32_t line) const { return lines_[line].state; }
  [[nodiscard]] bool dirty(std::uint32_t line) const { return lines_[line].dirty; }
  [[nodiscard]] std::uint64_t chunk(std::uint32_t line) const { return lines_[line].chunk; }
  [[nodiscard]] const DepthLine& depths(std::uint32_t line) const { return data_[line]; }

  void lock(std::uint32_t line);
  /// Takes `line`, which is not dirty, for the depths of `chunk`, locked.
  void allocate(std::uint32_t line, std::uint64_t chunk);
  /// The request is done: `depths` is what the line holds from now on, `changed`: other depths than the memory's.
  void unlock(std::uint32_t line, const DepthLine& depths, bool changed);
  void cleaned(std::uint32_t line) { lines_[line].dirty = false; }
  /// No line is locked.
  void invalidate();

 private:
  struct Line {
    std::uint64_t chunk = 0;
    std::uint64_t used = 0;  ///< order of use
    State state = State::kInvalid;
    bool dirty = false;
  };
  std::uint32_t sets_;
  std::uint32_t ways_;
  std::uint64_t uses_ = 0;
  std::vector<Line> lines_;  ///< by set, then way
  std::vector<DepthLine> data_;
  std::vector<std::uint32_t> locked_in_set_;
};

}  // namespace heddle::determinism
