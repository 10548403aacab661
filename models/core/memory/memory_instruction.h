// An operation in flight in the load/store unit: its owner, the accesses it needs, its lanes' addresses and
// data.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/memory/lane_offsets.h"
#include "core/memory/register_transfer.h"
#include "core/memory/write_order.h"
#include "core/protocols/lsu_protocol.h"
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
/// offset in every lane is one line ([Fung15] §2.3.3).
inline constexpr unsigned kLocalWordBytes = 4;
inline constexpr std::uint64_t kLocalRowBytes = std::uint64_t{kLocalWordBytes} * kLanes;

/// A row of 64-bit registers.
using GatheredRow = std::array<std::byte, std::size_t{kLanes} * 8>;

struct MemoryInstruction {
  // The first cache lines of the host hold what every instruction needs.
  const isa::Instruction* instruction = nullptr;
  Cycle ready_at = 0;  ///< earliest write-back
  Cycle issued_at = 0;
  Cycle available_at = 0;             ///< its operands are collected
  WriteOrder::Mark write_number = 0;  ///< of one that writes memory
  std::uint32_t index = 0;            ///< in the pool
  std::uint32_t next = 0;             ///< in a list of the load/store unit
  std::uint32_t tag = 0;              ///< the client's
  LaneMask mask;                      ///< lanes that access memory
  LaneMask shared_lanes;              ///< of these, lanes that access shared memory
  std::uint32_t shared_first = 0;     ///< byte offset of the lowest of them in the core's shared memory
  std::uint16_t shared_passes = 0;
  std::uint16_t passes_without_conflict = 1;  ///< of these
  std::uint16_t access_count = 0;             ///< used entries of `accesses`
  std::uint16_t line_passes = 0;              ///< that serve them, evenly; 0: one each
  std::uint16_t next_access = 0;              ///< first of them not yet served
  std::uint16_t pending = 0;  ///< parts (accesses, shared part) whose data or acknowledgement is missing
  Shape shared_shape = Shape::kScattered;
  LsuClient client = LsuClient::kCore;
  std::uint8_t slice_count = 1;
  std::uint8_t bytes = 4;  ///< per lane
  bool shared_done = false;
  bool write_granted = false;              ///< the register file gave it the cycle it finishes in
  bool bypass_l1 = false;                  ///< global accesses
  bool constant = false;                   ///< goes to the constant cache
  bool core_private = false;               ///< only this core reads and writes what it accesses
  std::array<MemorySlice, kLanes> slices;  ///< `slice_count` of them; a static warp's operation has one

  // Used as far as the instruction needs it.
  std::array<std::uint8_t, kLanes> slice_of_lane;  ///< several slices only
  LaneRuns runs;  ///< kRuns: device addresses; shared lanes: byte offsets in the core's shared memory
  std::array<LineAccess, kMaxAccesses> accesses;
  /// kScattered only. Shared lanes: byte offset in the core's shared memory; others: device address (local
  /// memory: of the lane's first word).
  alignas(64) std::array<std::uint64_t, kLanes> address;
  alignas(64)
      std::array<unsigned char, std::size_t{kLanes} *
                                    kMaxLaneBytes> data;  ///< stores, asynchronous copies: `bytes` per lane
  /// Atomics; asynchronous copies: byte offsets in the core's shared memory.
  std::array<std::uint64_t, kLanes> operand;
  std::array<std::uint64_t, kLanes> compare;  ///< cas; asynchronous copies: bytes that are read

  /// Takes over the slices of a request.
  void take(std::span<const MemorySlice> from) {
    slice_count = static_cast<std::uint8_t>(from.size());
    slices[0] = from[0];
    mask = from[0].lanes;
    if (slice_count != 1) [[unlikely]]
      take_many(from);
  }
  [[nodiscard]] std::span<const MemorySlice> all_slices() const { return {slices.data(), slice_count}; }
  template <class Fn>
  void for_each_slice(Fn&& fn) const {
    fn(slices[0]);
    for (unsigned s = 1; s < slice_count; ++s) [[unlikely]] fn(slices[s]);
  }
  /// The slice that a lane belongs to.
  [[nodiscard]] const MemorySlice& slice(unsigned lane) const {
    return slices[slice_count == 1 ? 0 : slice_of_lane[lane]];
  }
  /// The lanes' values of an operand that is no constant: one slice's row itself, of several slices collected
  /// in `row`.
  [[nodiscard]] const std::byte* gather(const isa::Operand& source, GatheredRow& row) const {
    if (slice_count == 1) [[likely]]
      return block_of(slices[0], source) + source.offset;
    return gather_many(source, row);
  }
  /// load_registers() into the rows of all slices.
  void load(const LaneOffsets& at, unsigned byte, unsigned unit_bytes, const unsigned char* block) {
    if (instruction->op == isa::Opcode::kAsyncCopy) [[unlikely]]
      hold(at, byte, unit_bytes, block);
    else if (slice_count == 1) [[likely]]
      load_registers(*instruction, slices[0].registers, at, byte, unit_bytes, block);
    else
      load_many(at, byte, unit_bytes, block);
  }
  /// load_lane() into the row of the lane's slice.
  void load_one(unsigned lane, unsigned byte, unsigned unit_bytes, const unsigned char* from);

  /// Where an access finds the lanes in its block.
  [[nodiscard]] LaneOffsets offsets(const LineAccess& access) const {
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
  /// L1 may keep the line as it keeps local memory.
  [[nodiscard]] bool is_private(const LineAccess& access) const { return access.local || core_private; }

 private:
  /// An asynchronous copy's bytes stay in `data` until all of them are there.
  [[gnu::noinline]] void hold(const LaneOffsets& at, unsigned byte, unsigned unit_bytes,
                              const unsigned char* block);
  void take_many(std::span<const MemorySlice> from);
  void load_many(const LaneOffsets& at, unsigned byte, unsigned unit_bytes, const unsigned char* block) const;
  const std::byte* gather_many(const isa::Operand& source, GatheredRow& row) const;
  static const std::byte* block_of(const MemorySlice& from, const isa::Operand& source) {
    return source.space == isa::RowSpace::kSpecial ? from.special : from.sources;
  }
};

}  // namespace heddle::core
