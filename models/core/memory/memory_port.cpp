#include "core/memory/memory_port.h"

#include <algorithm>

namespace heddle::core {
namespace {

std::uint32_t bit(PortClient client) { return 1u << static_cast<unsigned>(client); }

}  // namespace

MemoryPort::MemoryPort(const sc_core::sc_module_name& name, const MemoryPortConfig& config,
                       sim::ClockMember& clock, base::StatGroup& stats)
    : sc_module(name), config_(config), clock_(clock) {
  stats.counter("requests", "packets", "requests sent to the crossbar", &requests_sent_);
  stats.counter("responses", "packets", "responses taken from the crossbar", &responses_taken_);
  stats.counter("responses_held", "packets",
                "responses that had to wait in the crossbar because the queue was full", &responses_held_);
  for (const char* client : {"data", "instruction", "constant"}) add_client(client);
}

PortClient MemoryPort::add_client(const std::string& name) {
  if (request_tsock.size() == kMostPortClients)
    SC_REPORT_ERROR("/heddle/memory_port", ("no number left for client " + name).c_str());
  request_tsock.emplace_back((name + "_tsock").c_str(), this);
  response_isock.emplace_back((name + "_isock").c_str());
  return static_cast<PortClient>(request_tsock.size() - 1);
}

bool MemoryPort::room_for(PortClient client) {
  asked_ |= bit(client);
  if (refused_.empty() && has_room()) return true;
  const auto own = std::find(refused_.begin(), refused_.end(), client);
  const auto before = static_cast<std::size_t>(own - refused_.begin());
  if (requests_.size() + before < config_.request_queue_packets) return true;
  if (own == refused_.end()) refused_.push_back(client);
  return false;
}

void MemoryPort::tick() {
  if (!refused_.empty())
    std::erase_if(refused_, [this](PortClient client) { return (asked_ & bit(client)) == 0; });
  asked_ = 0;
  if (request_held_ || requests_.empty()) return;
  sim::MemoryTransaction& transaction = *requests_.front();
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  ++requests_sent_;
  transaction.extension.order = ++order_;
  const tlm::tlm_sync_enum status = memory_isock->nb_transport_fw(transaction, phase, delay);
  if (status == tlm::TLM_ACCEPTED) {
    request_held_ = true;  // END_REQ comes through the backward path
    return;
  }
  requests_.pop_front();
  transaction.release();
}

void MemoryPort::serve(PortRequest& request) {
  switch (request.op) {
    case PortRequest::Op::kRoom:
      request.room = room_for(request.client);
      break;
    case PortRequest::Op::kSend:
      sim::memory_extension(*request.transaction).client = static_cast<std::uint8_t>(request.client);
      requests_.push_back(request.transaction);
      if (!refused_.empty()) std::erase(refused_, request.client);
      clock_.wake();  // nothing but a test in the core's own cycle
      break;
    case PortRequest::Op::kDeliver:
      deliver(request);
      break;
    case PortRequest::Op::kTick:
      tick();
      break;
  }
}

void MemoryPort::deliver(PortRequest& request) {
  if (responses_.empty()) return;
  tlm::tlm_generic_payload* oldest = responses_.front();
  responses_.pop_front();
  ++responses_taken_;
  if (held_response_ != nullptr) {
    tlm::tlm_generic_payload* held = held_response_;
    held_response_ = nullptr;  // the call below may already bring the next one
    responses_.push_back(held);
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    memory_isock->nb_transport_fw(*held, phase, delay);
  }
  const std::uint8_t client = sim::memory_extension(*oldest).client;
  request.delivered = true;
  request.client = static_cast<PortClient>(client);
  PortResponse response{oldest, request.cycle};
  response_isock[client].call(response);
  oldest->release();
}

tlm::tlm_sync_enum MemoryPort::memory_nb_transport_bw(unsigned, tlm::tlm_generic_payload& payload,
                                                      tlm::tlm_phase& phase, sc_core::sc_time&) {
  clock_.wake();
  if (phase == tlm::END_REQ) {
    request_held_ = false;
    requests_.front()->release();
    requests_.pop_front();
    return tlm::TLM_ACCEPTED;
  }
  if (payload.is_response_error())
    SC_REPORT_ERROR("/heddle/memory_port",
                    ("a memory request came back with " + payload.get_response_string()).c_str());
  payload.acquire();
  if (responses_.size() < config_.response_queue_packets) {
    responses_.push_back(&payload);
    phase = tlm::END_RESP;
    return tlm::TLM_COMPLETED;
  }
  ++responses_held_;
  held_response_ = &payload;
  return tlm::TLM_ACCEPTED;
}

}  // namespace heddle::core
