// A control-flow mechanism: what the ControlFlowUnit of a core serves its socket with.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/config.h"
#include "base/lane_mask.h"
#include "base/stats.h"
#include "sim/twins.h"
#include "simt/control_flow_protocol.h"

namespace heddle::simt {

/// What a mechanism may ask for between the core's requests.
class ControlFlowPorts {
 public:
  virtual ~ControlFlowPorts() = default;
  /// The instruction a group will issue next.
  [[nodiscard]] virtual Pc next_pc(GroupId group) = 0;
  /// Starts a spill or fill of a table entry; false: no room now. A fill comes back as kTableFilled.
  virtual bool start(TableEntryTransfer& transfer) = 0;
};

class ControlFlow {
 public:
  virtual ~ControlFlow() = default;
  /// Handles one event; see ControlFlowEvent for the meaning of the fields.
  void serve(ControlFlowRequest& request) {
    updates_.clear();
    request.due = kNever;
    request.diverged = false;
    handle(request);
    request.updates = updates_;
  }
  /// Fills the debug part of the request.
  virtual void inspect(ControlFlowRequest& request) const = 0;
  /// Issue groups of a warp, each with an I-buffer of its own.
  [[nodiscard]] virtual std::uint32_t groups_per_warp() const { return 1; }
  /// Splits of a warp that wait for each other may do so: a blocked one lets others have their turn.
  [[nodiscard]] virtual bool runs_lanes_apart() const { return false; }
  virtual void register_stats(base::StatGroup& stats) = 0;

 protected:
  /// Fills the answer: fields of the request, and by answer() what becomes of the groups.
  virtual void handle(ControlFlowRequest& request) = 0;
  void answer(const GroupUpdate& update) { updates_.push_back(update); }

 private:
  std::vector<GroupUpdate> updates_;
};

enum class Mechanism : std::uint8_t { kSimtStack, kAware, kMultiPath };
/// Which side of a divergent branch runs first (mimd-simt-and-bows A2, tbc-and-kilotm A1).
enum class FirstSide : std::uint8_t { kAuto, kTaken, kNotTaken, kSmaller };
/// Which entry of a full reconvergence table is spilled (mimd-simt-and-bows A7).
enum class TableVictim : std::uint8_t { kLeastRecent, kMostRecent };

/// Timed-out reconvergence (M4c), of the mechanisms with a reconvergence table.
struct TimeoutConfig {
  std::uint32_t cycles = 0;             ///< 0: lanes wait for ever
  std::uint32_t resolution_cycles = 1;  ///< A8

  void visit(base::ConfigVisitor& v);
};

/// AWARE: mimd-simt-and-bows §3.
struct AwareConfig {
  std::uint32_t st_entries = 32;
  std::uint32_t rt_entries = 32;
  TableVictim rt_victim = TableVictim::kLeastRecent;
  bool rotate_on_taken_branch = true;

  void visit(base::ConfigVisitor& v);
  /// Entries are spilled to memory: there are fewer of a kind than a warp may need.
  [[nodiscard]] bool virtualised() const { return st_entries < base::kLanes || rt_entries < base::kLanes; }
};

/// Multi-Path: mimd-simt-and-bows §4.
struct MultiPathConfig {
  std::uint32_t paths = base::kLanes;
  bool opportunistic_reconvergence = false;
  bool yield_on_taken_branch = false;

  void visit(base::ConfigVisitor& v);
};

struct ControlFlowConfig {
  Mechanism mechanism = Mechanism::kSimtStack;
  FirstSide first_side = FirstSide::kAuto;
  TimeoutConfig timeout;
  AwareConfig aware;
  MultiPathConfig multi_path;
  // The mechanisms' blocks that have RTL twins.
  sim::TwinConfig simt_stack;
  sim::TwinConfig split_table;
  sim::TwinConfig reconvergence_table;
  sim::TwinConfig split_fifo;

  void visit(base::ConfigVisitor& v);
  /// kAuto resolved: the mechanism's own default.
  [[nodiscard]] FirstSide resolved_first_side() const;
};

/// The configured mechanism for a core with `warps` warp slots. Within the constructor of a module, which
/// becomes the parent of the mechanism's modules. `ports` and `twins` (null: no RTL)
/// outlive it. `path`: the module's, for messages.
[[nodiscard]] std::unique_ptr<ControlFlow> make_control_flow(const ControlFlowConfig& config,
                                                             std::uint32_t warps, ControlFlowPorts& ports,
                                                             const std::string& path = "",
                                                             sim::Twins* twins = nullptr);

}  // namespace heddle::simt
