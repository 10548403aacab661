// Transactions of a core ([KiloTM] §4.2.1 to §4.2.5): tokens, checkpoints, the logs between the core and its load/store unit
// (TX log unit, [KiloTM] §4.2.4), and the core's side of commits.
//
//   core --lsu_tsock--> TransactionUnit --> load/store unit
//                          |  \--- log accesses, reads of global memory: clients of the load/store unit
//                          \------ messages to commit units: a client of the memory port
//
// A warp is in one transaction at a time. Its lanes share the length of the logs; each has a column of its own.
// Files: transaction_unit.cpp the core's side, a cycle; tx_attempts.cpp gates, tokens, what instructions do; tx_splits.cpp the
// same where lanes of a warp run apart; tx_accesses.cpp loads and stores; tx_logs.cpp logs; tx_commit.cpp commits; tx_watchdog.cpp attempts and
// transactions that take long.
#pragma once

#include <array>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "base/slot_pool.h"
#include "core/core_extension.h"
#include "core/memory/address_resolver.h"
#include "core/memory/held_operation.h"
#include "core/memory/lsu_interposer.h"
#include "core/memory/memory_port.h"
#include "memory/address_map.h"
#include "tm/comparison/ideal_stores.h"
#include "tm/config.h"
#include "tm/global_reads.h"
#include "tm/intra_warp.h"
#include "tm/register_checkpoint.h"
#include "tm/transaction_shared.h"
#include "tm/tx_log.h"
#include "tm/warp_commit.h"
#include "warp_log/bloom_filter.h"
#include "warp_log/log_layout.h"
#include "warp_log/log_traffic.h"

namespace heddle::tm {

class TransactionUnit final : public core::LsuInterposer {
  void ask_token(core::IssueGateRequest& request);
  void ask_commit(core::IssueGateRequest& request);
  void execute(core::TransactionRequest& request);
  void show(core::TransactionRequest& request);
  void take_log(warp_log::LogAnswer& answer);
  void take_global(GlobalAnswer& answer);
  void take_response(core::PortResponse& response);
  void take_call(core::IssueTapRequest& request);

 public:
  TransactionUnit(const sc_core::sc_module_name& name, const TmConfig& config,
                  const core::CoreExtensionSite& site, const memory::AddressMap& map,
                  TransactionShared& shared);

  sim::BlockTarget<core::IssueGateProtocol, TransactionUnit, &TransactionUnit::ask_token> token_gate_tsock{
      "token_gate_tsock", this};
  sim::BlockInitiator<core::GateControlProtocol> token_control_isock{"token_control_isock"};
  sim::BlockTarget<core::IssueGateProtocol, TransactionUnit, &TransactionUnit::ask_commit> commit_gate_tsock{
      "commit_gate_tsock", this};
  sim::BlockInitiator<core::GateControlProtocol> commit_control_isock{"commit_control_isock"};
  sim::BlockTarget<core::TransactionProtocol, TransactionUnit, &TransactionUnit::execute,
                   &TransactionUnit::show>
      transaction_tsock{"transaction_tsock", this};
  sim::BlockInitiator<core::TransactionControlProtocol> control_isock{"control_isock"};
  sim::BlockTarget<core::IssueTapProtocol, TransactionUnit, &TransactionUnit::take_call> call_tap_tsock{
      "call_tap_tsock", this};
  sim::BlockInitiator<core::PortProtocol> port_isock{"port_isock"};
  sim::BlockTarget<core::PortResponseProtocol, TransactionUnit, &TransactionUnit::take_response>
      response_tsock{"response_tsock", this};

  void add_clients(core::LoadStoreUnit& unit) override;
  /// Bytes of device memory for the logs of `warps` warp slots.
  [[nodiscard]] static std::uint64_t log_bytes(const TmConfig& config, std::uint64_t warps);
  /// Where those of all cores are.
  void set_log_base(std::uint64_t base, std::uint64_t all_warps);
  /// Some warp is in a transaction.
  [[nodiscard]] bool active() const { return tokens_ != 0; }

 private:
  using WarpId = base::WarpId;
  using Cycle = base::Cycle;
  using Pc = base::Pc;

