// The branch unit of a core: a thin SystemC shell around the configured control-flow mechanism.
#pragma once

#include <memory>
#include <systemc>

#include "sim/block_socket.h"
#include "simt/mechanism.h"

namespace heddle::simt {

class ControlFlowUnit : public sc_core::sc_module, private ControlFlowPorts {
 public:
  ControlFlowUnit(const sc_core::sc_module_name& name, const ControlFlowFactory& mechanism,
                  std::uint32_t warps, base::StatGroup& stats, sim::Twins* twins = nullptr)
      : sc_module(name), warps_(warps), mechanism_(mechanism(warps, *this, this->name(), twins)) {
    mechanism_->register_stats(stats);
    stats.formula("table_bits", "bits", "size of the configured tables, per warp",
                  [bits = mechanism_->table_bits()] { return static_cast<double>(bits); });
  }

 private:
  void serve(ControlFlowRequest& request) { mechanism_->serve(request); }
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

  [[nodiscard]] std::uint32_t groups_per_warp() const { return mechanism_->groups_per_warp(); }
  [[nodiscard]] bool runs_lanes_apart() const { return mechanism_->runs_lanes_apart(); }
  [[nodiscard]] bool parts_lanes_at_sync() const { return mechanism_->parts_lanes_at_sync(); }
  [[nodiscard]] bool sleep_yields() const { return mechanism_->sleep_yields(); }
  [[nodiscard]] bool may_misroute() const { return mechanism_->may_misroute(); }
  [[nodiscard]] Scope scope() const { return mechanism_->scope(); }
  [[nodiscard]] bool wants_facts() const { return mechanism_->wants_facts(); }
  [[nodiscard]] std::uint32_t spill_bytes_per_warp() const { return mechanism_->spill_bytes_per_warp(); }
  /// Issue groups of the core: the numbers 0 .. groups()-1.
  [[nodiscard]] std::uint32_t groups() const { return warps_ * groups_per_warp(); }

 private:
  std::uint32_t warps_;
  std::unique_ptr<ControlFlow> mechanism_;
};

}  // namespace heddle::simt
