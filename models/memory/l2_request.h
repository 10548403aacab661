// A request as an L2 slice sees it, and the line, bank and sectors it belongs to.
#pragma once

#include <bit>
#include <cstdint>

#include "base/divisor.h"
#include "memory/address_map.h"
#include "memory/config.h"
#include "sim/memory_payload.h"

namespace heddle::memory {

using sim::SectorMask;

/// Computed once, when the request is accepted. Addresses are channel-local.
struct L2Request {
  tlm::tlm_generic_payload* payload = nullptr;
  sim::MemoryExtension* extension = nullptr;
  std::uint64_t line = 0;    ///< address of the line's first byte
  std::uint32_t offset = 0;  ///< of the payload in the line
  std::uint32_t bank = 0;
  SectorMask touched = 0;    ///< sectors read or written
  SectorMask covered = 0;    ///< sectors that a write overwrites completely
  SectorMask needed = 0;     ///< of `touched`, sectors that must be valid
  bool well_formed = false;  ///< false: empty, or not within one line
  base::Cycle accepted = 0;

  [[nodiscard]] unsigned kind() const { return static_cast<unsigned>(extension->op); }
};

/// A remark on the response to a partition unit's own request, in this word of its message: 1: the L2 did not have all of it. A
/// unit that reads it clears it before it sends.
inline constexpr unsigned kFetchedWord = 1;

/// Lines, banks and sectors of a slice. Lines are distributed over the banks: bank = line number mod banks. A
/// slice without sectors has a single sector per line.
class L2Geometry {
 public:
  explicit L2Geometry(const L2Config& config);

  [[nodiscard]] std::uint64_t line_of(std::uint64_t local) const { return local & ~offset_mask_; }
  [[nodiscard]] std::uint32_t offset_of(std::uint64_t local) const {
    return static_cast<std::uint32_t>(local & offset_mask_);
  }
  [[nodiscard]] std::uint64_t line_number(std::uint64_t local) const { return local >> line_shift_; }
  [[nodiscard]] std::uint32_t bank_of(std::uint64_t local) const {
    return static_cast<std::uint32_t>(banks_.remainder(line_number(local)));
  }
  [[nodiscard]] std::uint32_t banks() const { return static_cast<std::uint32_t>(banks_.value()); }
  /// Number of lines of its bank that precede the line.
  [[nodiscard]] std::uint64_t number_in_bank(std::uint64_t line) const {
    return banks_.quotient(line_number(line));
  }
  [[nodiscard]] std::uint32_t line_bytes() const { return static_cast<std::uint32_t>(offset_mask_) + 1; }
  [[nodiscard]] std::uint32_t sector_bytes() const { return sector_bytes_; }
  /// Sectors that hold some byte of [first, last) of the line.
  [[nodiscard]] SectorMask sectors(std::uint32_t first, std::uint32_t last) const {
    const std::uint32_t from = first >> sector_shift_, to = (last - 1) >> sector_shift_;
    return static_cast<SectorMask>((2u << to) - (1u << from));
  }

  /// The payload carries a MemoryExtension.
  [[nodiscard]] L2Request decode(tlm::tlm_generic_payload& payload, const AddressMap& map,
                                 base::Cycle now) const;

 private:
  void decode_read(L2Request& request) const;
  void decode_write(L2Request& request) const;
  void decode_atomic(L2Request& request) const;

  std::uint64_t offset_mask_;
  unsigned line_shift_;
  base::Divisor banks_;
  std::uint32_t sector_bytes_;
  unsigned sector_shift_;
  SectorMask all_sectors_;
  bool byte_masks_;  ///< a write needs no sector
};

}  // namespace heddle::memory
