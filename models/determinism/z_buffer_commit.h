// Commit through the Z-buffer units ([GPUDet] §4.4): each entry is a COLOR_UPDATE, each Z_ACK an acknowledgement. Any number
// may be outstanding; what holds entries back is the memory port, and behind it the units' request buffers.
#pragma once

#include "determinism/commit_engine.h"

namespace heddle::determinism {

class ZBufferCommit : public CommitEngine {
 public:
  ZBufferCommit(const sc_core::sc_module_name& name, const ZBufferConfig& config, const CommitSite& site)
      : CommitEngine(name, site), full_depths_(config.full_depth_packet) {}

 protected:
  void send(CommitRequest& request) override;
  void tick(base::Cycle) override {}
  void reset_depths(base::Cycle) override { depths_are_reset(); }
  void receive(sim::MemoryTransaction& response, base::Cycle) override {
    acknowledge(response.extension.tag);
  }
  [[nodiscard]] base::Cycle due() const override { return base::kNever; }

 private:
  bool full_depths_;
};

}  // namespace heddle::determinism
