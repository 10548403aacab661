// The issue logic of Volta and later: dependences are the compiler's. A word says for how many cycles its warp issues nothing
// behind it (stall count, yield flag), which of the warp's six dependence counters it raises (write and read barrier), and which
// of them must be 0 before it issues itself (wait mask; DEPBAR.LE: at most n). Nothing is known of registers.
//
// A counter is raised when its instruction issues and visible from the second cycle after that, which ptxas keeps to: no word
// that waits for a counter stands one cycle behind the word that raises it. It goes down when the results are written, or when the sources
// have been read. Several instructions may raise one; it holds at most 63, and an instruction that would exceed that waits.
//
// With `check_hazards` the block keeps, beside the counters, which registers have no value yet, and for which lanes. What the codes would let
// through is recorded and waits for the value. An instruction without a write barrier has its results after the cycles that ptxas counts
// (counted_cycles.h), whatever the pipes are busy with: on the hardware it issues only if they are not.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "core/config.h"
#include "core/issue/hazard_log.h"
#include "core/protocols/scoreboard_protocol.h"
#include "sim/block_socket.h"

namespace heddle::core {

class DependenceCountersModel {
 public:
  static constexpr std::uint8_t kMost = 63;  ///< six bits each
  using Codes = isa::ControlCodes;

  /// `log`: for hazards; only needed with check_hazards.
  DependenceCountersModel(const ScoreboardConfig& config, std::uint32_t warps, HazardLog* log);

  void serve(ScoreboardRequest& request);
  /// The counters of the warp that are not 0.
  void inspect(ScoreboardRequest& request) const;

  [[nodiscard]] std::uint8_t counter(WarpId warp, unsigned number) const {
    return warps_[warp.value()].counters[number];
  }
  /// Cycles that warps' heads have waited for each counter.
  [[nodiscard]] const std::uint64_t* wait_cycles() const { return wait_cycles_.data(); }
  [[nodiscard]] const std::uint64_t& hazards() const { return hazards_; }

 private:
  /// A register whose value is on its way.
  struct Write {
    isa::RegId reg = isa::kNoReg;
    LaneMask lanes;
    const isa::Instruction* by = nullptr;
    Cycle issued = 0;
    bool counted = false;  ///< otherwise released when it is there
  };
  /// A source that has not been read.
  struct Read {
    isa::RegId reg = isa::kNoReg;
    LaneMask lanes;
    const isa::Instruction* by = nullptr;
    Cycle issued = 0;
    Cycle at = 0;
  };
  struct Event {
    std::uint8_t counter = 0;
    Cycle at = 0;
  };
  /// A load or atomic whose registers have not got their values, or whose counter is up still.
  struct Load {
    const isa::Instruction* by = nullptr;
    LaneMask lanes;
    bool done = false;
  };
  struct Warp {
    std::array<std::uint8_t, Codes::kCounters> counters{};
    std::array<std::uint8_t, Codes::kCounters>
        of_memory{};            ///< of these: write barriers of memory instructions
    Cycle issued = kNever;      ///< when it issued last
    Cycle issues_from = 0;      ///< stall count and yield flag
    std::vector<Event> unseen;  ///< raised, visible from `at` on
    std::vector<Event> reads;   ///< of read barriers, and of BMOV: they go down
    std::vector<Load> loads;    ///< in the order of issue
    std::uint8_t waits_for = Codes::kNone;
    Cycle waits_since = 0;
    // check_hazards
    std::vector<Write> writes;
    std::vector<Read> sources;
    bool reported = false;  ///< the head's hazard has been recorded
  };

  void check(ScoreboardRequest& request);
  void issue(const ScoreboardRequest& request);
  void reserve(const ScoreboardRequest& request);
  /// A BMOV has issued, which no pipe executes.
  void move_barrier(Warp& warp, const Codes& codes, Cycle cycle) const;
  void read_sources(const ScoreboardRequest& request);
  void release(const ScoreboardRequest& request);
  /// Lowers the counters of loads that are done, as far as their order allows.
  static void lower_in_order(Warp& warp);
  void stall(Warp& warp, const Codes& codes, Cycle cycle);
  /// Brings what is timed up to date.
  static void settle(Warp& warp, Cycle cycle);
  [[nodiscard]] static unsigned visible(const Warp& warp, unsigned counter);
  /// The counter that keeps an instruction with these codes; kNone: none does.
  [[nodiscard]] static std::uint8_t blocking(const Warp& warp, const Codes& codes);
  void note_wait(Warp& warp, std::uint8_t counter, Cycle cycle);
  /// The first hazard that issue in request.cycle would be; kNone: none.
  void find_hazard(Warp& warp, ScoreboardRequest& request);
  [[nodiscard]] const Write* old_value(const Warp& warp, const ScoreboardRequest& request) const;

  Cycle operand_read_cycles_;
  Cycle barrier_move_cycles_;
  HazardLog* log_;  ///< nullptr: not checked
  std::vector<Warp> warps_;
  std::array<std::uint64_t, Codes::kCounters> wait_cycles_{};
  std::uint64_t hazards_ = 0;
};

class DependenceCounters : public sc_core::sc_module {
 public:
  DependenceCounters(const sc_core::sc_module_name& name, const CoreConfig& config, base::StatGroup& stats,
                     HazardLog* log);

 private:
  void serve(ScoreboardRequest& request);
  void inspect(ScoreboardRequest& request) const { model_.inspect(request); }

 public:
  sim::BlockTarget<ScoreboardProtocol, DependenceCounters, &DependenceCounters::serve,
                   &DependenceCounters::inspect>
      scoreboard_tsock{"scoreboard_tsock", this};

 private:
  DependenceCountersModel model_;
  std::uint64_t checks_ = 0;
  std::uint64_t full_ = 0;
};

}  // namespace heddle::core
