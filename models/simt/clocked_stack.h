// simt_stack under timing: contract: a branch unit that is clocked once per core cycle (stack_unit.h, rtl/simt_stack). This shell is what
// is around it in a core: for each scheduler a latch with the event that waits for the unit, and what the CTA launcher and the barriers
// ask for.
//
//   event    with the issue of the instruction, on the pins in the same cycle. The group is held from then on (BlockCause::kUnit).
//            While a scheduler's latch is taken, it issues nothing that may be an event (ControlFlowRequest::busy)
//   launch,  of warps that begin, and of those that a barrier lets go on: one in a cycle, in the order in which they came. A warp
//   release  whose slot is not empty yet waits
//   answer   in the cycle that the cost says, as the answer to a kTick: the group goes on from then on
//
// An event with several targets is several requests, each behind the answer to the one before. A warp that ends is gone at once: the core
// knows that no thread is left.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/perturbation.h"
#include "simt/control_flow.h"
#include "simt/stack_front.h"

namespace heddle::simt {

class ClockedStack final : public ControlFlow {
 public:
  static constexpr Cycle kIdleEdges = 8;  ///< of a longer time without requests so many are clocked
  /// Behind the last request so many cycles are clocked in any case: a block that is late is seen to be.
  static constexpr Cycle kSettling = 4;
  static constexpr Cycle kMostToEnd = 1u << 20;          ///< so many cycles do not pass until all is answered
  static constexpr std::uint32_t kRequestsPerStall = 4;  ///< with stall_seed, on average

  struct Shape {
    std::uint32_t warps = 0;
    std::uint32_t schedulers = 0;  ///< at most StackPins::kMostRequesters - 1
    FirstSide first_side = FirstSide::kTaken;
    std::uint32_t stall_seed = 0;
  };
  ClockedStack(const Shape& shape, std::unique_ptr<StackUnit> unit, const std::string& path);

  [[nodiscard]] const char* name() const override { return "simt_stack"; }
  void inspect(ControlFlowRequest& request) const override;
  void register_stats(base::StatGroup& stats) override;

 protected:
  void handle(ControlFlowRequest& request) override;

 private:
  struct Event {
    ControlFlowEvent kind{};
    StackRequests requests;
    std::uint32_t at = 0;      ///< of these, to be served next
    std::uint64_t ticket = 0;  ///< of the events of its warp
    bool silent = false;       ///< nobody waits for the answer
    bool asked = false;        ///< the request in front has been served, and not been answered
  };
  struct Told {
    WarpId warp{};
    GroupUpdate update;
  };
  struct Warp {
    std::uint64_t posted = 0, answered = 0;  ///< events
    std::optional<Event> asked;              ///< its last request has been served
  };

  void post(ControlFlowRequest& request);
  void clock_up_to(Cycle now);
  /// Nobody waits for the answers of what ended the warps: they are there before the next launch, and compared.
  void end_launch(Cycle now);
  void step();
  void edge();
  void take_answer();
  void finish(const Event& event, const StackAnswer& last);
  using Latch = std::deque<Event>;
  /// The requester's event that its next request is of; end(): none.
  [[nodiscard]] Latch::iterator next_of(std::uint32_t requester);
  [[nodiscard]] bool active() const { return waiting_ != 0; }
  [[nodiscard]] bool idle() const { return !active() && cycle_ > settled_; }
  [[nodiscard]] GroupUpdate hold(const ControlFlowRequest& request) const;

  std::unique_ptr<StackUnit> unit_;
  StackFront front_;
  base::Perturbation stalls_;
  std::vector<Latch> latches_;  ///< by requester, the last: launches and releases
  std::vector<Warp> warps_;
  std::deque<Told> told_;      ///< answers that the core has not heard of
  std::uint32_t waiting_ = 0;  ///< events without an answer
  std::uint32_t heard_ = 0;    ///< of these, those that somebody waits for
  Cycle cycle_ = 0;            ///< of the pins
  Cycle ahead_ = 0;            ///< of the core's: a launch has ended, and the next began at once
  Cycle settled_ = 0;          ///< until then each cycle is clocked
  bool no_room_ = false;       ///< an answer has said so
  std::uint64_t events_ = 0;
  std::uint64_t wait_cycles_ = 0;
  std::uint64_t busy_cycles_ = 0;
};

}  // namespace heddle::simt
