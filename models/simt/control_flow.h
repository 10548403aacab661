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
    request.busy = 0;
    request.diverged = false;
    handle(request);
    request.updates = updates_;
  }
  /// As in the configuration, for messages.
  [[nodiscard]] virtual const char* name() const = 0;
  /// Fills the debug part of the request.
  virtual void inspect(ControlFlowRequest& request) const = 0;
  virtual void register_stats(base::StatGroup& stats) = 0;

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