  enum class Phase : std::uint8_t {
    kIdle,
    kRuns,      ///< an attempt
    kDrains,    ///< in front of the tx_commit; accesses are under way
    kResolves,  ///< conflicts within the warp are looked for
    kCredits,   ///< waits for entries of the commit units
    kIds,       ///< waits for the vendor
    kTransfer,  ///< logs go to the commit units
    kWaits,     ///< for outcomes
    kResolved,  ///< the tx_commit may issue
  };
  struct Warp {
    Phase phase = Phase::kIdle;
    const isa::TransactionRegion* region = nullptr;
    LaneMask attempt;  ///< lanes in it: those of the T entry ([KiloTM] §4.2.1)
    LaneMask retry;    ///< lanes that have aborted and wait for the next one: those of the R entry
    bool token = false, waits_for_token = false;
    std::uint32_t loads = 0;             ///< outside of transactions, under way
    std::uint32_t accesses = 0;          ///< of the transaction, under way
    std::uint32_t atomics = 0;           ///< of these, atomics: what comes later waits for them
    std::deque<std::uint32_t> deferred;  ///< held operations that do
    std::uint32_t read_rows = 0, write_rows = 0;
    std::vector<std::uint8_t> write_bytes;       ///< by row: of each lane's store, within its word
    std::vector<warp_log::BloomFilter> filters;  ///< by lane: words in the write log
    LaneMask readers, writers;                   ///< lanes with words in the logs
    LaneMask faulted;  ///< lanes that have done what is a fault, if what they had read is valid
    std::exception_ptr fault;
    LaneMask trivial;  ///< of this commit: lanes without words
    LaneMask losers;   ///< lanes that conflict with lower ones of the warp
    RegisterCheckpoint checkpoint;
    WarpCommit commit;
    std::uint32_t failures = 0;  ///< attempts in a row
    Cycle backoff_until = 0;
    std::uint64_t linear_warp = 0;
    std::array<Cid, base::kLanes> last_cid{};
    std::array<FirstRead, base::kLanes> first_read;  ///< temporal conflict detection
    LaneMask silent;  ///< of `trivial`: lanes that have read, and nothing has changed since
    // tx_splits.cpp: lanes that the mechanism runs apart, or that were sent out of their attempt
    LaneMask began;     ///< lanes of the transaction that have not gone on behind it
    LaneMask arrived;   ///< of the attempt: wait in front of the tx_commit
    LaneMask outside;   ///< have returned from the attempt, and wait there
    LaneMask at_begin;  ///< wait at a tx_begin
    LaneMask at_abort;  ///< wait at a tx_abort
    std::uint32_t waiting =
        0;  ///< lanes of the transaction that have committed, and wait for others of the warp
    Cycle waiting_since = 0;
    bool concluded = false;                                ///< what becomes of the attempt is known
    std::array<std::uint32_t, base::kLanes> lane_loads{};  ///< outside of transactions, under way
    // tx_watchdog.cpp
    bool validates = false;  ///< the attempt is validated, and accesses wait meanwhile
    LaneMask doomed;         ///< what they have read has changed: they are sent out
    std::array<std::vector<Pc>, base::kLanes>
        calls;                   ///< within the attempt: where each lane's functions return to
    std::uint64_t attempts = 0;  ///< that the warp has begun in this launch
    std::uint64_t transactions = 0;
    std::uint32_t walks_again = 0;       ///< of its logs, that commit units have asked for
    std::uint64_t conflicts = 0;         ///< attempts of the transaction that were not valid
    std::uint64_t committed_before = 0;  ///< transactions of all cores, when it began
    Cycle began_at = 0;
    Cycle since = 0;  ///< the present wait or attempt began
    Cycle in_commit_since = 0;
    Cycle waits_since = 0;
  };
  /// A word that was on its way to L2 when it was asked for there (ideal transactional memory).
  struct LateWord {
    unsigned lane = 0, word = 0;
    IdealMemory::Bytes bytes;
  };
  /// An access of a transaction.
  struct Held {
    explicit Held(const core::LsuRequest& request) : operation(request), pc(request.pc), cta(request.cta) {}
    core::HeldOperation operation;
    Pc pc;
    const core::CtaContext* cta;
    bool transactional = false;
    std::uint32_t pieces = 0;
    LaneMask lanes;   ///< of global memory
    LaneMask others;  ///< of shared or local memory: wait for room in the load/store unit
    LaneAddresses address{};
    LaneAddresses word_address{};
    unsigned bytes = 0, words = 0;
    std::array<std::array<unsigned char, core::kMaxLaneBytes>, base::kLanes>
        data{};                                                         ///< from the first word on
    std::array<std::uint16_t, base::kLanes> wanted{}, known{}, hits{};  ///< bit per byte of `data`
    std::array<std::uint64_t, base::kLanes> operand{}, compare{};       ///< atomics
    std::uint32_t row = 0;  ///< the walk goes on with the one before
    LaneMask matched;       ///< of that row
    std::array<std::uint32_t, base::kLanes> matched_address{};
    std::vector<LateWord> late;
  };
  enum class Purpose : std::uint8_t { kAppend, kWalkAddresses, kWalkValues, kCommitAddresses, kCommitValues };
  struct LogAccess {
    Purpose purpose = Purpose::kAppend;
    WarpId warp{};
    std::uint32_t owner = 0;  ///< the held operation; of commits: the slot of the window
    std::uint64_t address = 0;
    std::array<std::uint32_t, base::kLanes> data{};  ///< of appends
  };

