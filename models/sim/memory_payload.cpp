#include "sim/memory_payload.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "sim/memory_socket.h"

namespace heddle::sim {
namespace {

/// Sectors of the payload that hold at least one enabled byte: written data travels in whole sectors, their
/// byte mask in the header.
unsigned written_sectors(const tlm::tlm_generic_payload& payload) {
  const unsigned bytes = payload.get_data_length();
  const unsigned char* enables = payload.get_byte_enable_ptr();
  const unsigned pattern = payload.get_byte_enable_length();
  const unsigned sectors = (bytes + kSectorBytes - 1) / kSectorBytes;
  if (enables == nullptr || pattern == 0) return sectors;
  unsigned count = 0;
  for (unsigned first = 0; first < bytes; first += kSectorBytes) {
    const unsigned end = first + kSectorBytes < bytes ? first + kSectorBytes : bytes;
    unsigned char any = 0;
    if (pattern >= bytes)
      for (unsigned i = first; i < end; ++i) any |= enables[i];
    else
      for (unsigned i = first; i < end; ++i) any |= enables[i % pattern];
    count += any != 0;
  }
  return count;
}

/// Bytes of the payload that lie in the wanted sectors.
unsigned wanted_bytes(unsigned bytes, SectorMask wanted) {
  if (wanted == kAllSectors) return bytes;
  unsigned sum = 0;
  for (unsigned i = 0; i * kSectorBytes < bytes; ++i)
    if ((wanted >> i & 1u) != 0) sum += std::min(kSectorBytes, bytes - i * kSectorBytes);
  return sum;
}

}  // namespace

std::uint32_t PacketSizes::request_bytes(const tlm::tlm_generic_payload& payload,
                                         const MemoryExtension& ext) const {
  switch (ext.op) {
    case MemoryOp::kRead:
      return header_bytes;
    case MemoryOp::kWrite:
      return header_bytes + written_sectors(payload) * kSectorBytes;
    case MemoryOp::kAtomic: {
      const unsigned operands = isa::compares(ext.atomic_op) ? 2 : 1;
      return header_bytes + operands * ext.atomic_count * isa::type_bytes(ext.atomic_type);
    }
    case MemoryOp::kMessage:
      return header_bytes + ext.message.request_bytes;
  }
  return header_bytes;
}

std::uint32_t PacketSizes::response_bytes(const tlm::tlm_generic_payload& payload,
                                          const MemoryExtension& ext) const {
  switch (ext.op) {
    case MemoryOp::kRead:
      return header_bytes + wanted_bytes(payload.get_data_length(), ext.wanted_sectors);
    case MemoryOp::kWrite:
      return header_bytes;
    case MemoryOp::kAtomic:
      return header_bytes + (ext.atomic_returns ? ext.atomic_count * isa::type_bytes(ext.atomic_type) : 0u);
    case MemoryOp::kMessage:
      return header_bytes + ext.message.answer_bytes;
  }
  return header_bytes;
}

namespace {

/// All of it but the words, of which only `word_count` mean something.
void reset_message(MemoryMessage& message) {
  message.owner = {};
  message.kind = 0;
  message.posted = false;
  message.word_count = 0;
  message.request_bytes = message.answer_bytes = 0;
}

}  // namespace

MemoryTransaction::MemoryTransaction(tlm::tlm_mm_interface* pool) : tlm::tlm_generic_payload(pool) {
  set_extension(&extension);
}

// The payload's destructor would free() the extension, which is a member here.
MemoryTransaction::~MemoryTransaction() { clear_extension(&extension); }

MemoryPool::~MemoryPool() = default;

MemoryTransaction& MemoryPool::allocate(MemoryOp op, std::uint64_t line_address, unsigned bytes) {
  if (bytes > kMaxLineBytes) throw std::length_error("memory transaction longer than kMaxLineBytes");
  if (free_.empty()) {
    all_.push_back(std::make_unique<MemoryTransaction>(this));
    free_.push_back(all_.back().get());
  }
  MemoryTransaction& t = *free_.back();
  free_.pop_back();
  ++in_use_;

  t.acquire();
  t.set_command(op == MemoryOp::kRead ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
  t.set_address(line_address);
  t.set_data_ptr(t.data.data());
  t.set_data_length(bytes);
  t.set_streaming_width(bytes);
  t.set_dmi_allowed(false);
  t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  if (op == MemoryOp::kWrite) {
    std::memset(t.enables.data(), 0, bytes);
    t.set_byte_enable_ptr(t.enables.data());
    t.set_byte_enable_length(bytes);
  } else {
    t.set_byte_enable_ptr(nullptr);
    t.set_byte_enable_length(0);
  }
  MemoryExtension& e = t.extension;
  e.op = op;
  e.core = base::CoreId{};
  e.partition = base::PartitionId{};
  e.to_partition = false;
  e.tag = 0;
  e.bypass_l1 = false;
  e.wanted_sectors = kAllSectors;
  e.atomic_op = isa::AtomicOp::kAdd;
  e.atomic_type = isa::Type::kU32;
  e.atomic_returns = true;
  e.atomic_count = 0;  // the lanes themselves are only read up to the count
  e.issued_at = 0;
  e.join_from = base::kNever;
  e.follows = false;
  e.joined = false;
  if (op == MemoryOp::kMessage) {
    t.set_command(tlm::TLM_IGNORE_COMMAND);
    if (bytes != 0) {
      std::memset(t.enables.data(), 0, bytes);
      t.set_byte_enable_ptr(t.enables.data());
      t.set_byte_enable_length(bytes);
    }
    reset_message(e.message);
  }
  return t;
}

MemoryTransaction& MemoryPool::allocate_message(base::PartitionId partition, MessageOwner owner,
                                                std::uint8_t kind) {
  MemoryTransaction& t = allocate(MemoryOp::kMessage, 0, 0);
  t.extension.partition = partition;
  t.extension.message.owner = owner;
  t.extension.message.kind = kind;
  return t;
}

void log_memory(SocketLog& log, std::size_t socket, tlm::tlm_generic_payload& payload, unsigned phase) {
  const MemoryExtension& extension = memory_extension(payload);
  const std::array<std::uint64_t, kMemoryFields.size()> values{phase,
                                                               socket_number(extension.op),
                                                               extension.core.value(),
                                                               payload.get_address(),
                                                               payload.get_data_length(),
                                                               extension.tag};
  log.transaction(socket, values);
}

void MemoryPool::free(tlm::tlm_generic_payload* payload) {
  --in_use_;
  free_.push_back(static_cast<MemoryTransaction*>(payload));
}

}  // namespace heddle::sim
