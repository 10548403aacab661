// A memory instruction in flight in the load/store unit: the accesses it needs, its lanes' addresses and
// data.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "core/memory/lane_offsets.h"
#include "core/warp_context.h"
#include "isa/instruction.h"
#include "sim/memory_payload.h"

namespace heddle::core {

/// Lanes of the instruction that share a line (one L1 access; one transaction if it goes to L2) or an address
/// in constant memory (one access of the constant cache). Which bytes of a lane's data it is about: all of
/// them, except that local memory, which interleaves 32-bit words by lane, has an access per word.
struct LineAccess {
  std::uint64_t line = 0;  ///< address of the block's first byte
  LaneMask lanes;
  Shape shape = Shape::kScattered;
  std::uint8_t offset = 0;  ///< of the lowest lane in the block
  std::uint8_t part = 0;    ///< local memory: which 32-bit word of each lane's data
  bool local = false;
};

/// Vectors in local memory have up to four words per lane, each possibly in a line of its own.
inline constexpr unsigned kMaxAccesses = 4 * kLanes;
inline constexpr unsigned kMaxLaneBytes = 16;

/// Word w of lane l of a warp's local memory lies at base + w * kLocalRowBytes + l * 4, so that the same
/// offset in every lane is one line (tbc-and-kilotm §1).
inline constexpr unsigned kLocalWordBytes = 4;
inline constexpr std::uint64_t kLocalRowBytes = std::uint64_t{kLocalWordBytes} * kLanes;

struct MemoryInstruction {
  // The first cache lines of the host hold what every instruction needs.
  const isa::Instruction* instruction = nullptr;
  WarpContext* warp = nullptr;
  std::byte* registers = nullptr;  ///< the warp's register block
  Cycle ready_at = 0;              ///< earliest write-back
  Cycle issued_at = 0;
  Cycle available_at = 0;   ///< its operands are collected
  std::uint32_t index = 0;  ///< own position in the pool
  std::uint32_t next = 0;   ///< in a list of the load/store unit
  WarpId warp_id{};
  LaneMask mask;                   ///< lanes that access memory
  LaneMask shared_lanes;           ///< of these, lanes that access shared memory
  std::uint32_t shared_first = 0;  ///< byte offset of the lowest of them in the core's shared memory
  std::uint16_t shared_passes = 0;
  std::uint16_t access_count = 0;  ///< used entries of `accesses`
  std::uint16_t next_access = 0;   ///< first of them not yet served
  std::uint16_t pending = 0;       ///< parts (accesses, shared part) whose data or acknowledgement is missing
  Shape shared_shape = Shape::kScattered;
  std::uint8_t bytes = 4;       ///< per lane
  std::uint8_t generation = 0;  ///< watchdog: which generation of writes it belongs to
  bool shared_done = false;
  bool write_granted = false;  ///< the register file gave it the cycle it finishes in
  bool bypass_l1 = false;      ///< global accesses
  bool constant = false;       ///< goes to the constant cache
  bool table = false;          ///< moves an entry of a control-flow table (table_traffic.h)

  /// Only this core reads and writes what it accesses: L1 may keep it as it keeps local memory.
  [[nodiscard]] bool is_private(const LineAccess& access) const { return access.local || table; }

  // Used as far as the instruction needs it.
  LaneRuns runs;  ///< kRuns: device addresses; shared lanes: byte offsets in the core's shared memory
  std::array<LineAccess, kMaxAccesses> accesses;
  /// kScattered only. Shared lanes: byte offset in the core's shared memory; others: device address (local
  /// memory: of the lane's first word).
  alignas(64) std::array<std::uint64_t, kLanes> address;
  alignas(
      64) std::array<unsigned char, std::size_t{kLanes} * kMaxLaneBytes> data;  ///< stores: `bytes` per lane
  std::array<std::uint64_t, kLanes> operand;                                    ///< atomics
  std::array<std::uint64_t, kLanes> compare;                                    ///< cas

  /// The lanes' places in the block of an access.
  [[nodiscard]] LaneOffsets places(const LineAccess& access) const {
    return {access.lanes,   access.shape, access.offset, access.line - access.part * kLocalRowBytes,
            address.data(), &runs};
  }
  [[nodiscard]] LaneOffsets shared_offsets() const {
    return {shared_lanes, shared_shape, shared_first, 0, address.data(), &runs};
  }
  /// Bytes of a lane's data that an access moves, and where they begin in it.
  [[nodiscard]] unsigned unit(const LineAccess& access) const {
    return access.local && bytes > kLocalWordBytes ? kLocalWordBytes : bytes;
  }
  [[nodiscard]] static unsigned first_byte(const LineAccess& access) { return access.part * kLocalWordBytes; }
  [[nodiscard]] const unsigned char* data_of(unsigned lane) const {
    return data.data() + std::size_t{lane} * bytes;
  }
};

}  // namespace heddle::core