  // core::LsuInterposer
  void serve(core::LsuRequest& request) override;
  void inspect(core::LsuRequest& request) override;
  void complete(core::LsuCompletion& done) override;
  void wake(core::LsuWake& wake) override;

  // transaction_unit.cpp
  void declare();
  void begin_launch(const core::LaunchContext* launch);
  void start_cta(const core::CtaContext& cta);
  void issue(core::LsuRequest& request);
  void tick(core::LsuRequest& request);
  [[nodiscard]] bool full() const { return held_.size() >= most_held_; }
  [[nodiscard]] Warp& warp(WarpId id) { return warps_[id.value()]; }
  void wake_core();
  void recheck(bool token, WarpId id);
  /// Outside of the core's cycle, which may sleep: it looks at the warp at its tx_commit or fence again.
  void wake_from_outside(WarpId id);
  [[nodiscard]] bool fence_waits(const core::IssueGateRequest& request);
  [[nodiscard]] bool within(const Warp& of, LaneMask lanes) const {
    return of.phase != Phase::kIdle && of.attempt.contains(lanes);
  }
  /// The token, or a place in the queue for it.
  [[nodiscard]] bool take_token(WarpId id, LaneMask lanes);
  void begin(core::TransactionRequest& request);
  void commit(core::TransactionRequest& request);
  void abort(core::TransactionRequest& request);
  /// The outcome of all lanes of the attempt is known: counts, and remembers who tries again.
  void conclude(Warp& of, Cycle cycle);
  void next_attempt(WarpId id, core::TransactionRequest& request, LaneMask lanes);
  void ends(WarpId id);
  /// So many more lanes wait for others of the warp from now on, or fewer.
  void count_waiting(Warp& of, std::int64_t more);
  void release_token(Warp& of);
  /// The tx_commit may be executed.
  void resolved(WarpId id);

  // tx_splits.cpp
  void begin_apart(core::TransactionRequest& request);
  void commit_apart(core::TransactionRequest& request);
  void commit_outside(core::TransactionRequest& request);
  void abort_apart(core::TransactionRequest& request);
  void drain_if_all_there(WarpId id);
  void leave_attempt(WarpId id, LaneMask lanes);
  void attempt_is_empty(WarpId id);
  void resume(WarpId id, LaneMask lanes);

  // tx_watchdog.cpp
  void watch(Cycle cycle);
  void validate(WarpId id);
  void validate_if_quiet(WarpId id);
  void validation_ends(WarpId id);
  void send_away(WarpId id);
  [[nodiscard]] core::MechanismHang story_of(WarpId id) const;
  [[nodiscard]] hang::HangKind kind_of(const Warp& of) const;

