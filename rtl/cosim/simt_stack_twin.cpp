#include "VSimtStack.h"
// verilated headers first: pin_driver.h
#include <fmt/format.h>

#include "cosim/pin_driver.h"
#include "cosim/simt_stack_pins.h"
#include "cosim/twins.h"
#include "simt/lockstep.h"
#include "simt/simt_stack.h"

namespace heddle::cosim::simt_stack_twin {

namespace {

using simt::ControlFlowEvent;
using simt::ControlFlowRequest;
using simt::GroupChange;
using simt::GroupId;
using simt::LaneMask;

class RtlSimtStack final : public simt::ControlFlow {
 public:
  RtlSimtStack(const simt::SimtStackBlock::Shape& shape, sim::TwinUse& use)
      : driver_(std::make_unique<PinDriver<VSimtStack>>(use)),
        first_side_(shape.first_side),
        masks_(shape.warps),
        use_(use) {}

  [[nodiscard]] const char* name() const override { return simt::SimtStack::kName; }
  void register_stats(base::StatGroup& stats) override { stats_.register_stats(stats); }

  void inspect(ControlFlowRequest& request) const override {
    std::vector<simt::StackEntry> entries;
    StackRequest read;
    read.warp = request.warp;
    do {
      exchange(read);
      if (read.depth == 0) break;
      entries.push_back(read.entry);
      if (read.caller) ++read.frame;
    } while (++read.position < read.depth);
    simt::inspect_stack(entries, read.at_barrier, request);
  }

 protected:
  void handle(ControlFlowRequest& request) override {
    if (request.event == ControlFlowEvent::kBeginLaunch) return;
    if (!StackRequests::serves(request)) refuse(request);
    LaneMask& mask = masks_[request.warp.value()];
    StackRequests requests(request, mask, first_side_);
    unsigned clocks = 0;
    for (StackRequest& each : requests.requests()) {
      clocks += exchange(each);
      if (each.error != StackRequest::Error::kNone) fail(each);
    }
    use_.count(clocks);
    const StackRequest& last = requests.requests().back();
    request.diverged = requests.several() || last.diverged;
    count(request, last, mask);
    mask = last.depth == 0 ? LaneMask{} : last.entry.mask;
    report(request, last);
  }

 private:
  unsigned exchange(StackRequest& request) const {
    SimtStackPins::drive(driver_->pins(), request);
    const unsigned clocks = driver_->transact();
    SimtStackPins::answer(driver_->pins(), request);
    return clocks;
  }

  void count(ControlFlowRequest& request, const StackRequest& last, LaneMask before) {
    const bool is_call = request.is(simt::Transfer::kCall);
    if (request.is(simt::Transfer::kJump)) {
      ++stats_.branches;
      if (request.diverged) ++stats_.divergences;
    }
    if (is_call) {
      const bool called = (before & request.taken).any();
      if (called) ++stats_.calls;
      request.call_depth = last.entry.frame + (called ? 0 : 1);
    }
    if (last.reconverged) ++stats_.reconvergences;
    // Includes the entry that has been popped in the meantime.
    if (request.diverged || is_call) stats_.grown_to(std::size_t{last.depth} + last.reconverged);
  }

  void report(const ControlFlowRequest& request, const StackRequest& last) {
    const simt::StackEntry& top = last.entry;
    const GroupId group{request.warp.value()};
    if (last.depth == 0)
      answer({group, GroupChange::kVanished});
    else if (request.event == ControlFlowEvent::kBarrierArrive)
      answer({group, GroupChange::kBlocked, top.pc, top.rpc, top.mask});
    else if (request.event == ControlFlowEvent::kBarrierRelease && !last.reconverged)
      answer({group, GroupChange::kSchedulable, top.pc, top.rpc, top.mask});
    else
      answer({group, GroupChange::kMoved, top.pc, top.rpc, top.mask});
  }

  [[noreturn]] void fail(const StackRequest& request) const {
    const bool frames = request.error == StackRequest::Error::kFrames;
    throw base::Error(
        base::ExitCode::kBadInput, use_.path,
        frames ? fmt::format(
                     "a thread of warp {} calls functions deeper than the RTL of simt_stack goes, {} deep",
                     request.warp.value(), request.entry.frame + 1)
               : fmt::format("warp {} has {} stack entries and needs more than the RTL of simt_stack has",
                             request.warp.value(), request.depth),
        fmt::format("Use impl: model, or build rtl/simt_stack/simt_stack.cmake with more {}.",
                    frames ? "Frames" : "Depth"));
  }

  std::unique_ptr<PinDriver<VSimtStack>> driver_;
  simt::FirstSide first_side_;
  std::vector<LaneMask> masks_;  ///< by warp, of its top: the last answer
  simt::StackStats stats_;
  sim::TwinUse& use_;
};

}  // namespace

void provide(sim::Twins& twins) {
  twins.provide<simt::SimtStackBlock>([](const simt::SimtStackBlock::Shape& shape, sim::TwinUse& use) {
    check_warps("simt_stack", use.path, shape.warps);
    return std::make_unique<RtlSimtStack>(shape, use);
  });
}

}  // namespace heddle::cosim::simt_stack_twin
