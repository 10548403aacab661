#include "simt/control_flow.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/error.h"

namespace heddle::simt {

void ControlFlow::handle(ControlFlowRequest& request) {
  switch (request.event) {
    case ControlFlowEvent::kBeginLaunch:
      return begin_launch(request);
    case ControlFlowEvent::kLaunch:
      return launch(request);
    case ControlFlowEvent::kAdvance:
      return advance(request);
    case ControlFlowEvent::kTransfer:
      return transfer(request);
    case ControlFlowEvent::kConvergence:
      return converge(request);
    case ControlFlowEvent::kExit:
      return exit(request);
    case ControlFlowEvent::kBarrierArrive:
      return barrier_arrive(request);
    case ControlFlowEvent::kBarrierRelease:
      return barrier_release(request);
    case ControlFlowEvent::kTick:
      return tick(request);
    case ControlFlowEvent::kTableFilled:
      return table_filled(request);
    case ControlFlowEvent::kEndLaunch:
      return;
  }
}

void ControlFlow::refuse(const ControlFlowRequest& request) const {
  if (request.event == ControlFlowEvent::kConvergence)
    throw base::InputError("core.control_flow.mechanism",
                           fmt::format("{} has no barrier registers, which the program's convergence "
                                       "instructions name",
                                       name()),
                           "Choose a mechanism that serves them.");
  throw std::logic_error(fmt::format("{}: serves no event '{}'", name(), event_name(request)));
}

const char* event_name(const ControlFlowRequest& request) {
  switch (request.event) {
    case ControlFlowEvent::kBeginLaunch:
      return "begin_launch";
    case ControlFlowEvent::kLaunch:
      return "launch";
    case ControlFlowEvent::kAdvance:
      return "advance";
    case ControlFlowEvent::kTransfer:
      return request.transfer == Transfer::kJump   ? "branch"
             : request.transfer == Transfer::kCall ? "call"
                                                   : "return";
    case ControlFlowEvent::kConvergence:
      return "convergence";
    case ControlFlowEvent::kExit:
      return "exit";
    case ControlFlowEvent::kBarrierArrive:
      return "barrier_arrive";
    case ControlFlowEvent::kBarrierRelease:
      return "barrier_release";
    case ControlFlowEvent::kTick:
      return "tick";
    case ControlFlowEvent::kTableFilled:
      return "table_filled";
    case ControlFlowEvent::kEndLaunch:
      return "end_launch";
  }
  return "";
}

}  // namespace heddle::simt
