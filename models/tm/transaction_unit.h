// Transactions of a core ([KiloTM] §4.2.1 to §4.2.5): what stands between the core and its load/store unit (TX log unit,
// [KiloTM] §4.2.4), as parts that know each other by their interfaces. README.md has the picture.
//
//   core --lsu_tsock--> TransactionUnit --> load/store unit
//                          |  \--- log accesses, reads of global memory: clients of the load/store unit
//                          \------ messages to commit units: a client of the memory port
//
// This class makes the parts, ties them together, and runs them in the core's cycle.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>

#include "core/core_extension.h"
#include "core/memory/lsu_interposer.h"
#include "memory/address_map.h"
#include "tm/attempt_validation.h"
#include "tm/committer.h"
#include "tm/comparison/ideal_transactions.h"
#include "tm/hang_watch.h"

namespace heddle::tm {

class TransactionUnit final : public core::LsuInterposer {
 public:
  TransactionUnit(const sc_core::sc_module_name& name, const TmConfig& config,
                  const core::CoreExtensionSite& site, const memory::AddressMap& map,
                  TransactionShared& shared);

  void add_clients(core::LoadStoreUnit& unit) override { log_port_.bind_unit(unit); }
  /// Bytes of device memory for the logs of `warps` warp slots.
  [[nodiscard]] static std::uint64_t log_bytes(const TmConfig& config, std::uint64_t warps) {
    return TransactionLog::bytes(config.log, warps);
  }
  /// Where those of all cores are.
  void set_log_base(std::uint64_t base, std::uint64_t all_warps);
  /// Some warp is in a transaction.
  [[nodiscard]] bool active() const { return tokens_.any_taken(); }

 private:
  /// Kilo TM and WarpTM.
  struct Logged {
    Logged(TransactionUnit& unit, const memory::AddressMap& map, TransactionShared& shared);
    TransactionLog log;
    Committer committer;
  };

  // core::LsuInterposer
  void serve(core::LsuRequest& request) override;
  void inspect(core::LsuRequest& request) override;
  void complete(core::LsuCompletion& done) override;
  void wake(core::LsuWake& wake) override;

  void declare();
  void begin_launch(const core::LaunchContext* launch);
  void start_cta(const core::CtaContext& cta);
  void issue(core::LsuRequest& request);
  void tick(core::LsuRequest& request);
  [[nodiscard]] Cycle due(Cycle now) const;

  const TmConfig config_;
  const core::CoreExtensionSite site_;
  const std::size_t warps_;
  const std::uint64_t first_warp_;  ///< in the GPU
  CoreSignals signals_;
  Tokens tokens_;
  Splits splits_;
  PlainLoads loads_;
  CommittedIds ids_;
  SilentCommits silent_;
  LogPort log_port_;
  GlobalReads reads_;
  CommitPort commit_port_;
  std::unique_ptr<Logged> logged_;  ///< of the two, the one that the protocol asks for
  std::unique_ptr<IdealTransactions> ideal_;
  AccessLog& log_;
  CommitProtocol& commit_;
  Accesses accesses_;
  Attempts attempts_;
  AttemptValidation validation_;
  HangWatch hang_watch_;
  bool has_transactions_ = false;  ///< the launch
  bool lsu_full_ = false;

 public:
  sim::BlockTarget<core::IssueGateProtocol, Attempts, &Attempts::ask_token> token_gate_tsock{
      "token_gate_tsock", &attempts_};
  sim::BlockTarget<core::IssueGateProtocol, Attempts, &Attempts::ask_commit> commit_gate_tsock{
      "commit_gate_tsock", &attempts_};
  sim::BlockTarget<core::TransactionProtocol, Attempts, &Attempts::execute, &Attempts::show>
      transaction_tsock{"transaction_tsock", &attempts_};
  sim::BlockTarget<core::IssueTapProtocol, AttemptValidation, &AttemptValidation::take_call> call_tap_tsock{
      "call_tap_tsock", &validation_};
  core::GateControlPort& token_control_isock = signals_.token_control_isock;
  core::GateControlPort& commit_control_isock = signals_.commit_control_isock;
  core::TransactionControlPort& control_isock = signals_.control_isock;
};

}  // namespace heddle::tm
