// The transaction that travels between a core and a memory partition: a pooled generic payload with one
// extension.
//
// Protocol (approximately timed, own traits so that the extension is not "ignorable"): BEGIN_REQ / END_REQ on
// the way to the partition, BEGIN_RESP / END_RESP on the way back; back-pressure is a late END_REQ or
// END_RESP. At most one request and one response per socket are between their BEGIN and END. Requests of one
// core to one partition stay in order; so do requests to one address within a partition.
//
// Payload fields as in the standard: command READ or WRITE (atomics: WRITE command with op == kAtomic),
// address of the line's first byte, data pointer to kMaxLineBytes of storage inside the transaction, data
// length = line bytes, byte enables (writes: 0xff for bytes to write; reads: not used), response status.
//
// Messages (sim/memory_message.h) go to the partition that their sender names, in order with everything else of
// their core, and are answered by the unit that is bound there (memory/partition_unit.h). Command IGNORE. A posted
// message ends with its END_REQ: no BEGIN_RESP follows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

#include "base/ids.h"
#include "isa/atomic.h"
#include "sim/memory_message.h"

namespace heddle::sim {

inline constexpr unsigned kMaxLineBytes = 128;
inline constexpr unsigned kSectorBytes = 32;  ///< granularity in which data travels (one DRAM atom)

/// A set of a line's sectors; bit i stands for the i-th.
using SectorMask = std::uint8_t;
inline constexpr SectorMask kAllSectors = 0xff;
static_assert(kMaxLineBytes / kSectorBytes <= 8, "SectorMask has a bit for every sector of a line");

struct MemoryProtocol {
  using tlm_payload_type = tlm::tlm_generic_payload;
  using tlm_phase_type = tlm::tlm_phase;
};

enum class MemoryOp : std::uint8_t {
  kRead,     ///< fills the data array
  kWrite,    ///< writes the enabled bytes; the response (an acknowledgement) carries no data
  kAtomic,   ///< read-modify-write per lane at the partition's atomic unit; the response carries the old
             ///< values
  kMessage,  ///< MemoryExtension::message, for the unit at `partition`
};

/// Initiator of what a partition unit asks of the L2: no core has this number. The responses end at the unit.
inline constexpr base::CoreId kUnitInitiator{0xffff'ffffu};

/// One lane's part of an atomic transaction, executed in array order.
struct LaneAtomic {
  std::uint8_t lane = 0;
  std::uint8_t offset = 0;    ///< byte offset in the line, naturally aligned
  std::int16_t warp = 0;      ///< the lane's warp, counted from MemoryExtension::warp
  std::uint64_t operand = 0;  ///< operand b (cas: the new value)
  std::uint64_t compare = 0;  ///< cas only
  std::uint64_t old = 0;      ///< answer: value before the operation
};

/// Mandatory extension of every core <-> partition transaction.
class MemoryExtension : public tlm::tlm_extension<MemoryExtension> {
 public:
  MemoryOp op = MemoryOp::kRead;
  base::CoreId core{};  ///< where the response goes
  base::PartitionId
      partition{};  ///< where the request goes; named by the sender of a message, or with `to_partition`
  bool to_partition = false;  ///< a read that wants no sector, of whichever line: it goes to `partition`
  std::uint32_t tag = 0;      ///< the initiator's own index, returned untouched
  std::uint8_t client = 0;    ///< which of the initiator's blocks asked, returned untouched
  bool bypass_l1 = false;     ///< the initiator did not look into its L1
  /// Reads: the sectors of kSectorBytes, counted from the payload's first byte, that the initiator wants.
  /// Only they travel back and are filled in; bits beyond the payload mean nothing.
  SectorMask wanted_sectors = kAllSectors;
  isa::AtomicOp atomic_op = isa::AtomicOp::kAdd;
  isa::Type atomic_type = isa::Type::kU32;
  bool atomic_returns = true;  ///< false for `red`: no old values travel back
  std::uint8_t atomic_count = 0;
  std::uint64_t warp = 0;     ///< atomics: number of the warp in its grid; see LaneAtomic::warp
  base::Cycle issued_at = 0;  ///< core cycle at which the initiator sent it, for latency statistics
  /// Reads: the answer to a read that another core sent in this core cycle or later serves as well; kNever: none does
  /// (memory/request_coalescer.h).
  base::Cycle join_from = base::kNever;
  bool joined = false;      ///< the network's: others may wait for this read's answer
  bool follows = false;     ///< the network's: it gets another one's answer
  std::uint64_t order = 0;  ///< how many requests the core's port had put on the network, this one included
  std::array<LaneAtomic, 32> atomics{};
  /// Messages. Its words may also bring a unit's remark on an ordinary response to a block that expects one (the
  /// time stamp of a transactional load, [WarpTM] §6.4).
  MemoryMessage message;

  [[nodiscard]] bool posted() const { return op == MemoryOp::kMessage && message.posted; }

  tlm::tlm_extension_base* clone() const override { return new MemoryExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const MemoryExtension&>(other);
  }
};

/// Bytes on the wire of a request or response, header included (crossbar bandwidth).
struct PacketSizes {
  std::uint32_t header_bytes = 8;
  [[nodiscard]] std::uint32_t request_bytes(const tlm::tlm_generic_payload& payload,
                                            const MemoryExtension& ext) const;
  [[nodiscard]] std::uint32_t response_bytes(const tlm::tlm_generic_payload& payload,
                                             const MemoryExtension& ext) const;
};

/// A transaction with its storage; lives in the pool, is handed around as tlm_generic_payload.
class MemoryTransaction : public tlm::tlm_generic_payload {
 public:
  explicit MemoryTransaction(tlm::tlm_mm_interface* pool);
  ~MemoryTransaction() override;
  MemoryExtension extension;
  std::array<unsigned char, kMaxLineBytes> data{};
  std::array<unsigned char, kMaxLineBytes> enables{};
};

/// The extension of a payload of this protocol: they all are MemoryTransactions. (get_extension() finds it
/// too, by a call and two look-ups in memory that nobody else touches.)
[[nodiscard]] inline MemoryExtension& memory_extension(tlm::tlm_generic_payload& payload) {
  return static_cast<MemoryTransaction&>(payload).extension;
}

[[nodiscard]] inline const MemoryMessage& memory_message(const tlm::tlm_generic_payload& payload) {
  return static_cast<const MemoryTransaction&>(payload).extension.message;
}

/// Reference-counted transactions, reused. allocate() returns one with reference count 1 (call release() when
/// done); everybody who keeps a payload beyond the call acquires it, as the standard asks.
class MemoryPool : public tlm::tlm_mm_interface {
 public:
  MemoryPool() = default;
  ~MemoryPool() override;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// Reset to a read of `bytes` at `line_address`, a write that enables none of them, an atomic without lanes or a
  /// message without words; `bytes` of a message: of its line image, 0 for none.
  MemoryTransaction& allocate(MemoryOp op, std::uint64_t line_address, unsigned bytes);
  MemoryTransaction& allocate_message(base::PartitionId partition, MessageOwner owner, std::uint8_t kind);
  void free(tlm::tlm_generic_payload* payload) override;
  [[nodiscard]] std::size_t in_use() const { return in_use_; }
  [[nodiscard]] std::size_t created() const { return all_.size(); }

 private:
  std::vector<std::unique_ptr<MemoryTransaction>> all_;
  std::vector<MemoryTransaction*> free_;
  std::size_t in_use_ = 0;
};

}  // namespace heddle::sim
