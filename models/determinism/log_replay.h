// The replay of a wavefront's log at its commit ([GPUDet] §4.4): entries are read from memory, a line of their meta and the
// data of each, and given away strictly in log order, in whatever order the reads come back. Knows no time.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "determinism/log_entry.h"

namespace heddle::determinism {

class LogReplay {
 public:
  static constexpr std::uint32_t kWindow =
      kChunkBytes / kMetaBytes;  ///< entries read ahead: those of a meta line

  void begin(std::uint32_t entries) {
    *this = {};
    entries_ = entries;
    open_window();
  }
  [[nodiscard]] bool finished() const { return next_ == entries_; }
  /// Entries given away: in log order the number of the next one.
  [[nodiscard]] std::uint32_t given() const { return next_; }

  /// What to read next; asked() takes it off. False: nothing now.
  struct Wish {
    bool meta = false;
    std::uint32_t entry = 0;  ///< the first of the line, if meta
    std::uint32_t count = 1;
  };
  [[nodiscard]] bool wants(Wish& wish) const {
    if (finished() || asked_ > in_window_) return false;
    wish = asked_ == 0 ? Wish{true, first_, in_window_} : Wish{false, first_ + asked_ - 1, 1};
    return true;
  }
  void asked() { ++asked_; }
  void take_meta(std::span<const std::uint32_t> words) {
    for (unsigned i = 0; i < in_window_; ++i) slots_[i].meta = entry_meta(words, i);
    meta_here_ = true;
  }
  void take_data(std::uint32_t entry, std::span<const std::uint32_t> words) {
    Slot& slot = slots_[entry - first_];
    slot.data = chunk_data(words);
    slot.here = true;
  }

  struct Entry {
    const EntryMeta* meta = nullptr;
    const ChunkData* data = nullptr;
    std::uint32_t index = 0;
  };
  /// The next entry in log order, if it is here.
  [[nodiscard]] bool ready(Entry& entry) const {
    if (finished() || !meta_here_) return false;
    const Slot& slot = slots_[next_ - first_];
    if (!slot.here) return false;
    entry = {&slot.meta, &slot.data, next_};
    return true;
  }
  void gave(std::uint32_t index) {
    slots_[index - first_].here = false;
    if (++next_ == first_ + in_window_) {
      first_ = next_;
      open_window();
    }
  }

 private:
  struct Slot {
    EntryMeta meta;
    ChunkData data{};
    bool here = false;
  };
  void open_window() {
    in_window_ = entries_ - first_ < kWindow ? entries_ - first_ : kWindow;
    asked_ = 0;
    meta_here_ = false;
  }

  std::uint32_t entries_ = 0;
  std::uint32_t next_ = 0;       ///< entries given away
  std::uint32_t first_ = 0;      ///< of the window
  std::uint32_t in_window_ = 0;  ///< entries
  std::uint32_t asked_ = 0;      ///< reads asked for: the meta line, then the data of each
  bool meta_here_ = false;
  std::array<Slot, kWindow> slots_{};
};

}  // namespace heddle::determinism
