// What stands behind the memory partitions: our DRAM channel, or any other TLM-2.0 memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>

#include "memory/config.h"
#include "sim/clock.h"
#include "sim/stats.h"

namespace heddle::gpu {

/// Where a memory is put.
struct DramSite {
  std::uint32_t partition = 0;
  const memory::DramConfig& config;
  sim::ClockDomain& clock;  ///< the DRAM's; a memory with times of its own does not need it
  sim::StatGroup& stats;    ///< partition<i>.dram
};

/// Makes the memory of one partition and binds the partition's socket, which speaks the base protocol, to the
/// memory's. Called once per partition during elaboration; the GPU keeps what is returned.
///
/// What the memory must do (IEEE 1666-2011 base protocol, 32-bit sockets, an adapter is needed for other
/// widths):
///  * nb_transport with any timing the standard allows, in any order. A memory that only has b_transport
///  behind a
///    tlm_utils::simple_target_socket will do, the socket converts (one request at a time then);
///  * reads and writes of adjacent bytes within one L2 line at channel-local addresses, without byte enables;
///  every
///    response TLM_OK_RESPONSE. A channel's addresses are those of the device divided by the number of
///    channels (memory/address_map.h). They are sparse: allocations go up from isa::kGlobalBase, instruction
///    fetches read from isa::kCodeWindowBase on;
///  * transport_dbg at any time: host copies go through it.
/// DMI is not used.
using DramFactory = std::function<std::unique_ptr<sc_core::sc_module>(
    const DramSite& site, tlm::tlm_initiator_socket<>& partition)>;

/// memory::DramChannel.
[[nodiscard]] DramFactory dram_channels();

}  // namespace heddle::gpu
