// A control-flow mechanism: what the ControlFlowUnit of a core serves its socket with.
#pragma once

#include <cstdint>
#include <vector>

#include "base/lane_mask.h"
#include "base/stats.h"
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
  /// As in the configuration, for messages.
  [[nodiscard]] virtual const char* name() const = 0;
  /// Fills the debug part of the request.
  virtual void inspect(ControlFlowRequest& request) const = 0;
  virtual void register_stats(base::StatGroup& stats) = 0;

  // What the core asks once, when it is made.

  /// Issue groups of a warp, each with an I-buffer of its own.
  [[nodiscard]] virtual std::uint32_t groups_per_warp() const { return 1; }
  /// Splits of a warp that wait for each other may do so: a blocked one lets others have their turn.
  [[nodiscard]] virtual bool runs_lanes_apart() const { return false; }
  /// Lanes that arrive at a .sync instruction together need not go on together: those that wait for others of their
  /// member mask leave the group, and come back each when it has met its own.
  [[nodiscard]] virtual bool parts_lanes_at_sync() const { return false; }
  /// A nanosleep is a YIELD first: it sleeps only if no other lanes have their turn ([Hanoi:U1]).
  [[nodiscard]] virtual bool sleep_yields() const { return false; }
  /// Lanes that have met may go on at the reconvergence point of any BSSY or WARPSYNC.
  [[nodiscard]] virtual bool may_misroute() const { return false; }
  [[nodiscard]] virtual Scope scope() const { return Scope::kWarp; }
  /// It wants to know of each kernel what can be known before it runs (ControlFlowRequest::facts).
  [[nodiscard]] virtual bool wants_facts() const { return false; }
  /// Size of its tables in hardware, per warp ([AWARE] Tab 5.2).
  [[nodiscard]] virtual std::uint64_t table_bits() const { return 0; }
  /// Device memory it wants for spilled table entries: 0 or kTableBytesPerWarp.
  [[nodiscard]] virtual std::uint32_t spill_bytes_per_warp() const { return 0; }

 protected:
  /// Calls the function of the event's family. To be overridden by what treats all events alike.
  virtual void handle(ControlFlowRequest& request);

  // The families of events. Each fills its answer: fields of the request, and by answer() what becomes of the
  // groups. Those that a mechanism does not override are refused.

  /// Not refused: facts are hints.
  virtual void begin_launch(ControlFlowRequest& /*request*/) {}
  virtual void launch(ControlFlowRequest& request) { refuse(request); }
  virtual void advance(ControlFlowRequest& request) { refuse(request); }
  virtual void transfer(ControlFlowRequest& request) { refuse(request); }
  virtual void converge(ControlFlowRequest& request) { refuse(request); }
  virtual void exit(ControlFlowRequest& request) { refuse(request); }
  virtual void barrier_arrive(ControlFlowRequest& request) { refuse(request); }
  virtual void barrier_release(ControlFlowRequest& request) { refuse(request); }
  virtual void tick(ControlFlowRequest& request) { refuse(request); }
  virtual void table_filled(ControlFlowRequest& request) { refuse(request); }

  void answer(const GroupUpdate& update) { updates_.push_back(update); }
  /// Convergence instructions: an InputError, the program is for another machine. Others: a std::logic_error, the
  /// mechanism has asked for none of them.
  [[noreturn]] void refuse(const ControlFlowRequest& request) const;

 private:
  std::vector<GroupUpdate> updates_;
};

/// As traces of requests call it: "launch", "branch", "call" ...
[[nodiscard]] const char* event_name(const ControlFlowRequest& request);

}  // namespace heddle::simt
