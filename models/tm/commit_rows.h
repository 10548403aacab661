// The entries of a commit unit ([KiloTM] §4.2.5): rows of its ring, where the stages are, and the words of rows in set buffers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tm/commit_blocks.h"
#include "tm/commit_messages.h"
#include "tm/config.h"

namespace heddle::tm {

struct CommitUnitCounters {
  std::uint64_t rows = 0, skipped = 0, read_words = 0, write_words = 0;
  std::uint64_t speculative_reads = 0, second_reads = 0, writes = 0;  ///< accesses of L2
  std::uint64_t hazards = 0;         ///< transactions that had to be validated again
  std::uint64_t second_chances = 0;  ///< of these, that passed
  std::uint64_t failed = 0;          ///< transactions that failed here
  std::uint64_t hazard_clocks = 0, resends = 0, overflows = 0;
  std::uint64_t buffers = 0, most_buffers = 0;  ///< set buffers in use
  std::uint64_t most_rows = 0;  ///< ids from the retire pointer to the youngest one that is known
};

/// A transaction (Kilo TM), or the transactions of a warp (WarpTM).
struct CommitRow {
  std::uint32_t slot = 0;  ///< in the ring, and of its set buffers
  CommitGroup group;
  Cid first = 0;
  std::uint32_t count = 0;
  LaneMask lanes;  ///< its transactions
  bool begun = false, complete = false;
  Cid rcid = 0;
  LaneMask touched;
  std::uint32_t stored_reads = 0, stored_writes = 0;  ///< words that there was room for
  std::uint32_t read_words = 0, write_words = 0;      ///< all
  LaneMask readers, writers;
  LaneMask read_overflow, write_overflow;
  LaneMask failed, hazard;
  Cid ycid = 0;
  std::uint64_t hazard_word = 0;
  std::uint32_t reading = 0, writing = 0;  ///< accesses that L2 has not answered
  LaneMask finals, passes;
  std::uint32_t next = 0;  ///< word that its present stage looks at next
  bool reads_looked_up = false, resent = false, outcome_sent = false;
  [[nodiscard]] bool skip() const { return complete && touched.none(); }
};

class CommitRows {
 public:
  CommitRows(const CommitUnitConfig& config, const CommitBlocks& blocks, CommitUnitCounters& counters)
      : config_(config), counters_(counters), ring_(blocks.ring), buffers_(blocks.buffers) {}

  /// Stages pass over rows that do not concern this partition. Whether any has.
  bool clock();
  /// The row that begins with the id, if it is live; null: it is not.
  [[nodiscard]] CommitRow* find(Cid cid) const;
  /// The row of a lane's transaction. None: std::logic_error.
  [[nodiscard]] CommitRow& of(const CommitGroup& group, unsigned lane) const;
  /// The row that a stage is at since the clock began; null: none.
  [[nodiscard]] CommitRow* head(RingStage stage) const {
    const std::uint32_t slot = heads_[static_cast<unsigned>(stage)];
    return slot == RingEvent::kNoSlot ? nullptr : storage_[slot].get();
  }
  /// The next one that may retire; null: none.
  [[nodiscard]] CommitRow* oldest() const;
  [[nodiscard]] Cid pointer(RingStage stage) const;
  [[nodiscard]] Cid retire_pointer() const { return retire_; }
  /// Behind the youngest id that is known.
  [[nodiscard]] Cid youngest() const { return youngest_; }
  [[nodiscard]] bool empty() const { return live_ == 0; }

  /// Rows for the ids of a group, unless they are live.
  void know(const CommitGroup& group);
  /// The row that a stage is at goes on to the next one.
  void advance(RingStage stage);
  /// It has no words here.
  void skip(const CommitRow& row);
  /// It has retired.
  void free(CommitRow& row);

  /// A word of a set; one that there is no room for lets the lane's set overflow.
  void store(CommitRow& row, const LogWord& word, bool write);
  /// The stored word of a set that comes next, and those that are gathered with it: none, or those of its log's row.
  [[nodiscard]] std::span<const LogWord> gather(const CommitRow& row, bool write, std::uint32_t from);
  [[nodiscard]] LogWord stored_word(const CommitRow& row, bool write, std::uint32_t index);
  /// Its reads are not needed any more; nor, if not `needed`, its writes.
  void decided(const CommitRow& row, bool needed);

 private:
  void make(const CommitGroup& group, Cid first, std::uint32_t count, LaneMask lanes);
  SetBufferEvent&& ask_buffers(SetBufferEvent&& event);

  const CommitUnitConfig& config_;
  CommitUnitCounters& counters_;
  EventPort<RingEvent>& ring_;
  EventPort<SetBufferEvent>& buffers_;
  std::vector<std::unique_ptr<CommitRow>> storage_;
  std::vector<CommitRow*> free_rows_;
  std::uint64_t live_ = 0;
  std::array<std::uint32_t, kRingStages> heads_{};
  Cid retire_ = kFirstCid, youngest_ = kFirstCid;  ///< as the ring has answered last
};

}  // namespace heddle::tm
