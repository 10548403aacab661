// Deterministic execution (GPUDet) as a mechanism of the whole GPU: what it consists of, and the section `determinism`.
#pragma once

#include <memory>
#include <vector>

#include "determinism/determinism_config.h"
#include "determinism/quantum_sequencer.h"
#include "determinism/quantum_unit.h"
#include "determinism/store_buffer.h"
#include "determinism/z_buffer_unit.h"
#include "system/gpu_mechanism.h"

namespace heddle::determinism {

[[nodiscard]] system::GpuMechanismEntry determinism_mechanism();

class DeterminismMechanism final : public system::GpuMechanism, private sim::HangVeto {
 public:
  DeterminismMechanism(const DeterminismConfig& config, const system::GpuMechanismSite& site);

  [[nodiscard]] core::CoreExtensionFactory core_extension() override;
  [[nodiscard]] memory::PartitionUnitFactory partition_unit() override;
  [[nodiscard]] std::unique_ptr<core::CtaDispatchPolicy> dispatch_policy() override;
  [[nodiscard]] sim::HangVeto* hang_veto() override { return this; }
  void assembled() override;
  void prepare(system::LaunchPreparation& preparation) override;

  [[nodiscard]] QuantumSequencer& sequencer() { return sequencer_; }
  [[nodiscard]] const DepthFormat& depths() const { return depths_; }

 private:
  // sim::HangVeto: a warp that waits for a quantum to end is neither at a barrier nor in a loop, so the GPU's own watchdog
  // cannot tell; the sequencer can (QuantumSequencer::on_hang).
  [[nodiscard]] bool repeated() const override { return false; }
  [[nodiscard]] bool settled() const override { return false; }

  void refuse_unfit(const core::LaunchContext& launch) const;
  /// What this launch lets a core write in a parallel mode.
  [[nodiscard]] std::vector<core::AddressRange> private_ranges(const core::LaunchContext& launch) const;
  [[nodiscard]] std::uint64_t log_bytes() const;
  [[nodiscard]] bool partitions_idle();
  bool reset_depths(bool begin);

  const DeterminismConfig config_;
  const system::GpuMechanismSite site_;
  const DepthFormat depths_;
  Preconditions preconditions_;
  QuantumSequencer sequencer_;
  std::vector<StoreBuffer*> store_buffers_;  ///< of the cores
  std::vector<ZBufferUnit*> z_buffers_;      ///< of the partitions
  std::vector<std::unique_ptr<ZControlPort>> z_control_isocks_;
  std::uint64_t log_base_ = 0;
};

}  // namespace heddle::determinism
