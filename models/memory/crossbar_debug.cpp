// The crossbar's debug access: copies of the host, in zero time.
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "base/repeated_bytes.h"
#include "memory/crossbar.h"
#include "sim/windows.h"

namespace heddle::memory {

unsigned char* Crossbar::direct(Direct& shown, unsigned partition, tlm::tlm_generic_payload& payload) {
  constexpr std::uint64_t kAskAgain = 4096;  // bytes for which a refusal holds
  const std::uint64_t local = map_.local(payload.get_address());
  if (local - shown.first >= shown.bytes) {
    tlm::tlm_dmi dmi;
    if (partition_isock[partition]->get_direct_mem_ptr(payload, dmi))
      shown = {dmi.get_start_address(), dmi.get_end_address() - dmi.get_start_address() + 1,
               dmi.get_dmi_ptr()};
    else
      shown = {local / kAskAgain * kAskAgain, kAskAgain, nullptr};
  }
  const std::uint64_t offset = local - shown.first;
  const bool whole = shown.data != nullptr && payload.get_data_length() <= shown.bytes - offset;
  return whole ? shown.data + offset : nullptr;
}

std::uint64_t Crossbar::debug_access(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                                     std::uint64_t bytes) {
  if (sim::LogicalProcess::running() != nullptr)
    throw std::logic_error("debug access to memory by a core that runs ahead");
  const bool writes = command == tlm::TLM_WRITE_COMMAND;
  // Large copies of hosts: the pointers are used several times.
  const bool large = bytes >= 4 * map_.interleave_bytes() * map_.partitions();
  std::vector<Direct> shown(large ? map_.partitions() : 0);
  if (large && writes) written_.mark(address, bytes);
  // Asking for memory to write makes it, which zeros and fills do not need.
  const bool makes = large && writes && !base::repeats(data, bytes);
  std::uint64_t done = 0;
  tlm::tlm_generic_payload payload;  // making one for each piece takes longer than moving the bytes
  while (done < bytes) {
    const std::uint64_t at = address + done;
    const std::uint64_t in_chunk = map_.interleave_bytes() - at % map_.interleave_bytes();
    const auto piece = static_cast<unsigned>(std::min(bytes - done, in_chunk));
    const unsigned partition = map_.partition(at).value();
    payload.set_address(at);
    payload.set_data_length(piece);
    payload.set_command(makes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    if (unsigned char* const memory = large ? direct(shown[partition], partition, payload) : nullptr) {
      std::memcpy(writes ? memory : data + done, writes ? data + done : memory, piece);
      done += piece;
      continue;
    }
    payload.set_command(command);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload.set_data_ptr(data + done);
    payload.set_streaming_width(piece);
    const unsigned moved = partition_isock[partition]->transport_dbg(payload);
    done += moved;
    if (moved != piece) break;
  }
  return done;
}

std::uint64_t Crossbar::debug_read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) {
  return debug_access(tlm::TLM_READ_COMMAND, address, to, bytes);
}

std::uint64_t Crossbar::debug_write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes) {
  // The generic payload has one data pointer for both directions; a write command only reads through it.
  auto* const data = const_cast<unsigned char*>(from);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return debug_access(tlm::TLM_WRITE_COMMAND, address, data, bytes);
}

unsigned Crossbar::memory_transport_dbg(unsigned, tlm::tlm_generic_payload& payload) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return 0;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return static_cast<unsigned>(debug_access(payload.get_command(), payload.get_address(),
                                            payload.get_data_ptr(), payload.get_data_length()));
}

}  // namespace heddle::memory
