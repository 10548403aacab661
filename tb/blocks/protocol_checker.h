// A TLM-2.0 approximately-timed protocol checker, to be inserted between an initiator and a target.
//
//   initiator.isock.bind(checker.tsock); checker.isock.bind(target.tsock);
//
// It forwards every call unchanged and records a message for each violation of the four-phase rules on that
// hop ([TLM-2.0] §15.2, §16.2); tb/blocks/protocol_checker_bench.cpp violates each of them:
//   * phases of a transaction in order: BEGIN_REQ, END_REQ (may be implied), BEGIN_RESP, END_RESP, with the
//     return values allowed for each; no other phases;
//   * request exclusion: no BEGIN_REQ before the previous request's END_REQ, BEGIN_RESP or completion,
//     annotated delays included; response exclusion likewise for BEGIN_RESP;
//   * timing annotation: a callee does not shorten the delay, and changes neither phase nor delay if it
//     returns TLM_ACCEPTED; the phases of a transaction do not go back in time;
//   * a transaction object is not reused before its END_RESP or completion, has a memory manager and is
//     referenced;
//   * it begins with an incomplete response status and without a DMI hint; a response has a status;
//   * command, data and byte-enable attributes do not change in flight. Nor does the address, except in the
//     base protocol, where an interconnect after the checker may change it ([TLM-2.0] §14.7).
// Posted messages of the memory protocol (sim/memory_payload.h) end with their END_REQ.
// b_transport: the attributes and the status are checked likewise.
// Works with the base protocol and with any protocol with the same phases (sim::MemoryProtocol).
#pragma once

#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <type_traits>
#include <vector>

#include "sim/memory_payload.h"

