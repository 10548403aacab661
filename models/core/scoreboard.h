// Baseline scoreboard: per warp a small set of registers with a pending write (mimd-simt-and-bows §2, §4 M5a
// baseline). An instruction may issue when none of the registers it reads or writes is pending (RAW, WAW;
// operands are read at issue, so there are no WAR hazards) and there is room for its destinations.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "core/config.h"
#include "core/protocols.h"
#include "sim/block_socket.h"
#include "sim/stats.h"

namespace heddle::core {

class ScoreboardModel {
 public:
  ScoreboardModel(const ScoreboardConfig& config, std::uint32_t warps);

  [[nodiscard]] Hazard check(WarpId warp, const isa::Instruction& instruction) const;
  void reserve(WarpId warp, const isa::Instruction& instruction);
  void release(WarpId warp, const isa::Instruction& instruction);
  void clear(WarpId warp) { warps_[warp.value()].count = 0, warps_[warp.value()].signature = 0; }
  [[nodiscard]] std::uint32_t pending(WarpId warp) const { return warps_[warp.value()].count; }

 private:
  struct Entry {
    isa::RegId reg = isa::kNoReg;
    bool memory = false;  ///< written by a memory instruction
  };
  struct Set {
    std::vector<Entry> entries;  ///< `count` valid ones
    std::uint32_t count = 0;
    std::uint64_t signature = 0;  ///< bit r mod 64 is set for every pending register r
  };
  [[nodiscard]] static const Entry* find(const Set& set, isa::RegId reg);
  std::vector<Set> warps_;
};

class Scoreboard : public sc_core::sc_module {
 public:
  Scoreboard(const sc_core::sc_module_name& name, const ScoreboardConfig& config, std::uint32_t warps,
             sim::StatGroup& stats);

 private:
  void serve(ScoreboardRequest& request);

 public:
  sim::BlockTarget<ScoreboardProtocol, Scoreboard, &Scoreboard::serve> scoreboard_tsock{"scoreboard_tsock",
                                                                                        this};

 private:
  ScoreboardModel model_;
  std::uint64_t checks_ = 0;
  std::uint64_t full_ = 0;
};

}  // namespace heddle::core
