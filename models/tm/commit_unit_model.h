// The commit unit of a memory partition without SystemC ([KiloTM] §4.2.5): a ring of commit entries, set buffers, the
// last writer history, and stage pointers that pass over the entries in the order of their commit ids.
//
//   logs ──▶ absorb ──▶ hazard ──▶ wait ──▶ outcome ──▶ final ──▶ commit ──▶ retire
//              │ speculative         │ revalidation        ▲           │ writes
//              ▼ reads               ▼ reads               │           ▼
//             L2                    L2                 from the core  L2
//
// Ring, set buffers and hazard detection are blocks that take events (commit_blocks.h); here are the stages.
//
// An entry is a row of the ring: a transaction (Kilo TM), or the transactions of a warp (WarpTM). Every commit id has one
// in every unit; those that concern other partitions only are passed over in no time. Stages run in reverse order, so that
// a row takes a clock for each at least.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "tm/commit_blocks.h"
#include "tm/commit_messages.h"
#include "tm/config.h"

namespace heddle::tm {

/// Hears of what the unit does, in order; for checks.
class CommitObserver {
 public:
  virtual ~CommitObserver() = default;
  virtual void read_issued(Cid cid, std::uint64_t word, bool again) = 0;
  virtual void read_returned(Cid cid, std::uint64_t word) = 0;
  virtual void outcome_sent(Cid cid) = 0;
  virtual void final_received(Cid cid, bool pass) = 0;
  virtual void write_issued(Cid cid, std::uint64_t word) = 0;
  virtual void retired(Cid cid) = 0;
};

class CommitUnitModel {
 public:
  using Cycle = base::Cycle;
  static constexpr unsigned kMostBlockWords = 32;

  /// An access of L2, within a block of config.access_bytes.
  struct L2Request {
    bool write = false;
    std::uint64_t block = 0;  ///< address of its first byte
    Cid cid = 0;              ///< of a write: the youngest transaction that it is of
    std::uint32_t tag = 0;    ///< for returned() and ordered()
    std::uint32_t words = 0;  ///< bit per word of the block that is wanted or written
    std::array<std::uint32_t, kMostBlockWords> values{};
    std::array<std::uint8_t, kMostBlockWords> bytes{};  ///< of each word, that are written
  };

  struct Counters {
    std::uint64_t rows = 0, skipped = 0, read_words = 0, write_words = 0;
    std::uint64_t speculative_reads = 0, second_reads = 0, writes = 0;  ///< accesses of L2
    std::uint64_t hazards = 0;         ///< transactions that had to be validated again
    std::uint64_t second_chances = 0;  ///< of these, that passed
    std::uint64_t failed = 0;          ///< transactions that failed here
    std::uint64_t hazard_clocks = 0, resends = 0, overflows = 0;
    std::uint64_t buffers = 0, most_buffers = 0;  ///< set buffers in use
    std::uint64_t most_rows = 0;  ///< ids from the retire pointer to the youngest one that is known
  };

  /// With blocks of its own.
  explicit CommitUnitModel(const CommitUnitConfig& config);
  CommitUnitModel(const CommitUnitConfig& config, const CommitBlocks& blocks);

  // ---- the steps of a clock ----

  /// A message may be given.
  [[nodiscard]] bool can_accept() const { return !absorbing_; }
  void accept(UnitMessage message);
  /// Everything that the unit does by itself. Whether anything happened.
  bool clock(Cycle now);

  /// What L2 is to get next; null: nothing.
  [[nodiscard]] const L2Request* l2_request() const;
  void l2_sent();
  /// A read has come back: the words of the block.
  void returned(std::uint32_t tag, const std::uint32_t* block);
  /// L2 has taken a write: it comes before everything that L2 takes later at that address.
  void ordered(std::uint32_t tag);

  /// To a core, in order; null: nothing.
  [[nodiscard]] const CoreMessage* message() const {
    return to_cores_.empty() ? nullptr : &to_cores_.front();
  }
  void message_sent() { to_cores_.pop_front(); }

  // ---- to see ----

  /// The oldest transaction that has not retired here.
  [[nodiscard]] Cid retire_pointer() const { return retire_; }
  [[nodiscard]] bool idle() const { return begun_rows_ == 0 && !absorbing_ && to_cores_.empty(); }
  [[nodiscard]] Counters& counters() { return counters_; }
  void observe(CommitObserver* observer) { observer_ = observer; }
  /// What the oldest entry waits for, for messages.
  [[nodiscard]] std::string describe() const;
  /// Why a transaction of a warp has failed here last: a word that it had read, and who may have written it since (0: not
  /// known).
  struct Failure {
    Cid cid = 0, writer = 0;
    std::uint64_t word = 0;
  };
  [[nodiscard]] const Failure* last_failure(std::uint32_t core, std::uint32_t warp) const;
  /// Of a transaction that is live here, or has retired not long ago; null: not known.
  [[nodiscard]] const CommitGroup* group_of(Cid cid) const;
  /// A word that the oldest waiting transaction shares with an older one, for who asks why nothing goes on: the word and
  /// the older one's id.
  struct Conflict {
    Cid waits = 0, for_cid = 0;
    std::uint64_t word = 0;
  };
  [[nodiscard]] std::optional<Conflict> conflict() const;
  /// An entry of a warp that has no outcome yet, and the oldest one in front of it: {its id, that one's}.
  [[nodiscard]] std::optional<std::pair<Cid, Cid>> stands_behind(std::uint32_t core,
                                                                 std::uint32_t warp) const;

