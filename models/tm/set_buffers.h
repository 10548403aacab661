// Set buffers of a commit unit as a block ([KiloTM] §4.2.5, §4.4.4): words of read and write sets, in buffers of a few words
// that all entries share. Who finds none, or has more words than a buffer holds, overflows: nobody waits ([KiloTM:E6]). It
// knows an entry by its slot.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tm/commit_messages.h"
#include "tm/config.h"
#include "tm/event_block.h"

namespace heddle::tm {

struct SetBufferEvent {
  enum class Op : std::uint8_t {
    kOpen,   ///< an entry is live from now on
    kStore,  ///< `word` of a lane's set that has not overflowed -> `stored`; false: it has now
    kWords,  ///< -> `words`: from the `from`-th stored one on, at most `most` and of one row of the log; empty: no more
    kDecided,  ///< the reads are not needed any more; nor, if not `needed`, the writes
    kClose,    ///< nothing is
  };
  Op op = Op::kStore;
  std::uint32_t slot = 0;
  bool write = false;  ///< the write set
  LogWord word{};
  std::uint32_t from = 0, most = 1;
  bool needed = false;

  bool stored = false;
  std::span<const LogWord> words{};  ///< valid until the next event of the slot
  std::uint64_t in_use = 0;          ///< buffers
};

class SetBuffers final : public EventPort<SetBufferEvent> {
 public:
  explicit SetBuffers(const CommitUnitConfig& config)
      : words_most_(config.set_words), buffers_most_(config.set_buffers), scheme_(config.buffer_scheme) {}
  void serve(SetBufferEvent& event) override;

 private:
  struct Set {
    std::vector<LogWord> words;
    std::array<std::uint16_t, base::kLanes> count{};  ///< by lane
  };
  struct Entry {
    std::array<Set, 2> sets;  ///< reads, writes
    std::uint32_t buffers = 0;
  };
  [[nodiscard]] bool full() const { return buffers_most_ != 0 && in_use_ >= buffers_most_; }
  void take(Entry& entry, std::uint32_t buffers) {
    entry.buffers += buffers;
    in_use_ += buffers;
  }
  void keep(Entry& entry, std::uint32_t buffers) {
    in_use_ -= entry.buffers - buffers;
    entry.buffers = buffers;
  }
  [[nodiscard]] bool store(Entry& entry, bool write, const LogWord& word);

  std::uint32_t words_most_, buffers_most_;
  BufferScheme scheme_;
  std::vector<Entry> entries_;  ///< by slot
  std::uint64_t in_use_ = 0;
};

}  // namespace heddle::tm
