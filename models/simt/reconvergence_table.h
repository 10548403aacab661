// The reconvergence table (RT) of a core: per warp 32 entries of {PC, RPC, R-Index of the parent, RecMask,
// PendingMask}, a free list and a timer per entry ([AWARE] §5.1, §5.5.1).
//
// An entry's timer runs while some of its lanes wait for others (arrived := Rec & ~Pend is not empty) and
// starts anew at every change of Pend; it fires when it exceeds the limit ([AWARE] §5.4.3).
//
// Virtualised ([AWARE] §5.5.2), fewer entries are physical; the others' contents are in memory. The numbers
// of entries, their timers and ages, and what [AWARE] Tab 5.2 does not count (split.h) stay here.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <systemc>
#include <vector>

#include "base/config.h"
#include "sim/block_socket.h"
#include "sim/clocked_twin.h"
#include "sim/twins.h"
#include "simt/split.h"

namespace heddle::simt {

struct ReconvergenceTableRequest {
  enum class Op : std::uint8_t {
    kReset,     ///< all entries of the warp become free
    kInsert,    ///< `entry` gets an `id`, kNoReconvergence if all are in use; `ok`: and a physical entry. If
                ///< not, its contents are the caller's to fill, like those of an entry in memory
    kRead,      ///< `entry` := the entry `id`; `ok`: it is physical; `valid`
    kWrite,     ///< the physical entry `id` := `entry`; no change of Pend
    kArrive,    ///< `lanes` arrive at `id`, at `pc` where that was not known; `entry`: as it is then
    kLeave,     ///< `lanes` are not expected at `id` any more; `entry`: as it is then
    kGoAlone,   ///< Rec := Pend; `entry`: as it was before
    kFree,      ///< `id` becomes free
    kEvict,     ///< the contents of the victim `id` leave: `words` are to be spilled
    kFill,      ///< `id` gets a physical entry with the contents `words`; `ok`: there was one free
    kFired,     ///< a `warp` and an `id` whose timer has fired by `cycle`; `ok`: there is one. It stops.
    kHasFired,  ///< `ok`: the timer of `id` fired and nothing has changed since
  };
  static constexpr const char* kOpNames[] = {"reset",    "insert", "read",  "write", "arrive", "leave",
                                             "go_alone", "free",   "evict", "fill",  "fired",  "has_fired"};
  Op op = Op::kRead;
  WarpId warp{};
  ReconvergenceId id = kNoReconvergence;
  LaneMask lanes{};
  Pc pc = kNoPc;
  Cycle cycle = 0;
  Reconvergence entry{};
  std::array<std::uint32_t, 4> words{};
  bool ok = false;
  bool valid = false;
  Cycle due = kNever;        ///< answer of all: when the next timer fires
  std::uint32_t clocks = 1;  ///< answer of all: from its acceptance to the answer, cost(request) of the model
};
struct ReconvergenceTableProtocol {
  using tlm_payload_type = ReconvergenceTableRequest;
  using tlm_phase_type = tlm::tlm_phase;
};

/// Which entry of a full reconvergence table is spilled ([AWARE:A7]).
enum class TableVictim : std::uint8_t { kLeastRecent, kMostRecent };

/// Timed-out reconvergence ([AWARE] §5.4.3), of the mechanisms with a reconvergence table.
struct TimeoutConfig {
  std::uint32_t cycles = 0;             ///< 0: lanes wait for ever
  std::uint32_t resolution_cycles = 1;  ///< [AWARE:A8]

  void visit(base::ConfigVisitor& v);
};

struct ReconvergenceTableConfig {
  std::uint32_t physical = kTableEntries;  ///< entries per warp, 1..32
  TableVictim victim = TableVictim::kLeastRecent;
  TimeoutConfig timeout;
};

class ReconvergenceTableModel {
 public:
  ReconvergenceTableModel(std::uint32_t warps, const ReconvergenceTableConfig& config);
  void serve(ReconvergenceTableRequest& request);
  /// kRead only; an entry that is not physical reads as it was when it left.
  void inspect(ReconvergenceTableRequest& request) const;
  /// Clocks from its acceptance to the answer: kFired looks at a timer that runs in each.
  [[nodiscard]] std::uint32_t cost(const ReconvergenceTableRequest& request) const;
  /// When the timer of a number fires, kNever: it does not run.
  [[nodiscard]] Cycle timer(WarpId warp, ReconvergenceId id) const {
    return warps_[warp.value()].entries[id.value()].fires;
  }
  [[nodiscard]] std::uint32_t warps() const { return static_cast<std::uint32_t>(warps_.size()); }

