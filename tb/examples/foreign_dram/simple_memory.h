// A memory as in SystemC's own TLM-2.0 examples: a simple_target_socket, b_transport, some bytes. It is
// independent of Heddle.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <systemc>
#include <tlm>

#include <tlm_utils/simple_target_socket.h>

class SimpleMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<SimpleMemory> socket;

  /// Every access takes `latency`.
  SimpleMemory(const sc_core::sc_module_name& name, const sc_core::sc_time& latency)
      : sc_module(name), socket("socket"), latency_(latency) {
    socket.register_b_transport(this, &SimpleMemory::b_transport);
    socket.register_transport_dbg(this, &SimpleMemory::transport_dbg);
  }

  [[nodiscard]] std::uint64_t accesses() const { return accesses_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++accesses_;
    delay += latency_;
    if (payload.get_byte_enable_ptr() != nullptr)
      payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    else if (payload.get_streaming_width() < payload.get_data_length())
      payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    else {
      move(payload);
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
  }

  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    move(payload);
    return payload.get_data_length();
  }

  void move(tlm::tlm_generic_payload& payload) {
    for (std::uint64_t done = 0; done < payload.get_data_length();) {
      const std::uint64_t address = payload.get_address() + done, offset = address % kPage;
      const std::uint64_t count = std::min(payload.get_data_length() - done, kPage - offset);
      unsigned char* const here = &pages_[address / kPage][offset];  // a new page is zero-filled
      unsigned char* const there = payload.get_data_ptr() + done;
      if (payload.is_write()) std::memcpy(here, there, count);
      if (payload.is_read()) std::memcpy(there, here, count);
      done += count;
    }
  }

  static constexpr std::uint64_t kPage = 4096;
  sc_core::sc_time latency_;
  std::map<std::uint64_t, std::array<unsigned char, kPage>> pages_;
  std::uint64_t accesses_ = 0;
};
