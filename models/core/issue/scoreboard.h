// Scoreboard: per warp a small set of registers with a pending write. An instruction may issue when none of
// the registers it reads or writes is pending (RAW, WAW; operands are read at issue, so there are no WAR
// hazards) and there is room for its destinations.
//
// Two kinds ([ElTantawy18] §2.1, [MultiPath] §7.2.2): `per_warp` knows a register as pending for the whole
// warp, so that a split waits for registers that only another split's lanes are about to write;
// `per_thread_mask` keeps the lanes for which it is pending, and a split waits only for its own lanes.
//
// The sets lie in an array with few ports (scoreboard_ports.h); the bits of `per_warp` usually in flip-flops,
// without limit. Registers are looked up and counted when an instruction issues; [MultiPath] §7.2.2 has the
// look-up at decode and keeps its result, once per instruction either way. The ports are counted beside the
// sets: the block and its twin hold what is pending, and serve whatever has been admitted.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "core/config.h"
#include "core/issue/scoreboard_ports.h"
#include "core/protocols/scoreboard_protocol.h"
#include "sim/block_socket.h"
#include "sim/twins.h"

namespace heddle::core {

class ScoreboardModel {
 public:
  ScoreboardModel(const ScoreboardConfig& config, std::uint32_t warps);

  /// All but kAdmit.
  void serve(ScoreboardRequest& request);
  /// The pending registers of the warp, by number.
  void inspect(ScoreboardRequest& request) const;

  /// May lanes `lanes` of the warp issue the instruction?
  [[nodiscard]] Hazard check(WarpId warp, const isa::Instruction& instruction,
                             LaneMask lanes = LaneMask::all()) const;
  void reserve(WarpId warp, const isa::Instruction& instruction, LaneMask lanes = LaneMask::all());
  void release(WarpId warp, const isa::Instruction& instruction, LaneMask lanes = LaneMask::all());
  void clear(WarpId warp) { warps_[warp.value()].count = 0, warps_[warp.value()].signature = 0; }
  [[nodiscard]] std::uint32_t pending(WarpId warp) const { return warps_[warp.value()].count; }
  /// Lanes for which a register is pending.
  [[nodiscard]] LaneMask pending_lanes(WarpId warp, isa::RegId reg) const;

  struct Entry {
    isa::RegId reg = isa::kNoReg;
    bool memory = false;  ///< written by a memory instruction
    LaneMask lanes;       ///< per_warp: all
  };
  /// Entries of a warp, in no particular order.
  [[nodiscard]] std::span<const Entry> entries(WarpId warp) const {
    const Set& set = warps_[warp.value()];
    return {set.entries.data(), set.count};
  }

 private:
  struct Set {
    std::vector<Entry> entries;  ///< `count` valid ones
    std::uint32_t count = 0;
    std::uint64_t signature = 0;  ///< bit r mod 64 is set for every pending register r
  };
  [[nodiscard]] static const Entry* find(const Set& set, isa::RegId reg);
  [[nodiscard]] std::uint32_t new_entries(const Set& set, const isa::Instruction& instruction) const;
  bool masks_;
  std::vector<Set> warps_;
};

/// rtl/scoreboard.
struct ScoreboardBlock {
  static constexpr const char* kName = "scoreboard";
  struct Shape {
    std::uint32_t warps = 0;
    ScoreboardConfig config;
  };
  using Request = ScoreboardRequest;
  using Interface = sim::Twin<Request>;
  using Model = ScoreboardModel;
  using Answer = Hazard;  ///< kCheck; otherwise kNone
  static Answer answer_of(const Request& request) {
    return request.op == Request::Op::kCheck ? request.hazard : Hazard::kNone;
  }
  static nlohmann::ordered_json show_request(const Request& request);
  static nlohmann::ordered_json show_answer(Answer answer);
  static nlohmann::ordered_json show_tables(const Request& of, const std::function<void(Request&)>& inspect);
};

class Scoreboard : public sc_core::sc_module {
 public:
  Scoreboard(const sc_core::sc_module_name& name, const ScoreboardConfig& config, std::uint32_t warps,
             base::StatGroup& stats, sim::Twins* twins = nullptr);

 private:
  void admit(ScoreboardRequest& request);
  void serve(ScoreboardRequest& request);
  // The usual case, with unlimited ports and without a twin, by operation.
  HEDDLE_BY_JUMP void check(ScoreboardRequest& request);
  HEDDLE_BY_JUMP void reserve(ScoreboardRequest& request);
  HEDDLE_BY_JUMP void release(ScoreboardRequest& request);
  HEDDLE_BY_JUMP void serve_any(ScoreboardRequest& request);
  void inspect(ScoreboardRequest& request) const { block_.inspect(request); }

 public:
  sim::BlockTarget<ScoreboardProtocol, Scoreboard, &Scoreboard::serve, &Scoreboard::inspect> scoreboard_tsock{
      "scoreboard_tsock", this};

 private:
  sim::Twinned<ScoreboardBlock> block_;
  ScoreboardModel* model_ = nullptr;  ///< null: limited ports or a twin
  ScoreboardPorts ports_;
  bool limits_ports_;
  std::uint64_t checks_ = 0;
  std::uint64_t full_ = 0;
};

}  // namespace heddle::core
