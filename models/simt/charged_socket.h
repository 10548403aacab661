// Between the control of AWARE or Multi-Path and one of its tables, if their branch unit is clocked: requests pass, and are counted
// as work when they have been answered. With timing: ideal the control is bound to the table itself, and nothing is counted.
#pragma once

#include <memory>
#include <string>

#include "sim/block_socket.h"
#include "simt/split_work.h"

namespace heddle::simt {

template <class Protocol>
class ChargedSocket {
 public:
  using Request = typename Protocol::tlm_payload_type;
  /// Within the constructor of the module that is the table's parent. `table`: its name; `work` outlives the object.
  ChargedSocket(const std::string& table, SplitWork& work)
      : table_isock((table + "_charged_isock").c_str()),
        charged_tsock((table + "_charged_tsock").c_str(), this),
        work_(work) {}

 private:
  void serve(Request& request) {
    table_isock.call(request);
    work_.add(request);
  }
  void inspect(Request& request) const { table_isock.inspect(request); }

 public:
  mutable sim::BlockInitiator<Protocol> table_isock;  ///< called directly: at no cost
  sim::BlockTarget<Protocol, ChargedSocket, &ChargedSocket::serve, &ChargedSocket::inspect> charged_tsock;

 private:
  SplitWork& work_;
};

/// `work`: null: nothing is counted.
template <class Protocol, class Target>
std::unique_ptr<ChargedSocket<Protocol>> bind_charged(sim::BlockInitiator<Protocol>& control,
                                                      Target& table_tsock, const std::string& table,
                                                      SplitWork* work) {
  if (work == nullptr) {
    control.bind(table_tsock);
    return nullptr;
  }
  auto charged = std::make_unique<ChargedSocket<Protocol>>(table, *work);
  control.bind(charged->charged_tsock);
  charged->table_isock.bind(table_tsock);
  return charged;
}

}  // namespace heddle::simt
