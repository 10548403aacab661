// What a commit unit reads and writes of L2: words of rows, gathered to blocks; writes go first, then second reads.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "tm/commit_observer.h"
#include "tm/commit_rows.h"

namespace heddle::tm {

class CommitAccesses {
 public:
  static constexpr unsigned kMostBlockWords = 32;
  enum class Kind : std::uint8_t { kRead, kSecondRead, kWrite };

  /// An access of L2, within a block of config.access_bytes.
  struct Request {
    bool write = false;
    std::uint64_t block = 0;  ///< address of its first byte
    Cid cid = 0;              ///< of a write: the youngest transaction that it is of
    std::uint32_t tag = 0;    ///< for returned() and ordered()
    std::uint32_t words = 0;  ///< bit per word of the block that is wanted or written
    std::array<std::uint32_t, kMostBlockWords> values{};
    std::array<std::uint8_t, kMostBlockWords> bytes{};  ///< of each word, that are written
  };
  /// One that L2 has not answered.
  struct Access {
    CommitRow* row = nullptr;
    Kind kind = Kind::kRead;
    struct Word {
      std::uint8_t lane = 0, index = 0;
      std::uint32_t value = 0;
    };
    std::vector<Word> words;
    std::uint64_t block = 0;
  };

  CommitAccesses(const CommitUnitConfig& config, CommitUnitCounters& counters)
      : config_(config), counters_(counters) {}

  void observe(CommitObserver* observer) { observer_ = observer; }
  /// Of the words, those of `lanes`.
  void add(CommitRow& row, const LogWord* words, std::size_t count, LaneMask lanes, Kind kind);
  /// The queue of first reads has room.
  [[nodiscard]] bool takes_reads() const { return queue(Kind::kRead).size() < config_.l2_queue; }
  /// What L2 is to get next; null: nothing.
  [[nodiscard]] const Request* next() const;
  void sent();
  [[nodiscard]] const Access& at(std::uint32_t tag) const { return accesses_[tag]; }
  /// L2 has answered it.
  void ends(std::uint32_t tag);

 private:
  using Queue = std::deque<Request>;
  [[nodiscard]] Queue& queue(Kind kind) { return queues_[static_cast<unsigned>(kind)]; }
  [[nodiscard]] const Queue& queue(Kind kind) const { return queues_[static_cast<unsigned>(kind)]; }
  std::uint32_t begin(CommitRow& row, std::uint64_t block, Kind kind);

  const CommitUnitConfig& config_;
  CommitUnitCounters& counters_;
  CommitObserver* observer_ = nullptr;
  std::array<Queue, 3> queues_;  ///< by kind
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> free_accesses_;
};

}  // namespace heddle::tm
