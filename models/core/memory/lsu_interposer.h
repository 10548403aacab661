// A unit between the core and the load/store unit (a transaction's log unit, a store buffer): it sees every
// request and completion of the core, and may hold them, answer them, or add operations of its own, as a client
// of the load/store unit with its own row blocks. This base passes everything on; README.md has the rules.
//
//   core --lsu_tsock--> interposer --lsu_isock--> load/store unit
//   core <-completion_isock- interposer <-completion_tsock- load/store unit      (wake_*: the same way)
#pragma once

#include <systemc>

#include "core/protocols/lsu_protocol.h"
#include "sim/block_socket.h"

namespace heddle::core {

class LoadStoreUnit;

class LsuInterposer : public sc_core::sc_module {
 public:
  explicit LsuInterposer(const sc_core::sc_module_name& name) : sc_module(name) {}

 protected:
  /// A request of the core.
  virtual void serve(LsuRequest& request) { lsu_isock.call(request); }
  /// A question of the core: what is held here belongs to the answer.
  virtual void inspect(LsuRequest& request) { lsu_isock.inspect(request); }
  /// A completion of an operation of the core.
  virtual void complete(LsuCompletion& done) { completion_isock.call(done); }
  /// The load/store unit took an operation of another client.
  virtual void wake(LsuWake& wake) { wake_isock.call(wake); }

 public:
  sim::BlockTarget<LsuProtocol, LsuInterposer, &LsuInterposer::serve, &LsuInterposer::inspect> lsu_tsock{
      "lsu_tsock", this};
  sim::BlockInitiator<LsuCompletionProtocol> completion_isock{"completion_isock"};
  sim::BlockInitiator<LsuWakeProtocol> wake_isock{"wake_isock"};

  LsuPort lsu_isock{"lsu_isock"};
  sim::BlockTarget<LsuCompletionProtocol, LsuInterposer, &LsuInterposer::complete> completion_tsock{
      "completion_tsock", this};
  sim::BlockTarget<LsuWakeProtocol, LsuInterposer, &LsuInterposer::wake> wake_tsock{"wake_tsock", this};

  /// Binds the side of the load/store unit of the one that stands next to it, while modules are made, and add_clients().
  virtual void bind_unit(LoadStoreUnit& unit);
  /// One that adds operations of its own becomes a client (LoadStoreUnit::add_client()). Called wherever it stands.
  virtual void add_clients(LoadStoreUnit& /*unit*/) {}
};

}  // namespace heddle::core