 private:
  struct Entry {
    Reconvergence contents;
    Cycle fires = kNever;
    std::uint64_t updated = 0;  ///< age: when it was written last, as a count of writes
  };
  struct Warp {
    std::uint32_t valid = 0;     ///< bit i: number i is in use
    std::uint32_t resident = 0;  ///< bit i: it has a physical entry
    std::uint32_t fired = 0;     ///< bit i: its timer has fired
    Cycle due = kNever;          ///< earliest of the timers
    std::array<Entry, kTableEntries> entries;
    std::array<ReconvergenceId, kTableEntries> free;  ///< a stack
    std::uint32_t free_count = 0;
  };
  void reset(Warp& warp);
  void insert(Warp& warp, ReconvergenceTableRequest& request);
  void update(Warp& warp, ReconvergenceTableRequest& request);
  void evict(Warp& warp, ReconvergenceTableRequest& request) const;
  void report_fired(ReconvergenceTableRequest& request);
  [[nodiscard]] bool room(const Warp& warp) const;
  /// Pend changed.
  void restart_timer(Warp& warp, ReconvergenceId id, Cycle now);
  void set_timer(Warp& warp, ReconvergenceId id, Cycle fires);

  std::vector<Warp> warps_;
  ReconvergenceTableConfig config_;
  std::uint64_t writes_ = 0;
  Cycle due_ = kNever;
};

/// rtl/reconvergence_table.
struct ReconvergenceTableBlock {
  static constexpr const char* kName = "reconvergence_table";
  struct Shape {
    std::uint32_t warps = 0;
    ReconvergenceTableConfig config;
    sim::Timing timing = sim::Timing::kIdeal;
  };
  using Request = ReconvergenceTableRequest;
  using Interface = sim::Twin<Request>;
  using Model = ReconvergenceTableModel;
  /// What is not an answer of the operation is as in Answer{}.
  struct Answer {
    WarpId warp{};
    ReconvergenceId id = kNoReconvergence;
    Reconvergence entry{};
    std::array<std::uint32_t, 4> words{};
    bool ok = false;
    bool valid = false;
    Cycle due = kNever;
    std::uint32_t clocks = 1;
    bool operator==(const Answer&) const = default;
  };
  static Answer answer_of(const Request& request);
  static nlohmann::ordered_json show_request(const Request& request);
  static nlohmann::ordered_json show_answer(const Answer& answer);
  static nlohmann::ordered_json show_tables(const Request& of, const std::function<void(Request&)>& inspect);
};

/// A spill record of 16 bytes: PC, RPC as 29-bit instruction numbers, their upper bits the R-Index, and the
/// two masks ([AWARE] §5.5.2).
[[nodiscard]] std::array<std::uint32_t, 4> pack(const Reconvergence& entry);
/// Overwrites what the record holds.
void unpack(const std::array<std::uint32_t, 4>& words, Reconvergence& entry);

class ReconvergenceTable : public sc_core::sc_module {
 public:
  ReconvergenceTable(const sc_core::sc_module_name& name, std::uint32_t warps,
                     const ReconvergenceTableConfig& config, const sim::ClockedTwinConfig& twin = {},
                     sim::Twins* twins = nullptr)
      : sc_module(name),
        block_(twin.impl, twins, {warps, config, twin.timing}, this->name(),
               ReconvergenceTableModel(warps, config)) {}

 private:
  void serve(ReconvergenceTableRequest& request) { block_.serve(request); }
  void inspect(ReconvergenceTableRequest& request) const { block_.inspect(request); }

 public:
  sim::BlockTarget<ReconvergenceTableProtocol, ReconvergenceTable, &ReconvergenceTable::serve,
                   &ReconvergenceTable::inspect>
      reconvergence_table_tsock{"reconvergence_table_tsock", this};

 private:
  sim::Twinned<ReconvergenceTableBlock> block_;
};

}  // namespace heddle::simt

HEDDLE_SOCKETS_ELSEWHERE(heddle::simt::ReconvergenceTableProtocol);
