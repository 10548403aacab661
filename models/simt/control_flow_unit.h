// The branch unit of a core: a thin SystemC shell around the configured control-flow mechanism.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>

#include "sim/block_socket.h"
#include "simt/mechanism.h"

namespace heddle::simt {

class ControlFlowUnit : public sc_core::sc_module, private ControlFlowPorts {
 public:
  ControlFlowUnit(const sc_core::sc_module_name& name, const ControlFlowFactory& mechanism,
                  std::uint32_t warps, base::StatGroup& stats, sim::Twins* twins = nullptr)
      : sc_module(name),
        warps_(warps),
        traits_(mechanism.traits),
        mechanism_(mechanism.make(warps, *this, this->name(), twins)) {
    mechanism_->register_stats(stats);
    stats.formula("table_bits", "bits", "size of the configured tables, per warp",
                  [bits = traits_.table_bits + traits_.shared_table_bits / warps] {
                    return static_cast<double>(bits);
                  });
  }

 private:
  void serve(ControlFlowRequest& request) {
    if (request.event == ControlFlowEvent::kLaunch) check_launch(request);
    mechanism_->serve(request);
  }
  /// Throws std::logic_error if it is not what the mechanism launches at a time.
  void check_launch(const ControlFlowRequest& request) const {
    if ((traits_.scope == Scope::kCta) != request.warps.empty()) return;
    throw std::logic_error(
        std::string(mechanism_->name()) + ": a launch of " +
        (request.warps.empty() ? "one warp, it wants those of the CTA" : "a CTA, it keeps warps apart"));
  }
  void inspect(ControlFlowRequest& request) const { mechanism_->inspect(request); }
  Pc next_pc(GroupId group) override {
    GroupProgress progress{group};
    progress_isock.call(progress);
    return progress.next;
  }
  bool start(TableEntryTransfer& transfer) override {
    table_memory_isock.call(transfer);
    return transfer.accepted;
  }

 public:
  sim::BlockTarget<ControlFlowProtocol, ControlFlowUnit, &ControlFlowUnit::serve, &ControlFlowUnit::inspect>
      branch_tsock{"branch_tsock", this};
  /// Where the groups are.
  sim::BlockInitiator<GroupProgressProtocol> progress_isock{"progress_isock"};
  /// Spilled table entries, towards the load/store unit.
  sim::BlockInitiator<TableMemoryProtocol> table_memory_isock{"table_memory_isock"};

  [[nodiscard]] const Traits& traits() const { return traits_; }
  /// Issue groups of the core: the numbers 0 .. groups()-1.
  [[nodiscard]] std::uint32_t groups() const { return warps_ * traits_.groups_per_warp; }

 private:
  std::uint32_t warps_;
  const Traits traits_;
  std::unique_ptr<ControlFlow> mechanism_;
};

}  // namespace heddle::simt
