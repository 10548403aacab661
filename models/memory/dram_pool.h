// Plain generic payloads for the traffic between a partition and its DRAM.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

#include "sim/memory_payload.h"

namespace heddle::memory {

/// At most one line. An interconnect may change the payload's address, and a response does not restore the
/// old one ([TLM-2.0] §14.7), so after BEGIN_REQ the initiator uses its own record.
class DramTransaction : public tlm::tlm_generic_payload {
 public:
  explicit DramTransaction(tlm::tlm_mm_interface* pool) : tlm::tlm_generic_payload(pool) {}
  // The initiator's record.
  std::uint64_t local = 0;    ///< the slice's address of the first byte
  std::uint64_t channel = 0;  ///< the address as it was sent
  std::uint64_t sent = 0;     ///< model time of BEGIN_REQ
  std::uint32_t frame = 0;    ///< frame of the cache that the data goes to
  bool answered = false;      ///< its response has arrived
  std::size_t position = 0;   ///< index in the list of transactions in flight
  std::array<unsigned char, sim::kMaxLineBytes> data{};
  std::array<unsigned char, sim::kMaxLineBytes> enables{};
};

/// Reference-counted and reused; allocate() returns one with reference count 1.
class DramPool : public tlm::tlm_mm_interface {
 public:
  DramTransaction& allocate(tlm::tlm_command command, std::uint64_t address, unsigned bytes) {
    if (free_.empty()) {
      all_.push_back(std::make_unique<DramTransaction>(this));
      free_.push_back(all_.back().get());
    }
    DramTransaction& t = *free_.back();
    free_.pop_back();
    t.acquire();
    t.set_command(command);
    t.set_address(address);
    t.set_data_ptr(t.data.data());
    t.set_data_length(bytes);
    t.set_streaming_width(bytes);
    t.set_byte_enable_ptr(nullptr);
    t.set_byte_enable_length(0);
    t.set_dmi_allowed(false);
    t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return t;
  }
  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();  // removes extensions attached downstream for this transaction
    free_.push_back(static_cast<DramTransaction*>(payload));
  }

 private:
  std::vector<std::unique_ptr<DramTransaction>> all_;
  std::vector<DramTransaction*> free_;
};

}  // namespace heddle::memory