 private:
  enum class Stage : std::uint8_t { kHazardReads, kHazardWrites, kRevalidate, kCommit };
  struct Row {
    std::uint32_t slot = 0;  ///< in storage_, and of its set buffers
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
  struct Access {
    Row* row = nullptr;
    bool write = false, again = false;
    struct Word {
      std::uint8_t lane = 0, index = 0;
      std::uint32_t value = 0;
    };
    std::vector<Word> words;
    std::uint64_t block = 0;
  };

  [[nodiscard]] Row* row(Cid cid) const;
  /// The row that a stage is at since the clock began; null: none.
  [[nodiscard]] Row* head(RingStage stage) const {
    const std::uint32_t slot = heads_[static_cast<unsigned>(stage)];
    return slot == RingEvent::kNoSlot ? nullptr : storage_[slot].get();
  }
  /// The next one that may retire.
  [[nodiscard]] Row* oldest();
  void advance(RingStage stage);
  [[nodiscard]] Cid pointer(RingStage stage) const;
  Row& row_of(const CommitGroup& group, unsigned lane);
  void know(const CommitGroup& group);
  void begin(Row& row);
  [[nodiscard]] HazardEvent hazard_event(HazardEvent::Op op, const Row& row, std::uint64_t address) const;
  void tell_passed(Cid before);

  bool absorb();
  void take_words(std::size_t count);
  void take_end();
  void store_word(Row& row, const LogWord& word, bool write);
  bool hazard_stage();
  bool wait_stage();
  bool outcome_stage();
  bool final_stage();
  bool commit_stage();
  bool retire_stage();
  void look_up(Row& row, const LogWord& word);
  void reads_end(Row& row);
  void insert(Row& row, const LogWord& word);
  /// Whether a row's overflown set has come again; asks for it once.
  bool resent(Row& row, Stage stage, LaneMask lanes, bool& happened);
  bool look_for_hazards(Row& row, bool& happened);
  /// Asks for the sets of the row, and for those of the lanes behind it in the warp that will need them, too (Kilo TM): one
  /// request brings them one after another, in the order in which the stage comes to them.
  void ask_for_sets(const Row& row, Stage stage);
  /// Which sets of a row a stage wants when it is there: nothing is known of rows behind it without `known`.
  struct WantedSets {
    bool known = true, reads = false, writes = false;
  };
  [[nodiscard]] WantedSets wanted_sets(const Row& row, Stage stage) const;
  enum class Resent : std::uint8_t { kWaits, kTaken, kStale };
  /// What becomes of a message of such a set.
  [[nodiscard]] Resent resent_message() const;
  void resent_ends(bool stale);
  /// A set of the row is on its way: nothing goes on before all of it is there.
  [[nodiscard]] bool comes_again(const Row& row) const { return resend_.active && resend_.row == &row; }
  /// The stored word of a set that comes next, and those that are gathered with it: none, or those of its log's row.
  [[nodiscard]] std::span<const LogWord> gather(const Row& row, bool write, std::uint32_t from);
  [[nodiscard]] LogWord stored_word(const Row& row, bool write, std::uint32_t index);
  SetBufferEvent&& ask_buffers(SetBufferEvent&& event);
  void access(Row& row, const LogWord* words, std::size_t count, LaneMask lanes, bool write, bool again);
  void fails(Row& row, unsigned lane, std::uint64_t word, bool again);
  void free_row(Row& row);

  CommitUnitConfig config_;
  std::unique_ptr<PlainCommitBlocks> own_blocks_;
  EventPort<RingEvent>& ring_;
  EventPort<SetBufferEvent>& buffers_;
  EventPort<HazardEvent>& hazards_;
  std::uint32_t comparing_ = 0;  ///< clocks that hazard detection still takes for a row
  bool looked_ = false;          ///< it has looked up or inserted words in this clock
  CommitObserver* observer_ = nullptr;

  std::vector<std::unique_ptr<Row>> storage_;
  std::vector<Row*> free_rows_;
  std::uint64_t begun_rows_ = 0;
  std::array<std::uint32_t, kRingStages> heads_{};
  Cid passed_ = kFirstCid;                         ///< hazard detection, as it has been told
  Cid retire_ = kFirstCid, youngest_ = kFirstCid;  ///< as the ring has answered last

  bool absorbing_ = false;
  UnitMessage message_;
  std::size_t absorbed_ = 0;

  std::deque<L2Request> writes_, second_reads_, first_reads_;
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> free_accesses_;
  std::deque<CoreMessage> to_cores_;
  std::uint32_t gathering_ = 0;  ///< clocks that the commit stage still gathers for; likewise the next one
  std::uint32_t gathering_again_ = 0;

  struct Resend {
    bool active = false;
    Row* row = nullptr;  ///< WarpTM
    Stage stage = Stage::kHazardReads;
    LaneMask lanes;
    LaneMask reads, writes;  ///< Kilo TM: lanes whose sets have not come
    Cid base = 0;            ///< of their group
  };
  Resend resend_;
  std::unordered_map<std::uint64_t, Failure> failures_;  ///< by core and warp slot
  static constexpr std::size_t kRemembered = 1024;
  std::deque<CommitGroup> retired_;  ///< the last that have had words here
  Counters counters_;
};

}  // namespace heddle::tm
