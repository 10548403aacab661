#include "tm/message_codec.h"

namespace heddle::tm {
namespace {

// Words of the header.
constexpr unsigned kBase = 0, kLanes = 1, kPass = 2, kCore = 3, kCounts = 4, kClient = 5, kLast = 6;
constexpr std::uint64_t kIsLast = 1, kIsWrites = 2;
constexpr unsigned kHeaderWords = 8;
constexpr unsigned kHalf = 32;
constexpr unsigned kAddressBits = 48;
constexpr std::uint32_t kIdBytes = 2, kMaskBytes = 4, kRowBytes = 2, kCountBytes = 2;
/// 5 + 32 + 32 bits, and a byte mask of 4 bits in write logs.
constexpr std::uint32_t kReadWordBits = 69, kWriteWordBits = 73;

std::uint64_t both(std::uint32_t low, std::uint32_t high) { return std::uint64_t{high} << kHalf | low; }
std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> kHalf); }

std::uint32_t wire_bytes(const UnitMessage& message) {
  const auto words = static_cast<std::uint32_t>(message.words.size());
  switch (message.kind) {
    case UnitMessage::Kind::kCommitIds:
      return kCountBytes;
    case UnitMessage::Kind::kReadLog:
      return kIdBytes + kRowBytes + (words * kReadWordBits + 7) / 8;
    case UnitMessage::Kind::kWriteLog:
    case UnitMessage::Kind::kResentRow:
      return kIdBytes + kRowBytes + (words * kWriteWordBits + 7) / 8;
    case UnitMessage::Kind::kDoneFill:
      return kIdBytes + 2 * kMaskBytes + 2 * kCountBytes;
    case UnitMessage::Kind::kFinal:
      return kIdBytes + kMaskBytes;
  }
  return 0;
}

}  // namespace

sim::MemoryTransaction& encode(sim::MemoryPool& pool, base::PartitionId partition,
                               const UnitMessage& message) {
  sim::MemoryTransaction& out =
      pool.allocate_message(partition, kCommitOwner, static_cast<std::uint8_t>(message.kind));
  sim::MemoryMessage& fields = out.extension.message;
  fields.posted = message.kind != UnitMessage::Kind::kCommitIds;
  fields.request_bytes = wire_bytes(message);
  fields.words[kBase] = message.group.base;
  fields.words[kLanes] = both(message.group.lanes.bits(), message.touched.bits());
  fields.words[kPass] = message.pass.bits();
  fields.words[kCore] = both(message.group.core, message.group.warp);
  fields.words[kCounts] = both(message.read_words, message.write_words);
  fields.words[kClient] = message.group.client;
  fields.words[kLast] = (message.last ? kIsLast : 0u) | (message.writes ? kIsWrites : 0u);
  unsigned at = kHeaderWords;
  for (const LogWord& word : message.words) {
    fields.words[at++] =
        word.address | std::uint64_t{word.lane} << kAddressBits | std::uint64_t{word.bytes} << 56;
    fields.words[at++] = both(word.value, word.row);
  }
  fields.word_count = static_cast<std::uint8_t>(at);
  return out;
}

UnitMessage decode_unit_message(const tlm::tlm_generic_payload& payload) {
  const sim::MemoryMessage& fields = sim::memory_message(payload);
  UnitMessage message;
  message.kind = static_cast<UnitMessage::Kind>(fields.kind);
  message.group.base = fields.words[kBase];
  message.group.lanes = LaneMask(low(fields.words[kLanes]));
  message.touched = LaneMask(high(fields.words[kLanes]));
  message.pass = LaneMask(low(fields.words[kPass]));
  message.group.core = low(fields.words[kCore]);
  message.group.warp = high(fields.words[kCore]);
  message.read_words = low(fields.words[kCounts]);
  message.write_words = high(fields.words[kCounts]);
  message.group.client = static_cast<std::uint8_t>(fields.words[kClient]);
  message.last = (fields.words[kLast] & kIsLast) != 0;
  message.writes = (fields.words[kLast] & kIsWrites) != 0;
  for (unsigned at = kHeaderWords; at < fields.word_count; at += 2) {
    LogWord word;
    word.address = fields.words[at] & ((std::uint64_t{1} << kAddressBits) - 1);
    word.lane = static_cast<std::uint8_t>(fields.words[at] >> kAddressBits & 0xff);
    word.bytes = static_cast<std::uint8_t>(fields.words[at] >> 56);
    word.value = low(fields.words[at + 1]);
    word.row = static_cast<std::uint16_t>(high(fields.words[at + 1]));
    message.words.push_back(word);
  }
  return message;
}

void encode(const CoreMessage& message, sim::MemoryMessage& notice) {
  notice.kind = kNoticeKind;
  notice.words[kBase] = message.group.base;
  notice.words[kLanes] = both(message.group.lanes.bits(), message.lanes.bits());
  notice.words[kPass] = both(message.pass.bits(), static_cast<std::uint32_t>(message.kind));
  notice.words[kCore] = both(message.group.core, message.group.warp);
  notice.word_count = kHeaderWords;
  notice.answer_bytes = kIdBytes + (message.kind == CoreMessage::Kind::kResendSets ? 2 : 1) * kMaskBytes;
}

CoreMessage decode_core_message(const sim::MemoryMessage& notice) {
  CoreMessage message;
  message.group.base = notice.words[kBase];
  message.group.lanes = LaneMask(low(notice.words[kLanes]));
  message.lanes = LaneMask(high(notice.words[kLanes]));
  message.pass = LaneMask(low(notice.words[kPass]));
  message.kind = static_cast<CoreMessage::Kind>(high(notice.words[kPass]));
  message.group.core = low(notice.words[kCore]);
  message.group.warp = high(notice.words[kCore]);
  return message;
}

void answer_commit_ids(sim::MemoryMessage& message, Cid base) {
  message.words[kBase] = base;
  message.word_count = 1;
  message.answer_bytes = kIdBytes;
}

}  // namespace heddle::tm
