// The memory behind the memory partitions: Heddle's DRAM channel, or any other TLM-2.0 memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>

#include "base/stats.h"
#include "memory/config.h"
#include "sim/clock.h"

namespace heddle::gpu {

/// The position of a memory in the GPU.
struct DramSite {
  std::uint32_t partition = 0;
  const memory::DramConfig& config;
  sim::ClockDomain& clock;  ///< the DRAM's; a memory with its own timing does not need it
  base::StatGroup& stats;   ///< partition<i>.dram
};

/// Makes the memory of one partition and binds the partition's socket, which speaks the base protocol, to the
/// memory's. Called once per partition during elaboration; the GPU owns the result.
///
/// Requirements on the memory (IEEE 1666-2011 base protocol, 32-bit sockets; other widths need an adapter):
///  * nb_transport with any timing the standard allows, in any order. A memory that only has b_transport
///    behind a tlm_utils::simple_target_socket works as well: the socket converts (one request at a time);
///  * reads and writes of adjacent bytes within one L2 line, without byte enables; every response
///    TLM_OK_RESPONSE. Sizes: the L2's line or, in sectored slices, any number of adjacent sectors at a
///    multiple of the sector; powers of two at multiples of their size with memory.l2.dram_access_bytes;
///  * addresses from 0 to config.capacity_bytes() - 1 (memory.dram.capacity_mib): allocations from the first
///    byte up, instruction fetches from the last down (memory/channel_map.h). With
///    memory.dram.addresses=sparse they are the device's addresses divided by the number of channels:
///    fetches are around 2^44;
///  * bytes that were never written read as zero, like device memory that was never allocated;
///  * transport_dbg at any time: host copies use it;
///  * a response to every request. After watchdog.memory_cycles without any, the launch ends as a hang that
///    names the channel.
/// The memory may change the payload fields that the standard lets interconnects change (address, DMI hint,
/// extensions). DMI is not used.
using DramFactory = std::function<std::unique_ptr<sc_core::sc_module>(
    const DramSite& site, tlm::tlm_initiator_socket<>& partition)>;

/// memory::DramChannel.
[[nodiscard]] DramFactory dram_channels();

}  // namespace heddle::gpu
