// The extensions of a core (core_extension.h): makes them, and binds their taps, gates, releases, transactions and the units that
// they put in front of the warp schedulers and the load/store unit.
//
// What they tell comes between cycles of the core: the cycles before it are charged as they were, and the core wakes.
#pragma once

#include <memory>
#include <tlm>
#include <vector>

#include "core/core_cycles.h"
#include "core/core_extension.h"
#include "core/cta/cta_barriers.h"
#include "core/execute/control_execution.h"
#include "core/issue/issue_gate.h"
#include "core/issue/issue_stage.h"
#include "core/issue/issue_taps.h"
#include "core/issue/path_control.h"
#include "core/memory/load_store_unit.h"
#include "core/observe/core_tracer.h"
#include "core/protocols/lsu_protocol.h"
#include "core/protocols/release_protocol.h"
#include "core/protocols/transaction_protocol.h"
#include "core/state/core_state.h"
#include "sim/block_socket.h"
#include "sim/clock.h"

namespace heddle::core {

class CoreExtensionSet {
 public:
  /// What extensions may act on. All of it outlives the set.
  struct Stages {
    IssueStage& issue;
    IssueTaps& taps;
    PathControl& paths;
    CtaBarriers& barriers;
    ControlExecution& control;
    CoreTracer& tracer;
  };
  CoreExtensionSet(CoreState& state, CoreCycles& cycles, sim::ClockMember& clock, const Stages& stages)
      : state_(state), cycles_(cycles), clock_(clock), stages_(stages) {}

  /// Makes them, and binds all but the units in front of others. Within the constructor of the core's module; before the issue
  /// stage declares its statistics, since gates name stall causes.
  void make(const CoreExtensionSite& site);
  /// The issue stage to the warp schedulers, with the extensions' units between.
  void bind_schedulers();
  /// The core's load/store port and its answers to the unit, with the extensions' interposers between.
  void bind_load_store_unit(LsuPort& port, tlm::tlm_target_socket<32, LsuCompletionProtocol>& completion,
                            tlm::tlm_target_socket<32, LsuWakeProtocol>& wake, LoadStoreUnit& lsu);
  [[nodiscard]] bool executes_transactions() const { return transactions_ != nullptr; }

 private:
  void bind_taps(CoreExtension& added);
  void bind_gates(CoreExtension& added);
  void bind_releases(const CoreExtension::Releases& releases);
  void bind_transactions(tlm::tlm_target_socket<32, TransactionProtocol>& unit, CoreExtension& of);
  void serve_release(ReleaseControl& request);
  void serve_transactions(TransactionControl& request);

  struct ReleaseSockets {
    explicit ReleaseSockets(CoreExtensionSet* set) : control_tsock("release_control_tsock", set) {}
    ReleasePort release_isock{"release_isock"};
    sim::BlockTarget<ReleaseControlProtocol, CoreExtensionSet, &CoreExtensionSet::serve_release>
        control_tsock;
  };
  using TransactionControlTarget =
      sim::BlockTarget<TransactionControlProtocol, CoreExtensionSet, &CoreExtensionSet::serve_transactions>;

  CoreState& state_;
  CoreCycles& cycles_;
  sim::ClockMember& clock_;
  Stages stages_;
  std::vector<std::unique_ptr<CoreExtension>> extensions_;
  std::vector<std::unique_ptr<SocketGate>> gates_;
  std::vector<std::unique_ptr<IssueTapPort>> taps_;
  std::unique_ptr<ReleaseSockets> releases_;       ///< null: nobody decides about barriers
  std::unique_ptr<TransactionPort> transactions_;  ///< null: there are none
  std::unique_ptr<TransactionControlTarget> transaction_control_tsock_;
};

}  // namespace heddle::core