  // tx_accesses.cpp
  std::uint32_t hold(const core::LsuRequest& request);
  void start(std::uint32_t owner);
  void start_deferred(WarpId id);
  /// Addresses of a held access; lanes that would fault are left out, and remembered.
  void resolve(Held& held);
  [[nodiscard]] LaneMask faulting_lanes(const Held& held, LaneMask lanes);
  void store(std::uint32_t owner);
  void load(std::uint32_t owner);
  void walk(std::uint32_t owner);
  void walk_row(std::uint32_t owner, std::span<const std::uint32_t> addresses);
  void walk_values(std::uint32_t owner, std::span<const std::uint32_t> values);
  void read_global(std::uint32_t owner);
  void load_ends(std::uint32_t owner);
  void append(std::uint32_t owner, bool write, LaneMask lanes, const LaneAddresses& address,
              const std::array<std::uint32_t, base::kLanes>& values, unsigned bytes);
  void piece_done(std::uint32_t owner);
  void finish(std::uint32_t owner);
  void access_done(WarpId id);
  void offer_log_access(Cycle cycle);
  void offer_others(Cycle cycle);
  void log_overflow(Warp& of, LaneMask lanes, Pc pc, bool write);
  [[nodiscard]] WarpId warp_of(const Held& held) const { return held.operation.slices()[0].warp; }

  // comparison/ideal_accesses.cpp
  [[nodiscard]] IdealMemory::Owner ideal_owner(WarpId id, unsigned lane) const;
  void begin_ideal(WarpId id);
  void append_ideal(WarpId id, bool write, LaneMask lanes, const LaneAddresses& address,
                    const std::array<std::uint32_t, base::kLanes>& values, unsigned bytes);
  void read_own_ideal(Held& held);
  void watch_ideal(Held& held);
  static void read_late_ideal(const Held& held, unsigned lane, unsigned word, std::uint32_t& value);
  void commit_ideal(WarpId id);
  void decide_ideal(Cycle cycle);
  void send_ideal_store(Cycle cycle);
  void ideal_store_performed(WarpId id);

  // tx_commit.cpp
  void drain(WarpId id);
  void begin_commit(WarpId id);
  void commit_cycle(Cycle cycle);
  void take_credits();
  void ids_granted(WarpId id, Cid base);
  struct Walk {
    enum class Why : std::uint8_t {
      kTransfer,
      kAgain,    ///< a set is sent again: to one partition, of some lanes
      kResolve,  ///< conflicts within the warp: write log, read log, and the write log once more for two phases
      kValidate,  ///< the read log only ([KiloTM:E11])
    };
    WarpId warp{};
    Why why = Why::kTransfer;
    bool writes_only = false;
    LaneMask lanes;
    std::uint32_t partition = 0;
    bool by_lane =
        false;  ///< kAgain, Kilo TM: read sets of `lanes` and write sets of `writers`, lane after lane
    LaneMask writers;
  };
  struct WalkRow {
    bool write = false;
    std::uint32_t row = 0;
    unsigned lane = 0;  ///< by lane
  };
  [[nodiscard]] LaneMask with_words(const Warp& of) const {
    if (of.validates) return of.attempt & of.readers;
    return LaneMask::difference(of.attempt, of.trivial | of.losers);
  }
  void commit_silently(Warp& of, LaneMask& words);
  void ask_for_credits(WarpId id);
  void resolve_within(WarpId id);
  void resolution_ends(Cycle cycle);
  void walk_log();
  [[nodiscard]] WalkRow walk_row_at(const Walk& walk, const Warp& of, std::uint32_t index) const;
  [[nodiscard]] std::uint32_t rows_of(const Walk& walk, const Warp& of) const;
  void send_row(bool write, std::uint32_t row, std::span<const std::uint32_t> addresses,
                std::span<const std::uint32_t> values);
  struct WindowRow;
  void send_word(const WindowRow& row);
  void walk_ends();
  void take_notice(const CoreMessage& notice, std::uint32_t partition);
  void decide(WarpId id, LaneMask lanes);
  void resolve_if_complete(WarpId id);
  void send(std::uint32_t partition, UnitMessage message);
  void send_messages(Cycle cycle);
  [[nodiscard]] std::uint64_t messages_waiting() const { return to_port_.size(); }

