#include "determinism/color_update.h"

#include <cstring>

namespace heddle::determinism {

sim::MemoryTransaction& make_color_update(sim::MemoryPool& pool, base::PartitionId partition,
                                          const CommitRequest& entry, bool full_depths) {
  sim::MemoryTransaction& message = pool.allocate(sim::MemoryOp::kMessage, entry.chunk, kChunkBytes);
  message.extension.partition = partition;
  message.extension.tag = entry.wave_slot;
  sim::MemoryMessage& fields = message.extension.message;
  fields.owner = kZBufferOwner;
  fields.kind = static_cast<std::uint8_t>(ZBufferMessage::kColorUpdate);
  fields.request_bytes = full_depths ? kFullColorUpdateBytes : kColorUpdateBytes;
  fields.words[0] = static_cast<std::uint32_t>(entry.depth);
  fields.word_count = 1;
  std::memcpy(message.data.data(), entry.data->data(), kChunkBytes);
  for (unsigned i = 0; i < kChunkBytes; ++i) message.enables[i] = entry.mask.test(i) ? 0xff : 0;
  return message;
}

ColorUpdate read_color_update(tlm::tlm_generic_payload& message) {
  ColorUpdate update;
  update.chunk = message.get_address();
  update.depth = static_cast<Depth>(sim::memory_message(message).words[0]);
  std::memcpy(update.color.data(), message.get_data_ptr(), kChunkBytes);
  for (unsigned i = 0; i < kChunkBytes; ++i)
    if (message.get_byte_enable_ptr()[i] != 0) update.mask.set(i);
  return update;
}

}  // namespace heddle::determinism
