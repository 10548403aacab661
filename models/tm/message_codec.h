// Messages of commit units on the wire ([KiloTM] §4.2.4, §4.2.5): sim::MemoryMessage's words, and the bytes that they are
// charged for. Widths are ours: a commit id has 16 bits, lane 5, address and value 32 each.
#pragma once

#include "sim/memory_payload.h"
#include "tm/commit_messages.h"

namespace heddle::tm {

inline constexpr sim::MessageOwner kCommitOwner = sim::message_owner("KLTM");

/// To the unit at a partition. kCommitIds is answered, the others are posted.
[[nodiscard]] sim::MemoryTransaction& encode(sim::MemoryPool& pool, base::PartitionId partition,
                                             const UnitMessage& message);
[[nodiscard]] UnitMessage decode_unit_message(const tlm::tlm_generic_payload& payload);

/// Of a notice to a core.
void encode(const CoreMessage& message, sim::MemoryMessage& notice);
[[nodiscard]] CoreMessage decode_core_message(const sim::MemoryMessage& notice);

/// The answer of the vendor: the first of the ids.
void answer_commit_ids(sim::MemoryMessage& message, Cid base);
/// Kind of a notice of CoreMessages; the answer of the vendor keeps UnitMessage::Kind::kCommitIds.
inline constexpr std::uint8_t kNoticeKind = 0xff;

}  // namespace heddle::tm
