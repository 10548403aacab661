// Hazard detection behind a block socket: the shell of the model, and what a commit unit calls it through. A hardware block
// takes the same events (hazard_detection.h).
#pragma once

#include <systemc>

#include "core/protocols/protocol_of.h"
#include "sim/block_socket.h"
#include "tm/hazard_detection.h"

namespace heddle::tm {

using HazardProtocol = core::ProtocolOf<HazardEvent>;

class HazardBlock : public sc_core::sc_module {
  void serve(HazardEvent& event) { model_->serve(event); }

 public:
  HazardBlock(const sc_core::sc_module_name& name, const CommitUnitConfig& config, const HazardRules& rules)
      : sc_module(name), model_(make_hazard_model(config, rules)) {}

  sim::BlockTarget<HazardProtocol, HazardBlock, &HazardBlock::serve> hazard_tsock{"hazard_tsock", this};

 private:
  std::unique_ptr<HazardModel> model_;
};

/// As the commit unit's model sees it.
class HazardSocket final : public HazardModel {
 public:
  explicit HazardSocket(const char* name) : isock(name) {}
  void serve(HazardEvent& event) override { isock.call(event); }
  sim::BlockInitiator<HazardProtocol> isock;
};

}  // namespace heddle::tm