namespace heddle::tb {

template <class Protocol = tlm::tlm_base_protocol_types>
class ProtocolChecker : public sc_core::sc_module,
                        public tlm::tlm_fw_transport_if<Protocol>,
                        public tlm::tlm_bw_transport_if<Protocol> {
 public:
  using Payload = typename Protocol::tlm_payload_type;
  using Phase = typename Protocol::tlm_phase_type;

  tlm::tlm_target_socket<32, Protocol> tsock;     ///< towards the initiator
  tlm::tlm_initiator_socket<32, Protocol> isock;  ///< towards the target

  explicit ProtocolChecker(const sc_core::sc_module_name& name)
      : sc_module(name), tsock("tsock"), isock("isock") {
    tsock.bind(static_cast<tlm::tlm_fw_transport_if<Protocol>&>(*this));
    isock.bind(static_cast<tlm::tlm_bw_transport_if<Protocol>&>(*this));
  }

  /// The first violations (at most 20).
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }
  [[nodiscard]] std::size_t outstanding() const { return active_.size(); }
  [[nodiscard]] std::uint64_t transactions() const { return transactions_; }
  /// END_REQs and END_RESPs sent in a separate call: shows that back-pressure occurred.
  [[nodiscard]] std::uint64_t late_ends() const { return late_ends_; }

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, Phase& phase, sc_core::sc_time& delay) override {
    const Phase sent = phase;
    const sc_core::sc_time passed = delay;
    if (sent == tlm::BEGIN_REQ)
      begin_request(payload, delay);
    else if (sent == tlm::END_RESP)
      end_response(payload, delay, true);
    else
      error(payload, "phase not allowed on the forward path");
    const tlm::tlm_sync_enum status = isock->nb_transport_fw(payload, phase, delay);
    check_return(payload, status, sent, phase, passed, delay);
    switch (status) {
      case tlm::TLM_ACCEPTED:
        break;
      case tlm::TLM_UPDATED:
        if (sent == tlm::END_RESP)
          error(payload, "END_RESP answered with TLM_UPDATED");
        else if (phase == tlm::END_REQ)
          end_request(payload, delay, false);
        else if (phase == tlm::BEGIN_RESP)
          begin_response(payload, delay);
        else
          error(payload, "BEGIN_REQ answered with a phase that does not follow it");
        break;
      case tlm::TLM_COMPLETED:
        if (sent == tlm::BEGIN_REQ) complete(payload, delay);
        break;
    }
    return status;
  }

  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, Phase& phase, sc_core::sc_time& delay) override {
    const Phase sent = phase;
    const sc_core::sc_time passed = delay;
    if (sent == tlm::END_REQ)
      end_request(payload, delay, true);
    else if (sent == tlm::BEGIN_RESP)
      begin_response(payload, delay);
    else
      error(payload, "phase not allowed on the backward path");
    const tlm::tlm_sync_enum status = tsock->nb_transport_bw(payload, phase, delay);
    check_return(payload, status, sent, phase, passed, delay);
    if (sent == tlm::END_REQ && status != tlm::TLM_ACCEPTED)
      error(payload, "END_REQ not answered with TLM_ACCEPTED");
    if (sent == tlm::BEGIN_RESP && status == tlm::TLM_UPDATED && phase != tlm::END_RESP)
      error(payload, "BEGIN_RESP answered with a phase that does not follow it");
    if (sent == tlm::BEGIN_RESP && status != tlm::TLM_ACCEPTED) end_response(payload, delay, false);
    return status;
  }

  void b_transport(Payload& payload, sc_core::sc_time& delay) override {
    const Transaction before = note(payload);
    check_begin(payload);
    const sc_core::sc_time passed = delay;
    isock->b_transport(payload, delay);
    if (delay < passed) error(payload, "the callee shortened the delay");
    check_attributes(payload, before);
  }
  unsigned transport_dbg(Payload& payload) override { return isock->transport_dbg(payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return isock->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
    tsock->invalidate_direct_mem_ptr(start, end);
  }

 private:
  static constexpr bool kAddressStays = !std::is_same_v<Protocol, tlm::tlm_base_protocol_types>;
  enum class State { kRequest, kRequestEnded, kResponse };
  struct Transaction {
    State state = State::kRequest;
    tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
    sc_dt::uint64 address = 0;
    const unsigned char* data = nullptr;
    unsigned length = 0;
    const unsigned char* enables = nullptr;
    unsigned enable_length = 0;
    unsigned width = 0;
    sc_core::sc_time when;  ///< of its last phase
  };

  void error(const Payload& payload, const std::string& message) {
    if (errors_.size() < 20)
      errors_.push_back(sc_core::sc_time_stamp().to_string() + " " + this->name() + " address " +
                        std::to_string(payload.get_address()) + ": " + message);
  }
  Transaction* find(const Payload& payload, const char* phase) {
    const auto it = active_.find(&payload);
    if (it != active_.end()) return &it->second;
    error(payload, std::string(phase) + " of a transaction that is not under way");
    return nullptr;
  }

  static Transaction note(const Payload& payload) {
    return {.state = State::kRequest,
            .command = payload.get_command(),
            .address = payload.get_address(),
            .data = payload.get_data_ptr(),
            .length = payload.get_data_length(),
            .enables = payload.get_byte_enable_ptr(),
            .enable_length = payload.get_byte_enable_length(),
            .width = payload.get_streaming_width(),
            .when = sc_core::sc_time_stamp()};
  }

  void check_begin(const Payload& payload) {
    if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
      error(payload, "begins with a response status");
    if (payload.is_dmi_allowed()) error(payload, "begins with a DMI hint");
  }

  void check_return(const Payload& payload, tlm::tlm_sync_enum status, const Phase& sent, const Phase& phase,
                    const sc_core::sc_time& passed, const sc_core::sc_time& delay) {
    if (status == tlm::TLM_ACCEPTED && phase != sent) error(payload, "TLM_ACCEPTED with another phase");
    if (status == tlm::TLM_ACCEPTED && delay != passed) error(payload, "TLM_ACCEPTED with another delay");
    if (delay < passed) error(payload, "the callee shortened the delay");
  }

  /// The transaction has reached a phase.
  void advance(const Payload& payload, Transaction& t, const sc_core::sc_time& delay) {
    const sc_core::sc_time when = sc_core::sc_time_stamp() + delay;
    if (when < t.when) error(payload, "a phase before the one that precedes it");
    t.when = when;
  }

  void begin_request(const Payload& payload, const sc_core::sc_time& delay) {
    ++transactions_;
    if (active_.count(&payload) != 0) error(payload, "transaction object reused before it ended");
    if (request_ != nullptr) error(payload, "BEGIN_REQ before the previous request ended");
    if (sc_core::sc_time_stamp() + delay < request_free_)
      error(payload, "BEGIN_REQ before the annotated END_REQ");
    if (!payload.has_mm() || payload.get_ref_count() < 1)
      error(payload, "no memory manager or not referenced");
    check_begin(payload);
    Transaction& t = active_[&payload];
    t = note(payload);
    t.when = sc_core::sc_time_stamp() + delay;
    request_ = &payload;
  }

  void leave_request(const Payload& payload, const sc_core::sc_time& delay) {
    if (request_ != &payload) return;
    request_ = nullptr;
    request_free_ = sc_core::sc_time_stamp() + delay;
  }

  void end_request(const Payload& payload, const sc_core::sc_time& delay, bool late) {
    Transaction* t = find(payload, "END_REQ");
    if (t == nullptr) return;
    if (t->state != State::kRequest) error(payload, "END_REQ twice or after BEGIN_RESP");
    t->state = State::kRequestEnded;
    advance(payload, *t, delay);
    late_ends_ += late ? 1 : 0;
    leave_request(payload, delay);
    if constexpr (std::is_same_v<Protocol, sim::MemoryProtocol>) {
      if (static_cast<const sim::MemoryTransaction&>(payload).extension.posted()) active_.erase(&payload);
    }
  }

  void begin_response(const Payload& payload, const sc_core::sc_time& delay) {
    Transaction* t = find(payload, "BEGIN_RESP");
    if (t == nullptr) return;
    if (t->state == State::kResponse) error(payload, "BEGIN_RESP twice");
    leave_request(payload, delay);  // implied END_REQ
    t->state = State::kResponse;
    advance(payload, *t, delay);
    if (response_ != nullptr) error(payload, "BEGIN_RESP before the previous response ended");
    if (sc_core::sc_time_stamp() + delay < response_free_)
      error(payload, "BEGIN_RESP before the annotated END_RESP");
    response_ = &payload;
    check_attributes(payload, *t);
  }

  void end_response(const Payload& payload, const sc_core::sc_time& delay, bool late) {
    Transaction* t = find(payload, "END_RESP");
    if (t == nullptr) return;
    if (t->state != State::kResponse) error(payload, "END_RESP without BEGIN_RESP");
    advance(payload, *t, delay);
    if (response_ == &payload) {
      response_ = nullptr;
      response_free_ = sc_core::sc_time_stamp() + delay;
    }
    late_ends_ += late ? 1 : 0;
    active_.erase(&payload);
  }

  void complete(const Payload& payload, const sc_core::sc_time& delay) {
    Transaction* t = find(payload, "TLM_COMPLETED");
    if (t == nullptr) return;
    check_attributes(payload, *t);
    advance(payload, *t, delay);
    leave_request(payload, delay);
    active_.erase(&payload);
  }

  void check_attributes(const Payload& payload, const Transaction& t) {
    if (payload.get_command() != t.command || (kAddressStays && payload.get_address() != t.address) ||
        payload.get_data_ptr() != t.data || payload.get_data_length() != t.length ||
        payload.get_byte_enable_ptr() != t.enables || payload.get_byte_enable_length() != t.enable_length ||
        payload.get_streaming_width() != t.width)
      error(payload, "attributes changed on the way");
    if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
      error(payload, "response without a status");
  }

  std::map<const Payload*, Transaction> active_;  // looked up only
  const Payload* request_ = nullptr;
  const Payload* response_ = nullptr;
  sc_core::sc_time request_free_;
  sc_core::sc_time response_free_;
  std::uint64_t transactions_ = 0;
  std::uint64_t late_ends_ = 0;
  std::vector<std::string> errors_;
};

}  // namespace heddle::tb
