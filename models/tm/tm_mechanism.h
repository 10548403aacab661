// Transactional memory (Kilo TM) as a mechanism of the whole GPU: what it consists of, and the section `tm`.
#pragma once

#include <memory>
#include <vector>

#include "system/gpu_mechanism.h"
#include "tm/commit_unit.h"
#include "tm/config.h"
#include "tm/transaction_unit.h"

namespace heddle::tm {

[[nodiscard]] system::GpuMechanismEntry tm_mechanism();

class TmMechanism final : public system::GpuMechanism, private sim::HangVeto {
 public:
  TmMechanism(const TmConfig& config, const system::GpuMechanismSite& site);

  [[nodiscard]] core::CoreExtensionFactory core_extension() override;
  [[nodiscard]] memory::PartitionUnitFactory partition_unit() override;
  [[nodiscard]] sim::HangVeto* hang_veto() override { return this; }
  void prepare(system::LaunchPreparation& preparation) override;
  /// The end of a launch drains the commit units.
  [[nodiscard]] bool may_end() override;

  /// Hears of every transaction that commits; before the first launch.
  void on_commit(std::function<void(const CommitRecord&)> hear) { shared_.on_commit = std::move(hear); }
  /// Hears of every word that a transaction reads from memory; before the first launch.
  void on_read(std::function<void(const ReadRecord&)> hear) { shared_.on_read = std::move(hear); }
  /// Null: test.tm.checks is off.
  [[nodiscard]] const CommitChecker* checker() const { return checker_.get(); }

 private:
  // sim::HangVeto: who waits for an outcome is neither at a barrier nor in a loop, and who tries again may read something
  // else. So no hang is certain while a warp is in a transaction.
  [[nodiscard]] bool repeated() const override { return quiet(); }
  [[nodiscard]] bool settled() const override { return quiet(); }
  [[nodiscard]] bool quiet() const;
  [[nodiscard]] std::string conflict_of(std::uint32_t core, std::uint32_t warp) const;

  const TmConfig config_;
  const system::GpuMechanismSite site_;
  TransactionShared shared_;
  std::unique_ptr<CommitChecker> checker_;
  std::vector<TransactionUnit*> units_;    ///< of the cores
  std::vector<CommitUnit*> commit_units_;  ///< by partition
  bool end_waits_ = false;                 ///< for them
  std::uint64_t log_base_ = 0;
};

}  // namespace heddle::tm
