// A very strict memory: of a fixed size, with restrictions on its requests, and able to stop answering.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/peq_with_get.h>

namespace heddle::tb {

struct StrictMemoryConfig {
  std::uint64_t bytes = 1 << 20;  ///< accesses beyond it are TLM_ADDRESS_ERROR_RESPONSE
  std::uint64_t bus_offset = 0;   ///< an interconnect adds it to every payload's address and does not restore
                                  ///< it
  bool natural_alignment = false;  ///< accesses with a size that is not a power of two, or not aligned, are
                                   ///< TLM_BURST_ERROR_RESPONSE
  double latency_ns = 50;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  std::uint64_t answers = kNever;       ///< stops answering after this number, but still accepts requests
  std::uint64_t end_requests = kNever;  ///< accepts this number of requests; the next one never gets its
                                        ///< END_REQ
};

/// Answers in order, all that are due at a time.
class StrictMemory : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
 public:
  SC_HAS_PROCESS(StrictMemory);
  tlm::tlm_target_socket<> tsock;

  StrictMemory(const sc_core::sc_module_name& name, const StrictMemoryConfig& config)
      : sc_module(name), tsock("tsock"), config_(config), cells_(config.bytes), due_("due") {
    tsock.bind(*this);
    SC_METHOD(answer);
    dont_initialize();
    sensitive << due_.get_event();
  }

  [[nodiscard]] const std::set<unsigned>& sizes() const { return sizes_; }
  [[nodiscard]] std::uint64_t highest() const { return highest_; }  ///< end of the highest access
  [[nodiscard]] std::uint64_t accesses() const { return accesses_; }
  [[nodiscard]] std::uint64_t writes() const { return writes_; }

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
    payload.acquire();
    payload.set_address(payload.get_address() + config_.bus_offset);
    if (begun_++ >= config_.end_requests) return tlm::TLM_ACCEPTED;
    due_.notify(payload, delay + sc_core::sc_time(config_.latency_ns, sc_core::SC_NS));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
    perform(payload, payload.get_address());
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    const std::uint64_t address = payload.get_address(), bytes = payload.get_data_length();
    if (address >= config_.bytes || bytes > config_.bytes - address) return 0;
    move(payload, address);
    return payload.get_data_length();
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override {
    dmi.allow_none();
    return false;
  }

 private:
  void answer() {
    while (tlm::tlm_generic_payload* const payload = due_.get_next_transaction()) {
      if (accesses_ == config_.answers) continue;  // accepted but never answered
      perform(*payload, payload->get_address() - config_.bus_offset);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay;
      tsock->nb_transport_bw(*payload, phase, delay);  // the partition always completes
      payload->release();
    }
  }

  void perform(tlm::tlm_generic_payload& payload, std::uint64_t address) {
    const std::uint64_t bytes = payload.get_data_length();
    ++accesses_;
    writes_ += payload.is_write() ? 1 : 0;
    sizes_.insert(payload.get_data_length());
    if (payload.get_byte_enable_ptr() != nullptr) {
      payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    } else if (address >= config_.bytes || bytes > config_.bytes - address) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    } else if (config_.natural_alignment && (!std::has_single_bit(bytes) || address % bytes != 0)) {
      payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    } else {
      move(payload, address);
      payload.set_dmi_allowed(true);  // a hint that the initiator may ignore
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
  }

  void move(const tlm::tlm_generic_payload& payload, std::uint64_t address) {
    unsigned char* const here = &cells_[address];
    highest_ = std::max(highest_, address + payload.get_data_length());
    if (payload.is_write()) std::memcpy(here, payload.get_data_ptr(), payload.get_data_length());
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), here, payload.get_data_length());
  }

  StrictMemoryConfig config_;
  std::vector<unsigned char> cells_;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> due_;
  std::set<unsigned> sizes_;
  std::uint64_t highest_ = 0, accesses_ = 0, writes_ = 0, begun_ = 0;
};

}  // namespace heddle::tb
