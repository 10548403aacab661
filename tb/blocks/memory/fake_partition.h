// A stand-in for a memory partition: a flat memory with random stalls, random latency and responses in random
// order.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "memory/atomic_unit.h"
#include "memory/sparse_memory.h"
#include "sim/clock.h"
#include "sim/memory_socket.h"

namespace heddle::tb {

class FakePartition : public sc_core::sc_module, public sim::MemoryTargetOwner {
 public:
  sim::MemoryTargetSocket tsock;

  /// `stall_percent`: chance that a BEGIN_REQ gets its END_REQ 1 to 16 cycles late.
  FakePartition(const sc_core::sc_module_name& name, std::uint64_t seed, unsigned stall_percent,
                unsigned max_latency, sim::ClockDomain& clock)
      : sc_module(name),
        tsock("tsock", this),
        random_(seed),
        stall_percent_(stall_percent),
        max_latency_(max_latency),
        clock_(clock, sim::on_tick<&FakePartition::tick>(this)) {}

  using CoreAndTag = std::pair<std::uint32_t, std::uint32_t>;
  [[nodiscard]] const std::vector<CoreAndTag>& requests() const { return requests_; }
  [[nodiscard]] const std::vector<CoreAndTag>& responses() const { return responses_; }
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }
  [[nodiscard]] bool idle() const { return waiting_.empty() && held_ == nullptr && responding_ == nullptr; }

  tlm::tlm_sync_enum memory_nb_transport_fw(unsigned, tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase, sc_core::sc_time&) override {
    clock_.wake();
    if (phase == tlm::END_RESP) {
      if (responding_ != &payload) errors_.push_back("END_RESP for another response");
      responding_ = nullptr;
      payload.release();
      return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    const base::Cycle now = clock_.domain().cycle();
    if (random_() % 100 < stall_percent_) {
      held_ = &payload;
      held_until_ = now + 1 + random_() % 16;
      return tlm::TLM_ACCEPTED;
    }
    take(payload, now);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  unsigned memory_transport_dbg(unsigned, tlm::tlm_generic_payload& payload) override {
    if (payload.is_write())
      memory_.write(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
    else
      memory_.read(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
    return payload.get_data_length();
  }

 private:
  struct Waiting {
    tlm::tlm_generic_payload* payload;
    base::Cycle ready;
  };

  void take(tlm::tlm_generic_payload& payload, base::Cycle now) {
    sim::MemoryExtension& ext = sim::memory_extension(payload);
    requests_.emplace_back(ext.core.value(), ext.tag);
    const std::uint64_t address = payload.get_address();
    const unsigned bytes = payload.get_data_length();
    if (ext.op == sim::MemoryOp::kRead) {
      memory_.read(address, payload.get_data_ptr(), bytes);
    } else if (ext.op == sim::MemoryOp::kWrite) {
      memory_.write_enabled(address, payload.get_data_ptr(), bytes, payload.get_byte_enable_ptr(), bytes);
    } else {
      std::vector<unsigned char> line(bytes);
      memory_.read(address, line.data(), bytes);
      memory::AtomicUnit({}).execute(ext, line.data(), bytes, address, 0);
      memory_.write(address, line.data(), bytes);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    waiting_.push_back({&payload, now + 1 + random_() % max_latency_});
  }

  void tick() {
    const base::Cycle now = clock_.cycle();
    if (held_ != nullptr && now >= held_until_) {
      tlm::tlm_generic_payload& payload = *held_;
      held_ = nullptr;
      take(payload, now);
      tlm::tlm_phase phase = tlm::END_REQ;
      sc_core::sc_time delay;
      tsock->nb_transport_bw(payload, phase, delay);
    }
    for (std::size_t i = 0; i < waiting_.size() && responding_ == nullptr; ++i) {
      if (waiting_[i].ready > now) continue;
      responding_ = waiting_[i].payload;
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      const sim::MemoryExtension& ext = sim::memory_extension(*responding_);
      responses_.emplace_back(ext.core.value(), ext.tag);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay;
      tlm::tlm_generic_payload& payload = *responding_;
      if (tsock->nb_transport_bw(payload, phase, delay) != tlm::TLM_ACCEPTED) {
        responding_ = nullptr;
        payload.release();
      }
      break;
    }
    if (waiting_.empty() && held_ == nullptr)
      clock_.park();
    else
      clock_.again();
  }

  std::mt19937_64 random_;
  unsigned stall_percent_;
  unsigned max_latency_;
  sim::ClockMember clock_;
  memory::SparseMemory memory_;
  std::vector<Waiting> waiting_;
  tlm::tlm_generic_payload* held_ = nullptr;
  base::Cycle held_until_ = 0;
  tlm::tlm_generic_payload* responding_ = nullptr;
  std::vector<CoreAndTag> requests_;
  std::vector<CoreAndTag> responses_;
  std::vector<std::string> errors_;
};

}  // namespace heddle::tb
