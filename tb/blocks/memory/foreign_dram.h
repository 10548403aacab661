// A third-party DRAM: a base-protocol target that uses every freedom the standard allows.
#pragma once

#include <cstdint>
#include <random>
#include <systemc>
#include <tlm>
#include <vector>

#include "memory/sparse_memory.h"

namespace heddle::tb {

/// Per transaction, at random: TLM_COMPLETED at once; BEGIN_RESP as the answer to BEGIN_REQ; immediate or
/// delayed END_REQ; BEGIN_RESP without END_REQ; annotated delays. Requests are performed in random order,
/// even those to one address, when their response begins. Addresses in payloads are changed and not restored,
/// and DMI hints are set. Byte enables are refused.
class ForeignDram : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
 public:
  SC_HAS_PROCESS(ForeignDram);
  tlm::tlm_target_socket<> tsock;

  /// `completes_after_ns` not 0: every request is completed at once, with that annotated delay.
  ForeignDram(const sc_core::sc_module_name& name, std::uint64_t seed, unsigned completes_after_ns = 0)
      : sc_module(name), tsock("tsock"), random_(seed), completes_after_ns_(completes_after_ns) {
    tsock.bind(*this);
    SC_METHOD(run);
    dont_initialize();
    sensitive << wake_;
  }

  [[nodiscard]] std::uint64_t overtaken() const { return overtaken_; }

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::END_RESP) {
      response_ = nullptr;
      response_free_ = sc_core::sc_time_stamp() + delay;
      payload.release();
      return tlm::TLM_COMPLETED;
    }
    if (payload.get_byte_enable_ptr() != nullptr) {
      payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
      return tlm::TLM_COMPLETED;
    }
    payload.set_address(payload.get_address() + kMapped);
    if (completes_after_ns_ != 0) {
      perform(payload, kMapped);
      delay += nanoseconds(completes_after_ns_);
      return tlm::TLM_COMPLETED;
    }
    const sc_core::sc_time annotated = nanoseconds(random_() % 8);
    switch (random_() % 6) {
      case 0:
        perform(payload, kMapped);
        delay += annotated;
        return tlm::TLM_COMPLETED;
      case 1:
        if (response_ != nullptr || sc_core::sc_time_stamp() < response_free_) break;
        perform(payload, kMapped);
        payload.acquire();
        response_ = &payload;
        delay += annotated;
        phase = tlm::BEGIN_RESP;
        return tlm::TLM_UPDATED;
      case 2:
      case 3:
        payload.acquire();
        waiting_.push_back({&payload, true, sc_core::sc_time_stamp() + delay + annotated});
        wake_.notify(nanoseconds(1 + random_() % 20));
        delay += annotated;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
      default:
        break;
    }
    payload.acquire();
    waiting_.push_back({&payload, false, sc_core::sc_time_stamp() + delay});
    wake_.notify(nanoseconds(1 + random_() % 20));
    return tlm::TLM_ACCEPTED;
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override { perform(payload, 0); }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    perform(payload, 0);
    return payload.get_data_length();
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override {
    dmi.allow_none();
    return false;
  }

 private:
  static constexpr std::uint64_t kMapped = 0x4000'0080;  ///< also not a multiple of an L2's way
  struct Waiting {
    tlm::tlm_generic_payload* payload;
    bool ended;              ///< END_REQ sent
    sc_core::sc_time since;  ///< time of its last phase, annotations included
  };
  static sc_core::sc_time nanoseconds(std::uint64_t n) { return {static_cast<double>(n), sc_core::SC_NS}; }

  void run() {
    if (!waiting_.empty()) {
      wake_.notify(nanoseconds(1 + random_() % 12));
      const std::size_t i = random_() % waiting_.size();
      sc_core::sc_time delay = nanoseconds(random_() % 4);
      if (sc_core::sc_time_stamp() + delay < waiting_[i].since)
        delay = waiting_[i].since - sc_core::sc_time_stamp();
      if (!waiting_[i].ended && random_() % 2 == 0) {
        waiting_[i].ended = true;
        waiting_[i].since = sc_core::sc_time_stamp() + delay;
        tlm::tlm_phase phase = tlm::END_REQ;
        tsock->nb_transport_bw(*waiting_[i].payload, phase, delay);
      } else if (response_ == nullptr && sc_core::sc_time_stamp() >= response_free_) {
        tlm::tlm_generic_payload& payload = *waiting_[i].payload;
        overtaken_ += i != 0;
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        perform(payload, kMapped);
        response_ = &payload;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        if (tsock->nb_transport_bw(payload, phase, delay) != tlm::TLM_ACCEPTED) {
          response_ = nullptr;
          response_free_ = sc_core::sc_time_stamp() + delay;
          payload.release();
        }
      }
    }
  }

  /// `mapped`: the offset by which the address was changed.
  void perform(tlm::tlm_generic_payload& payload, std::uint64_t mapped) {
    const std::uint64_t address = payload.get_address() - mapped;
    if (payload.is_write())
      memory_.write(address, payload.get_data_ptr(), payload.get_data_length());
    else
      memory_.read(address, payload.get_data_ptr(), payload.get_data_length());
    payload.set_dmi_allowed(true);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  std::mt19937_64 random_;
  unsigned completes_after_ns_;
  memory::SparseMemory memory_;
  std::vector<Waiting> waiting_;
  sc_core::sc_event wake_{"wake"};
  tlm::tlm_generic_payload* response_ = nullptr;
  sc_core::sc_time response_free_;
  std::uint64_t overtaken_ = 0;
};

}  // namespace heddle::tb
