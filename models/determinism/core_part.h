// What deterministic execution adds to a core: quantum unit, store buffer, commit engine.
#pragma once

#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "core/core_extension.h"
#include "determinism/commit_engine.h"
#include "determinism/determinism_config.h"
#include "determinism/direct_writer.h"
#include "determinism/quantum_unit.h"
#include "determinism/store_buffer.h"
#include "memory/address_map.h"

namespace heddle::determinism {

class CorePart final : public sc_core::sc_module, public core::CoreExtension {
 public:
  CorePart(const sc_core::sc_module_name& name, const DeterminismConfig& config, const DepthFormat& depths,
           Preconditions& preconditions, const memory::AddressMap& map, const core::CoreExtensionSite& site);

  [[nodiscard]] std::vector<TapTarget*> taps() override { return {&quantum_unit_.tap_tsock}; }
  [[nodiscard]] std::vector<Gate> gates() override {
    return {{"quantum", &quantum_unit_.gate_tsock, &quantum_unit_.gate_control_isock}};
  }
  [[nodiscard]] std::optional<Releases> releases() override {
    return Releases{&quantum_unit_.release_tsock, &quantum_unit_.release_control_isock};
  }
  [[nodiscard]] core::LsuInterposer* interposer() override { return &store_buffer_; }

  [[nodiscard]] QuantumUnit& quantum_unit() { return quantum_unit_; }
  [[nodiscard]] StoreBuffer& store_buffer() { return store_buffer_; }

 private:
  QuantumUnit quantum_unit_;
  StoreBuffer store_buffer_;
  DirectWriter direct_writer_;
  std::unique_ptr<CommitEngine> engine_;
};

}  // namespace heddle::determinism