  const TmConfig config_;
  const core::CoreExtensionSite site_;
  const memory::AddressMap& map_;
  TransactionShared& shared_;
  warp_log::LogTraffic traffic_;
  sim::BlockTarget<warp_log::LogAnswerProtocol, TransactionUnit, &TransactionUnit::take_log>
      log_answer_tsock_{"log_answer_tsock", this};
  GlobalReads reads_;
  sim::BlockTarget<GlobalAnswerProtocol, TransactionUnit, &TransactionUnit::take_global> global_answer_tsock_{
      "global_answer_tsock", this};
  core::PortClient port_client_;
  warp_log::LogLayout read_log_, write_log_;
  core::AddressResolver resolver_;
  core::MemoryInstruction op_;  ///< the one that is looked at
  const core::LaunchContext* launch_ = nullptr;
  bool has_transactions_ = false;  ///< the launch
  std::uint32_t token_gate_ = 0, commit_gate_ = 0;

  std::vector<Warp> warps_;
  std::uint32_t tokens_ = 0;
  std::deque<WarpId> token_queue_;
  std::vector<std::pair<bool, WarpId>> to_recheck_, rechecking_;  ///< rechecking_: in this cycle
  std::vector<WarpId> backing_off_;
  const bool apart_;  ///< the mechanism runs lanes of a warp apart

  /// When an attempt or a transaction is looked at, if it is still the same one then. Times ascend.
  struct Look {
    Cycle due = 0;
    WarpId warp{};
    std::uint64_t number = 0;
  };
  std::deque<Look> attempts_, transactions_;
  std::vector<WarpId> sending_away_;
  bool hang_told_ = false;

  base::SlotPool<std::unique_ptr<Held>> held_;
  std::size_t most_held_;
  std::deque<LogAccess> to_lsu_;
  base::SlotPool<LogAccess> in_lsu_;   ///< by tag
  std::deque<std::uint32_t> to_pass_;  ///< held operations
  bool lsu_full_ = false;
  bool again_ = false;  ///< there is something to do in the next cycle
  Cycle cycle_ = 0;

  std::optional<IdealStores> ideal_stores_;
  std::deque<std::pair<WarpId, Cycle>> ideal_;  ///< warps that wait for ideal outcomes, and since when

  // Commits.
  std::deque<WarpId> for_credits_;
  std::uint32_t credits_used_ = 0;
  std::deque<std::pair<Cid, std::uint32_t>> credits_out_;  ///< {end of the ids, how many}
  bool waits_for_board_ = false;
  std::deque<Walk> walks_;
  static constexpr std::uint32_t kWindow = 4;       ///< rows that are read ahead
  static constexpr std::uint32_t kLaneWindow = 32;  ///< of which one word is wanted
  struct WindowRow {
    bool write = false;
    std::uint32_t row = 0;
    unsigned lane = 0;
    unsigned missing = 0;
    std::array<std::uint32_t, base::kLanes> addresses{}, values{};
  };
  std::deque<std::uint32_t> window_order_;  ///< slots of rows on their way, oldest first
  std::array<WindowRow, kLaneWindow> window_{};
  UnitMessage again_words_;  ///< of a set that is sent again: not sent yet
  std::vector<std::uint32_t> window_free_;
  std::uint32_t walk_next_ = 0;  ///< rows that have been asked for
  std::vector<LaneMask> walk_touched_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> walk_words_;  ///< by partition: reads, writes
  WarpWords words_;                                    ///< of the warp whose conflicts are looked for
  std::optional<std::pair<WarpId, Cycle>> resolving_;  ///< their steps go on until then
  std::deque<std::pair<std::uint32_t, UnitMessage>> to_port_;

  struct Statistics {
    std::uint64_t silent = 0, time_conflicts = 0, false_conflicts = 0;
    std::uint64_t intra_warp_aborted = 0, resolution_cycles = 0;
    std::uint64_t begun = 0, committed = 0, aborted = 0, self_aborted = 0, warps = 0, retries = 0,
                  read_only = 0;
    std::uint64_t tx_loads = 0, tx_stores = 0, tx_atomics = 0, walks = 0, walked_rows = 0, read_rows = 0,
                  write_rows = 0;
    std::uint64_t most_read_rows = 0, most_write_rows = 0, credit_waits = 0;
    std::uint64_t validations = 0, sent_away = 0, fence_waits = 0;
    std::uint64_t token_cycles = 0, commit_cycles = 0, wait_cycles = 0, aborted_cycles = 0, useful_cycles = 0;
    std::array<std::uint64_t, 6> messages{}, message_bytes{}, message_flits{};
  } stats_;
  std::uint64_t records_ = 0;
};

}  // namespace heddle::tm
