// The commit unit of a memory partition without SystemC ([KiloTM] §4.2.5): a ring of commit entries, set buffers, the
// last writer history, and stage pointers that pass over the entries in the order of their commit ids.
//
//   logs ──▶ absorb ──▶ hazard ──▶ wait ──▶ outcome ──▶ final ──▶ commit ──▶ retire
//              │ speculative         │ revalidation        ▲           │ writes
//              ▼ reads               ▼ reads               │           ▼
//             L2                    L2                 from the core  L2
//
// Ring, set buffers and hazard detection are blocks that take events (commit_blocks.h). Rows (commit_rows.h), what hazard
// detection says of them (row_hazards.h) and accesses of L2 (commit_accesses.h) are parts; here are the stages.
//
// An entry is a row of the ring: a transaction (Kilo TM), or the transactions of a warp (WarpTM). Every commit id has one
// in every unit; those that concern other partitions only are passed over in no time. Stages run in reverse order, so that
// a row takes a clock for each at least.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/ids.h"
#include "tm/commit_accesses.h"
#include "tm/commit_blocks.h"
#include "tm/commit_messages.h"
#include "tm/commit_rows.h"
#include "tm/config.h"
#include "tm/row_hazards.h"

namespace heddle::tm {

class CommitUnitModel {
 public:
  using Cycle = base::Cycle;
  static constexpr unsigned kMostBlockWords = CommitAccesses::kMostBlockWords;
  using L2Request = CommitAccesses::Request;
  using Counters = CommitUnitCounters;

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
  [[nodiscard]] const L2Request* l2_request() const { return accesses_.next(); }
  void l2_sent() { accesses_.sent(); }
  /// A read has come back: the words of the block.
  void returned(std::uint32_t tag, const std::uint32_t* block);
  /// L2 has taken a write: it comes before everything that L2 takes later at that address.
  void ordered(std::uint32_t tag) { accesses_.ends(tag); }

  /// To a core, in order; null: nothing.
  [[nodiscard]] const CoreMessage* message() const {
    return to_cores_.empty() ? nullptr : &to_cores_.front();
  }
  void message_sent() { to_cores_.pop_front(); }

  // ---- to see ----

  /// The oldest transaction that has not retired here.
  [[nodiscard]] Cid retire_pointer() const { return rows_.retire_pointer(); }
  [[nodiscard]] bool idle() const { return rows_.empty() && !absorbing_ && to_cores_.empty(); }
  [[nodiscard]] Counters& counters() { return counters_; }
  void observe(CommitObserver* observer) {
    observer_ = observer;
    accesses_.observe(observer);
  }
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
  using Row = CommitRow;

  bool absorb();
  void take_words(std::size_t count);
  void take_end();
  bool hazard_stage();
  bool wait_stage();
  bool outcome_stage();
  bool final_stage();
  bool commit_stage();
  bool retire_stage();
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
  void fails(Row& row, unsigned lane, std::uint64_t word, bool again);

  CommitUnitConfig config_;
  std::unique_ptr<PlainCommitBlocks> own_blocks_;
  Counters counters_;
  CommitRows rows_;
  RowHazards hazards_;
  CommitAccesses accesses_;
  CommitObserver* observer_ = nullptr;

  bool absorbing_ = false;
  UnitMessage message_;
  std::size_t absorbed_ = 0;

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
};

}  // namespace heddle::tm
