#include "core/core_extension_set.h"

#include <stdexcept>
#include <string>

#include "core/memory/lsu_interposer.h"
#include "core/schedule/scheduler_interposer.h"

namespace heddle::core {

void CoreExtensionSet::make(const CoreExtensionSite& site) {
  for (const CoreExtensionFactory& make : state_.services.extensions) {
    CoreExtension& added = *extensions_.emplace_back(make(site));
    bind_taps(added);
    if (const auto releases = added.releases()) bind_releases(*releases);
    if (auto* const unit = added.transactions()) bind_transactions(*unit, added);
    bind_gates(added);
  }
}

void CoreExtensionSet::bind_taps(CoreExtension& added) {
  for (CoreExtension::TapTarget* const tap : added.taps()) {
    const std::string name = "tap" + std::to_string(taps_.size()) + "_isock";
    IssueTapPort& isock = *taps_.emplace_back(std::make_unique<IssueTapPort>(name.c_str()));
    isock.bind(*tap);
    stages_.taps.add({&isock});
  }
}

void CoreExtensionSet::bind_gates(CoreExtension& added) {
  for (const CoreExtension::Gate& each : added.gates()) {
    const auto control = [this](const GateControlRequest& request) {
      cycles_.up_to_now();
      stages_.issue.control_gate(request);
      clock_.wake();
    };
    SocketGate& gate = *gates_.emplace_back(std::make_unique<SocketGate>(each.name, control));
    gate.gate_isock.bind(*each.gate_tsock);
    each.control_isock->bind(gate.control_tsock);
    stages_.issue.add_gate(gate, each.name);
  }
}

void CoreExtensionSet::bind_releases(const CoreExtension::Releases& releases) {
  if (releases_) throw std::logic_error("two extensions of a core decide about barriers");
  releases_ = std::make_unique<ReleaseSockets>(this);
  releases_->release_isock.bind(*releases.release_tsock);
  releases.control_isock->bind(releases_->control_tsock);
  stages_.barriers.ask_before_release(&releases_->release_isock);
}

void CoreExtensionSet::bind_transactions(tlm::tlm_target_socket<32, TransactionProtocol>& unit,
                                         CoreExtension& of) {
  if (transactions_) throw std::logic_error("two extensions of a core execute transactions");
  transactions_ = std::make_unique<TransactionPort>("transaction_isock");
  transactions_->bind(unit);
  stages_.control.execute_transactions(transactions_.get());
  stages_.tracer.show_transactions(transactions_.get());
  if (auto* const control = of.transaction_control()) {
    transaction_control_tsock_ =
        std::make_unique<TransactionControlTarget>("transaction_control_tsock", this);
    control->bind(*transaction_control_tsock_);
  }
}

void CoreExtensionSet::bind_schedulers() {
  std::vector<SchedulerInterposer*> between;
  for (const auto& added : extensions_)
    if (SchedulerInterposer* const unit = added->scheduler_unit()) between.push_back(unit);
  stages_.issue.bind_schedulers(between);
}

void CoreExtensionSet::bind_load_store_unit(LsuPort& port,
                                            tlm::tlm_target_socket<32, LsuCompletionProtocol>& completion,
                                            tlm::tlm_target_socket<32, LsuWakeProtocol>& wake,
                                            LoadStoreUnit& lsu) {
  std::vector<LsuInterposer*> between;  // the one next to the core first
  for (const auto& added : extensions_)
    if (LsuInterposer* const unit = added->interposer()) between.push_back(unit);
  if (between.empty()) {
    port.bind(lsu.lsu_tsock);
    lsu.completion_isock.bind(completion);
    lsu.wake_isock.bind(wake);
    return;
  }
  port.bind(between.front()->lsu_tsock);
  between.front()->completion_isock.bind(completion);
  between.front()->wake_isock.bind(wake);
  for (std::size_t i = 1; i < between.size(); ++i) {
    between[i - 1]->lsu_isock.bind(between[i]->lsu_tsock);
    between[i]->completion_isock.bind(between[i - 1]->completion_tsock);
    between[i]->wake_isock.bind(between[i - 1]->wake_tsock);
  }
  for (std::size_t i = 0; i + 1 < between.size(); ++i) between[i]->add_clients(lsu);
  between.back()->bind_unit(lsu);
}

// ---- What extensions tell

void CoreExtensionSet::serve_transactions(TransactionControl& request) {
  cycles_.up_to_now();
  if (request.op == TransactionControl::Op::kResume)
    stages_.paths.release_at(state_.now + 1, request.warp, request.lanes);
  else
    request.left = stages_.control.leave_transaction(request.warp, request.lanes, request.lane_target);
  clock_.wake();
}

void CoreExtensionSet::serve_release(ReleaseControl& request) {
  cycles_.up_to_now();
  stages_.barriers.go_on(request.warp, request.lanes);
  clock_.wake();
}

}  // namespace heddle::core
