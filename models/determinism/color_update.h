// COLOR_UPDATE and Z_ACK on the wire ([GPUDet] Fig 4.7). A COLOR_UPDATE is a message with a line image: address of the
// chunk, colours, byte enables; its only word is the depth. Z_ACK is its answer. The tag is the wavefront's slot in its
// core.
#pragma once

#include "determinism/commit_protocol.h"
#include "determinism/z_buffer_model.h"
#include "sim/memory_payload.h"

namespace heddle::determinism {

inline constexpr sim::MessageOwner kZBufferOwner = sim::message_owner("ZBUF");
enum class ZBufferMessage : std::uint8_t { kColorUpdate };

/// Bytes behind the packet header of 8: chunk, byte mask, and one depth (160 in all) or a depth for each word (284).
inline constexpr std::uint32_t kColorUpdateBytes = 152;
inline constexpr std::uint32_t kFullColorUpdateBytes = 276;

/// `full_depths`: ZBufferConfig::full_depth_packet.
[[nodiscard]] sim::MemoryTransaction& make_color_update(sim::MemoryPool& pool, base::PartitionId partition,
                                                        const CommitRequest& entry, bool full_depths);
[[nodiscard]] ColorUpdate read_color_update(tlm::tlm_generic_payload& message);

}  // namespace heddle::determinism
