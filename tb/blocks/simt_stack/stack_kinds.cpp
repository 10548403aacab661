// The stack tests' kinds of stacks: behind a branch unit's socket, as model, as RTL and as both.
#include <array>
#include <systemc>

#include "blocks/simt/stack_port.h"
#include "cosim/twins.h"
#include "sim/block_socket.h"
#include "simt/control_flow_unit.h"
#include "simt/simt_stack.h"

namespace heddle::simt {
namespace {

constexpr std::uint32_t kWarps = 64;
constexpr std::array kImplementations{sim::Implementation::kModel, sim::Implementation::kRtl,
                                      sim::Implementation::kBoth};
constexpr std::array kFirstSides{FirstSide::kTaken, FirstSide::kNotTaken, FirstSide::kSmaller};

class Unit : public sc_core::sc_module {
 public:
  Unit(const sc_core::sc_module_name& name, sim::Implementation impl, FirstSide first) : sc_module(name) {
    cosim::provide_twins(twins_);
    ControlFlowConfig config({simt_stack_mechanism()});
    config.clocked_block(SimtStack::kName).impl = impl;
    config.first_side = first;
    unit_ = std::make_unique<ControlFlowUnit>("unit", config.factory(), kWarps, stats_, &twins_);
    isock_.bind(unit_->branch_tsock);
    unit_->progress_isock.bind(progress_tsock_);
    unit_->table_memory_isock.bind(memory_tsock_);
  }
  /// An unused warp.
  StackPort warp() {
    if (warps_ == kWarps) throw std::logic_error("the stack tests need more warps");
    return {WarpId{warps_++}, [this](ControlFlowRequest& r) { isock_.call(r); },
            [this](ControlFlowRequest& r) { isock_.inspect(r); }};
  }

 private:
  void serve_progress(GroupProgress&) { ADD_FAILURE() << "a stack has no use for the progress of groups"; }
  void serve_memory(TableEntryTransfer&) { ADD_FAILURE() << "a stack has no use for table memory"; }

  base::StatGroup stats_;
  sim::Twins twins_;
  std::unique_ptr<ControlFlowUnit> unit_;
  std::uint32_t warps_ = 0;
  sim::BlockInitiator<ControlFlowProtocol> isock_{"isock"};
  sim::BlockTarget<GroupProgressProtocol, Unit, &Unit::serve_progress> progress_tsock_{"progress_tsock",
                                                                                       this};
  sim::BlockTarget<TableMemoryProtocol, Unit, &Unit::serve_memory> memory_tsock_{"memory_tsock", this};
};

/// One of each; all have to be created before the first event.
class Units {
 public:
  Units() {
    for (const auto impl : kImplementations)
      for (const FirstSide first : kFirstSides)
        units_.push_back(std::make_unique<Unit>(sc_core::sc_gen_unique_name("stack"), impl, first));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  Unit& of(std::size_t impl, FirstSide first) {
    std::size_t side = 0;
    while (kFirstSides[side] != first) ++side;
    return *units_.at(impl * kFirstSides.size() + side);
  }

 private:
  std::vector<std::unique_ptr<Unit>> units_;
};

}  // namespace

std::vector<StackKind> stack_kinds() {
  std::vector<StackKind> kinds;
  for (std::size_t impl = 0; impl < kImplementations.size(); ++impl)
    kinds.push_back({sim::implementation_name(kImplementations[impl]), [impl](FirstSide first) {
                       static Units units;
                       return units.of(impl, first).warp();
                     }});
  return kinds;
}

}  // namespace heddle::simt
