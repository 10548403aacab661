// Selection heuristics as a control-flow mechanism of the core: the lanes of a warp are threads that share a fetch unit,
// a policy says which PC is fetched next (README.md, "In the core").
//
// One issue group per warp: the lanes that were selected. The selector decides at the ends of blocks, or before every
// instruction; in between the group runs on, and lanes that wait at a PC which it comes to join it.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <vector>

#include "resync/core/resync_config.h"
#include "simt/mechanism.h"

namespace heddle::resync {

/// resync
[[nodiscard]] simt::Mechanism resync_mechanism();

class ResyncControl final : public simt::ControlFlow {
 public:
  static constexpr const char* kName = "resync";
  explicit ResyncControl(const simt::MechanismSite& site);

  [[nodiscard]] const char* name() const override { return kName; }
  void inspect(simt::ControlFlowRequest& request) const override;
  void register_stats(base::StatGroup& stats) override;

 private:
  using Request = simt::ControlFlowRequest;
  using LaneMask = base::LaneMask;
  using Pc = base::Pc;

  enum class Shown : std::uint8_t { kAbsent, kRuns, kWaits, kSelects };
  struct Warp {
    ThreadViews views;
    std::unique_ptr<SelectionPolicy> policy;
    ThreadMask running = 0;  ///< in the group
    ThreadMask blocked = 0;  ///< at a barrier
    // The group's run since it was selected or joined last.
    std::uint64_t run_start = 0;
    ThreadMask run_begins_block = 0;
    Pc watch = base::kNoPc, also_watch = base::kNoPc;
    Shown shown = Shown::kAbsent;
    base::Cycle selects_until = 0;  ///< kSelects
    std::uint64_t events = 0;
    std::array<std::uint64_t, base::kLanes> frames{};  ///< by lane: bytes of its activations
    std::array<std::uint64_t, base::kLanes>
        served{};  ///< by lane that waits: the event before which it ran last
  };
  /// What the last instruction of a run was.
  struct Ending {
    bool branch = false;
    ThreadMask called = 0, returned = 0;
  };

  void begin_launch(Request& request) override;
  void launch(Request& request) override;
  void advance(Request& request) override;
  void transfer(Request& request) override;
  void exit(Request& request) override;
  void barrier_arrive(Request& request) override;
  void barrier_release(Request& request) override;
  void tick(Request& request) override;

  [[nodiscard]] Warp& warp_of(const Request& request) { return warps_[request.warp.value()]; }
  void move(Warp& warp, ThreadMask lanes, Pc to);
  /// The running lanes have executed everything in front of `next`, the last instruction being `ending`; their views are
  /// up to date.
  void end_run(Warp& warp, Pc next, const Ending& ending);
  /// Bytes of an activation of the function that `pc` is in.
  [[nodiscard]] std::uint64_t frame_at(std::uint64_t pc) const {
    return pc < frame_bytes_.size() ? frame_bytes_[pc] : 0;
  }
  void leave(Warp& warp, ThreadMask lanes) {
    for_each_thread(lanes, [&](unsigned lane) { warp.served[lane] = warp.events; });
  }
  /// Who runs, at once or after the selector's latency. `silent`: the group may go on without an answer if nothing changes.
  void select(Request& request, Warp& warp, bool silent);
  void run(base::WarpId id, Warp& warp, bool silent, Pc next);
  [[nodiscard]] Pc next_boundary(Pc behind) const;
  [[nodiscard]] const PostDominatorMarks* marks_at(std::uint64_t pc) const {
    return pc < marks_of_.size() ? marks_of_[pc].get() : nullptr;
  }
  void rank_blocks();
  PostDominatorMarks& make_marks(std::uint64_t pc);
  void set_due(Request& request) const {
    request.due = selecting_.empty() ? base::kNever : selecting_.begin()->first;
  }

  // resync_inspect.cpp
  [[nodiscard]] std::uint64_t pc_of(base::WarpId id, const Warp& warp, unsigned lane) const;
  void inspect_table(Request& request, const Warp& warp) const;
  void inspect_lanes(Request& request, const Warp& warp) const;
  [[nodiscard]] bool starved(const Warp& warp, ThreadMask lanes) const;
  [[nodiscard]] simt::SuspendedLanes suspended(const Warp& warp, ThreadMask lanes, Pc at) const;
  [[nodiscard]] std::uint64_t digest_of(const Warp& warp) const;

  ResyncConfig config_;
  PolicyTraits traits_;
  std::vector<Warp> warps_;
  simt::ControlFlowPorts& ports_;
  bool marks_ = false;              ///< the policy uses the compiler's marks
  bool marks_begin_ = false;        ///< and marked places begin blocks
  bool instruction_ = false;        ///< decisions before every instruction
  bool every_instruction_ = false;  ///< the policy remembers every instruction, not only blocks
  const isa::ProgramFacts* facts_ = nullptr;
  std::vector<std::unique_ptr<PostDominatorMarks>> marks_of_;  ///< by PC; null: none
  std::vector<std::uint32_t> priority_;                        ///< by PC
  std::vector<std::uint32_t> frame_bytes_;                     ///< by PC; empty: not of interest
  std::vector<std::uint32_t> boundaries_;                      ///< PCs at which blocks begin, ascending
  std::set<std::pair<base::Cycle, std::uint32_t>> selecting_;  ///< warps that wait for the selector
  base::Cycle selector_free_ = 0;

  std::uint64_t branches_ = 0, divergences_ = 0, calls_ = 0;
  std::uint64_t selections_ = 0, switches_ = 0, merges_ = 0, aged_ = 0, selection_cycles_ = 0, max_pcs_ = 0;
  std::uint64_t history_compares_ = 0;
};

}  // namespace heddle::resync
