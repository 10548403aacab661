// What a texture or surface instruction means, without time: its objects, coordinates, texels, and what becomes of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/memory/access_check.h"
#include "core/memory/address_resolver.h"
#include "core/memory/memory_instruction.h"
#include "host/allocation.h"
#include "isa/texture.h"

namespace heddle::core {

/// What the lanes of an instruction name.
struct TextureObjects {
  std::vector<isa::TextureHeader> headers;
  std::array<std::uint8_t, kLanes> header_of{};

  [[nodiscard]] const isa::TextureHeader& of(unsigned lane) const { return headers[header_of[lane]]; }
};
using TextureFootprints = std::array<isa::TextureFootprint, kLanes>;

class TextureAccess {
 public:
  /// Bytes of device memory; false: they are not there, or no kernel may read them.
  using Read = std::function<bool(std::uint64_t address, std::span<std::byte> bytes)>;

  TextureAccess(std::uint32_t line_bytes, const host::AllocationTable& allocations, AddressResolver& resolver)
      : line_bytes_(line_bytes), allocations_(allocations), resolver_(resolver) {}

  /// The objects of an instruction. Throws base::KernelFault for a handle of no such object.
  void collect(TextureObjects& objects, const MemoryInstruction& op, const AccessContext& context,
               const Read& read) const;
  /// Sources of every lane behind the handle.
  [[nodiscard]] std::array<isa::TextureCoordinates, kLanes> coordinates_of(
      const MemoryInstruction& op, const isa::TextureOp& texture) const;
  /// Where a lane's access to a surface goes. Throws base::KernelFault if it is misaligned, or outside where that traps.
  [[nodiscard]] static isa::SurfacePlace place_of(const MemoryInstruction& op, const AccessContext& context,
                                                  unsigned lane, const isa::TextureHeader& header,
                                                  const isa::TextureCoordinates& at);
  /// A kSurfaceStore: fills in addresses, data and accesses of the lanes that store.
  void resolve_store(MemoryInstruction& op, const AccessContext& context, const Read& read) const;

 private:
  std::uint32_t line_bytes_;
  const host::AllocationTable& allocations_;
  AddressResolver& resolver_;
};

/// What a fetch gives a lane. `texels`: kTexelBytes each.
void write_texture_result(const MemoryInstruction& op, unsigned lane, const isa::TextureHeader& header,
                          const isa::TextureFootprint& footprint, std::byte* texels);

/// ... and all lanes; texels(lane): theirs.
template <class Texels>
void write_texture_results(const MemoryInstruction& op, const TextureObjects& objects,
                           const TextureFootprints& footprints, Texels&& texels) {
  op.mask.for_each([&](unsigned lane) {
    write_texture_result(op, lane, objects.of(lane), footprints[lane], texels(lane));
  });
}

}  // namespace heddle::core
