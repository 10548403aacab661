// The scoreboard under timing: contract: for each scheduler a block of its own, clocked once per core cycle (scoreboard_unit.h,
// rtl/scoreboard). This shell is what is around the blocks in a core: it keeps what is at the heads of the I-buffers, puts
// registers on the ports in parts, and holds write-backs until their registers are released.
//
//   look-up   heads that fetch has brought, one in a cycle, in turn; the head behind an instruction that issues is looked up as
//             that one issues, if it has not more registers than the port
//   reserve   with the issue. An instruction with more destinations than ports keeps the scheduler from issuing until all are
//             reserved
//   release   write-backs of the pipes and of the load/store unit, one in a cycle, in turn. Those that wait are in their result
//             latches; while there are `release_queue` of a kind, the scheduler issues nothing. What is in flight still comes, so
//             more of them may wait: the latches have no size of their own
//   clear     with a warp that is new. What the warp before it in the slot has left in latches is dropped
//
// Not charged: the look at the lanes that arrived at a .sync instruction before (kCheck), which has all that is pending in sight.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "base/perturbation.h"
#include "base/stats.h"
#include "core/issue/scoreboard_unit.h"
#include "core/protocols/scoreboard_protocol.h"
#include "sim/block_socket.h"
#include "sim/twins.h"

namespace heddle::core {

class ClockedScoreboard : public sc_core::sc_module {
 public:
  static constexpr Cycle kIdleEdges = 8;  ///< of a longer time without requests so many are clocked
  /// Behind the last request the core stays awake for so many cycles: a block that is a clock late is seen to be.
  static constexpr Cycle kSettling = 2;
  static constexpr std::uint32_t kRequestsPerStall = 4;  ///< with stall_seed, on average

  /// Of a core with `schedulers`, warp slots `warps` and `groups` issue groups in each. Throws InputError if a block would have
  /// more slots than there are.
  ClockedScoreboard(const sc_core::sc_module_name& name, const ScoreboardConfig& config,
                    std::uint32_t schedulers, std::uint32_t warps, std::uint32_t groups,
                    base::StatGroup& stats, sim::Twins* twins = nullptr);

 private:
  /// The head of a slot's I-buffer.
  struct Head {
    const isa::Instruction* instruction = nullptr;
    LaneMask mask;
    std::uint32_t part = 0;  ///< of its registers, that is looked up next
    WarpId warp{};
    GroupId group{};
    Hazard told = Hazard::kLooking;  ///< answered last
  };
  /// An instruction's destinations that wait for a port; by value, as they may outlast the module that the instruction is of.
  struct Write {
    std::uint32_t warp = 0;
    LaneMask lanes;
    Destinations registers;
    bool memory = false;
    std::uint32_t part = 0;
  };
  struct Slice {
    std::unique_ptr<ScoreboardUnit> unit;
    base::Perturbation stalls;
    std::vector<Head> heads;
    ScoreboardPins pins;         ///< of the present cycle; heads: those of `heads`
    std::deque<Write> reserves;  ///< behind the one on the pins
    std::array<std::deque<Write>, ScoreboardPins::kSources> releases;
  };

  void serve(ScoreboardRequest& request);
  /// Nothing waits, and no I-buffer has an instruction.
  void begin_launch(Cycle cycle);
  void clear(WarpId warp);
  void inspect(ScoreboardRequest& request);
  void advance(Cycle now);
  void edge(Slice& slice, Cycle cycle);
  void put_reserve(Slice& slice, const Write& write);
  /// Something is on the pins, or waits for them.
  [[nodiscard]] static bool active(const Slice& slice);
  [[nodiscard]] std::uint64_t wanted(const Slice& slice) const;
  [[nodiscard]] static Hazard hazard(const ScoreboardHeads& heads, std::uint32_t slot);
  void tell_changes(Slice& slice);

  void head(ScoreboardRequest& request);
  void gone(const ScoreboardRequest& request);
  void issued(const ScoreboardRequest& request);
  void step(ScoreboardRequest& request);
  void check(ScoreboardRequest& request);
  /// With what is on its way to the block.
  [[nodiscard]] std::vector<PendingEntry> pending(WarpId warp) const;

  [[nodiscard]] Slice& slice_of(WarpId warp) { return slices_[warp.value() % slices_.size()]; }
  [[nodiscard]] std::uint32_t warp_in(WarpId warp) const {
    return warp.value() / static_cast<std::uint32_t>(slices_.size());
  }
  [[nodiscard]] std::uint32_t slot_in(WarpId warp, GroupId group) const {
    return warp_in(warp) * groups_ + group.value() % groups_;
  }

 public:
  sim::BlockTarget<ScoreboardProtocol, ClockedScoreboard, &ClockedScoreboard::serve,
                   &ClockedScoreboard::inspect>
      scoreboard_tsock{"scoreboard_tsock", this};

 private:
  bool masks_;
  std::uint32_t groups_;
  std::uint32_t entries_;
  std::uint32_t read_ports_;
  std::uint32_t write_ports_;
  std::uint32_t release_queue_;
  std::vector<Slice> slices_;
  Cycle cycle_ = 0;               ///< of the pins
  Cycle settled_ = 0;             ///< until then the core stays awake
  std::vector<GroupId> changed_;  ///< for which the answer to kHead is another one than before
  std::uint64_t checks_ = 0;
  std::uint64_t full_ = 0;
  std::uint64_t port_reads_ = 0;
  std::uint64_t port_writes_ = 0;
  std::uint64_t look_waits_ = 0;
  std::uint64_t release_waits_ = 0;
};

}  // namespace heddle::core
