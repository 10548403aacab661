#include "memory/l2_request.h"

#include <algorithm>
#include <cstring>

namespace heddle::memory {
namespace {

struct Enabled {
  bool any = false;
  bool all = true;
};

/// Whether some and whether all bytes [first, last) of a write are enabled. Enable bytes are 0 or 0xff
/// (TLM_BYTE_DISABLED, TLM_BYTE_ENABLED), so eight can be tested at a time.
Enabled enabled(const unsigned char* enables, unsigned pattern, unsigned first, unsigned last) {
  unsigned char any = 0, all = 0xff;
  unsigned i = first;
  if (pattern >= last) {
    std::uint64_t any8 = 0, all8 = ~std::uint64_t{0};
    for (; i + 8 <= last; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, enables + i, 8);
      any8 |= word;
      all8 &= word;
    }
    any = any8 != 0 ? 0xff : 0;
    all = all8 == ~std::uint64_t{0} ? 0xff : 0;
    for (; i < last; ++i) {
      any |= enables[i];
      all &= enables[i];
    }
  } else {
    for (; i < last; ++i) {
      any |= enables[i % pattern];
      all &= enables[i % pattern];
    }
  }
  return {any != 0, all == 0xff};
}

}  // namespace

L2Geometry::L2Geometry(const L2Config& config)
    : offset_mask_(config.line_bytes - 1),
      line_shift_(static_cast<unsigned>(std::countr_zero(config.line_bytes))),
      banks_(config.banks),
      sector_bytes_(config.sector_bytes == 0 ? config.line_bytes : config.sector_bytes),
      sector_shift_(static_cast<unsigned>(std::countr_zero(sector_bytes_))),
      all_sectors_(static_cast<SectorMask>((1u << (config.line_bytes >> sector_shift_)) - 1)),
      byte_masks_(config.write_miss == WriteMiss::kByteMask) {}

L2Request L2Geometry::decode(tlm::tlm_generic_payload& payload, const AddressMap& map,
                             base::Cycle now) const {
  const std::uint64_t local = map.local(payload.get_address());
  const unsigned bytes = payload.get_data_length();
  L2Request request{.payload = &payload,
                    .extension = &sim::memory_extension(payload),
                    .line = line_of(local),
                    .offset = offset_of(local),
                    .bank = bank_of(local),
                    .accepted = now};
  request.well_formed = bytes != 0 && request.offset + bytes <= line_bytes();
  if (!request.well_formed) return request;
  if (request.extension->op == sim::MemoryOp::kWrite)
    decode_write(request);
  else if (request.extension->op == sim::MemoryOp::kRead && request.extension->wanted_sectors == 0)
    request.touched = 0;
  else if (all_sectors_ == 1)
    request.touched = 1;
  else if (request.extension->op == sim::MemoryOp::kRead)
    decode_read(request);
  else
    decode_atomic(request);
  const bool write = request.extension->op == sim::MemoryOp::kWrite;
  request.needed = write && byte_masks_ ? SectorMask{0} : request.touched & ~request.covered;
  return request;
}

void L2Geometry::decode_read(L2Request& request) const {
  const unsigned bytes = request.payload->get_data_length();
  const SectorMask wanted = request.extension->wanted_sectors;
  if (wanted == sim::kAllSectors) {
    request.touched = sectors(request.offset, request.offset + bytes);
    return;
  }
  for (unsigned i = 0; i * sim::kSectorBytes < bytes; ++i) {
    if ((wanted >> i & 1u) == 0) continue;
    const unsigned first = i * sim::kSectorBytes;
    request.touched |=
        sectors(request.offset + first, request.offset + std::min(first + sim::kSectorBytes, bytes));
  }
}

void L2Geometry::decode_write(L2Request& request) const {
  const tlm::tlm_generic_payload& payload = *request.payload;
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  const unsigned pattern = payload.get_byte_enable_length();
  const std::uint32_t end = request.offset + payload.get_data_length();
  for (std::uint32_t first = request.offset; first < end;) {
    const std::uint32_t sector = first >> sector_shift_;
    const std::uint32_t last = std::min((sector + 1) << sector_shift_, end);
    const bool whole = last - first == sector_bytes_;
    const auto bit = static_cast<SectorMask>(1u << sector);
    if (enables == nullptr || pattern == 0) {
      request.touched |= bit;
      if (whole) request.covered |= bit;
    } else {
      const Enabled e = enabled(enables, pattern, first - request.offset, last - request.offset);
      if (e.any) request.touched |= bit;
      if (e.all && whole) request.covered |= bit;
    }
    first = last;
  }
}

void L2Geometry::decode_atomic(L2Request& request) const {
  const sim::MemoryExtension& ext = *request.extension;
  const unsigned width = isa::type_bytes(ext.atomic_type);
  const unsigned count = std::min<unsigned>(ext.atomic_count, static_cast<unsigned>(ext.atomics.size()));
  // The atomic unit rejects lanes outside the payload.
  for (unsigned i = 0; i < count; ++i) {
    const std::uint32_t first = request.offset + ext.atomics[i].offset;
    if (width != 0 && first + width <= line_bytes()) request.touched |= sectors(first, first + width);
  }
  if (request.touched == 0)
    request.touched = sectors(request.offset, request.offset + request.payload->get_data_length());
}

}  // namespace heddle::memory
