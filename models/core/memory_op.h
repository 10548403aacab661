// A memory instruction in flight in the load/store unit: its lanes' addresses, its data, and the line
// accesses it needs.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "core/warp_context.h"
#include "isa/instruction.h"
#include "sim/memory_payload.h"

namespace heddle::core {

using sim::kLanes;

/// Up to 16 bytes per lane (v4 of 32-bit, v2 of 64-bit elements), word-major: byte b of lane l is byte b%4 of
/// words[b/4][l], so that a 32-bit element of all lanes is one contiguous register row.
struct LaneData {
  alignas(64) std::array<std::array<std::uint32_t, kLanes>, 4> words;

  void put(unsigned lane, unsigned byte, const unsigned char* from, unsigned size) {
    if (size == 4 && byte % 4 == 0) {
      std::memcpy(&words[byte / 4][lane], from, 4);
      return;
    }
    for (unsigned i = 0; i < size;) {
      const unsigned at = byte + i;
      const unsigned part = std::min(size - i, 4 - at % 4);
      std::memcpy(reinterpret_cast<unsigned char*>(&words[at / 4][lane]) + at % 4, from + i, part);
      i += part;
    }
  }
  void get(unsigned lane, unsigned byte, unsigned char* to, unsigned size) const {
    for (unsigned i = 0; i < size;) {
      const unsigned at = byte + i;
      const unsigned part = std::min(size - i, 4 - at % 4);
      std::memcpy(to + i, reinterpret_cast<const unsigned char*>(&words[at / 4][lane]) + at % 4, part);
      i += part;
    }
  }
};

/// Contiguous bytes of one lane within one line.
struct Piece {
  std::uint8_t lane = 0;
  std::uint8_t byte = 0;  ///< in the lane's data
  std::uint8_t size = 0;
  std::uint8_t line_offset = 0;
};

/// One line touched by the instruction: one L1 access, one transaction if it goes to L2.
struct LineAccess {
  std::uint64_t line = 0;   ///< address of the line's first byte
  std::uint16_t first = 0;  ///< index of its first piece
  std::uint16_t count = 0;
};

inline constexpr unsigned kMaxPieces = 4 * kLanes;  ///< local memory: up to 4 words per lane, each a piece

/// Result of coalescing: pieces grouped by line, lines in order of their lowest lane.
struct Coalesced {
  unsigned piece_count = 0;
  unsigned access_count = 0;
  std::array<LineAccess, kMaxPieces> accesses;
  std::array<Piece, kMaxPieces> pieces;
};

struct MemoryOp {
  std::uint32_t index = 0;  ///< own position in the pool
  const isa::Instruction* instruction = nullptr;
  WarpId warp{};
  LaneMask mask;              ///< lanes that access memory
  LaneMask shared_lanes;      ///< of these, lanes that access shared memory
  unsigned next_access = 0;   ///< first access not yet sent
  std::uint32_t pending = 0;  ///< parts (line accesses, constant addresses, shared part) not yet served
  Cycle ready_at = 0;         ///< earliest write-back
  Cycle issued_at = 0;
  Cycle available_at = 0;       ///< its operands are collected
  std::uint8_t generation = 0;  ///< watchdog: which generation of writes it belongs to
  bool shared_done = false;
  bool write_granted = false;  ///< the register file gave it the cycle it finishes in
  bool bypass_l1 = false;
  bool constant = false;  ///< goes to the constant cache: each access of `coalesced` is one address
  bool uniform = false;   ///< constant: all lanes have the address of accesses[0], there are no pieces

  // Read and written as far as the instruction needs it: the arrays span many cache lines of the host.
  Coalesced coalesced;  ///< of the lanes that access device or constant memory
  std::array<std::uint64_t, kLanes>
      address;  ///< shared lanes: byte offset in the core's shared memory; others: device address
  LaneData data;
  std::array<std::uint64_t, kLanes> operand;  ///< atomics
  std::array<std::uint64_t, kLanes> compare;  ///< cas

  [[nodiscard]] unsigned bytes_per_lane() const {
    return isa::type_bytes(instruction->type) * instruction->vector;
  }
};

}  // namespace heddle::core
