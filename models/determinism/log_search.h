// A load's search of a log for the bytes of a chunk, newest entry first ([GPUDet:A22]). Says what it wants to read next and
// is given it; knows no time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "determinism/log_entry.h"

namespace heddle::determinism {

class LogSearch {
 public:
  LogSearch() = default;
  /// For the bytes `need` of `chunk` among the first `entries`. `step`: entries whose meta is read at a time.
  LogSearch(std::uint64_t chunk, const ByteMask& need, std::uint32_t entries, std::uint32_t step)
      : chunk_(chunk), need_(need), latched_(entries), left_(entries), step_(step) {}

  /// An access that the search wants: the meta of entries [first, end), or the data of entry `first`.
  struct Wish {
    bool meta = false;
    std::uint32_t first = 0;
    std::uint32_t end = 0;
  };
  [[nodiscard]] bool wants_meta() const { return left_ != 0 && !complete(); }
  [[nodiscard]] Wish meta_wish() const {
    const std::uint32_t first = (left_ - 1) / step_ * step_;
    return {true, first, left_};
  }
  /// The answer to meta_wish(): appends what data is wanted.
  void take_meta(std::span<const std::uint32_t> words, std::vector<Wish>& data) {
    const Wish wish = meta_wish();
    for (std::uint32_t entry = wish.end; entry-- != wish.first && !complete();) {
      const EntryMeta meta = entry_meta(words, entry - wish.first);
      ++compared_;
      const ByteMask bytes = without(meta.mask & need_, found_);
      if (meta.chunk != chunk_ || bytes.empty()) continue;
      found_ = found_ | bytes;
      parts_.push_back({entry, bytes});
      data.push_back({false, entry, entry + 1});
    }
    left_ = wish.first;
  }
  void take_data(std::uint32_t entry, const ChunkData& data) {
    for (const Part& part : parts_)
      if (part.entry == entry) bytes_.add(data, part.bytes);
  }
  /// All wanted bytes are in the log.
  [[nodiscard]] bool complete() const { return found_ == need_; }
  /// Everything that the log has of them has arrived.
  [[nodiscard]] bool finished() const { return !wants_meta() && bytes_.known == found_; }
  [[nodiscard]] std::uint64_t chunk() const { return chunk_; }
  [[nodiscard]] const ByteMask& need() const { return need_; }
  [[nodiscard]] const PartialChunk& bytes() const { return bytes_; }
  [[nodiscard]] std::uint32_t compared() const { return compared_; }
  /// Entries that there were when the load issued: later ones are younger.
  [[nodiscard]] std::uint32_t latched() const { return latched_; }

 private:
  struct Part {
    std::uint32_t entry = 0;
    ByteMask bytes;
  };
  std::uint64_t chunk_ = 0;
  ByteMask need_;
  std::uint32_t latched_ = 0;
  std::uint32_t left_ = 0;  ///< entries that have not been looked at
  std::uint32_t step_ = 1;
  ByteMask found_;
  std::vector<Part> parts_;
  PartialChunk bytes_;
  std::uint32_t compared_ = 0;
};

}  // namespace heddle::determinism
