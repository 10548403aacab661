#include "simt/control_flow.h"

#include "simt/simt_stack.h"

namespace heddle::simt {

std::unique_ptr<ControlFlow> make_control_flow(const ControlFlowConfig& config, std::uint32_t warps) {
  switch (config.mechanism) {
    case Mechanism::kSimtStack:
      return std::make_unique<SimtStack>(warps, config.first_side);
  }
  throw std::logic_error("make_control_flow: mechanism without an implementation");
}

}  // namespace heddle::simt
