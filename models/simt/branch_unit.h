// The branch unit of a core: a thin SystemC shell around the configured control-flow mechanism.
#pragma once

#include <memory>
#include <systemc>

#include "sim/block_socket.h"
#include "simt/control_flow.h"

namespace heddle::simt {

class BranchUnit : public sc_core::sc_module {
 public:
  BranchUnit(const sc_core::sc_module_name& name, std::unique_ptr<ControlFlow> mechanism,
             sim::StatGroup& stats)
      : sc_module(name), mechanism_(std::move(mechanism)) {
    mechanism_->register_stats(stats);
  }

 private:
  void serve(BranchRequest& request) { mechanism_->serve(request); }
  void inspect(BranchRequest& request) { mechanism_->inspect(request); }

 public:
  sim::BlockTarget<BranchProtocol, BranchUnit, &BranchUnit::serve, &BranchUnit::inspect> branch_tsock{
      "branch_tsock", this};
  [[nodiscard]] std::uint32_t groups() const { return mechanism_->groups(); }

 private:
  std::unique_ptr<ControlFlow> mechanism_;
};

}  // namespace heddle::simt
