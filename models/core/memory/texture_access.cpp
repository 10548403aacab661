#include "core/memory/texture_access.h"

#include <fmt/format.h>

#include <cstring>

#include "core/memory/coalescer.h"
#include "core/memory/register_transfer.h"

namespace heddle::core {
namespace {

isa::TextureHeader header_at(const MemoryInstruction& op, const AccessContext& context, unsigned lane,
                             std::uint64_t handle, const TextureAccess::Read& read) {
  isa::TextureHeader header;
  if (!read(handle, std::as_writable_bytes(std::span(&header, 1)))) header.magic = 0;
  const auto texture = isa::TextureOp::unpack(op.instruction->immediate);
  if (const char* const wrong = isa::texture_mismatch(header, texture))
    fail_access(
        context, op, lane, fmt::format("handle 0x{:x}: {}", handle, wrong),
        "pass what cudaCreateTextureObject or cudaCreateSurfaceObject returned, and has not been destroyed");
  return header;
}

}  // namespace

std::array<isa::TextureCoordinates, kLanes> TextureAccess::coordinates_of(
    const MemoryInstruction& op, const isa::TextureOp& texture) const {
  std::array<isa::TextureCoordinates, kLanes> all{};
  for (unsigned c = 0; c < texture.coordinates(); ++c) {
    const isa::Operand& source = op.instruction->src[1 + c];
    const std::byte* const values = resolver_.row_of(op, source);
    op.mask.for_each([&](unsigned lane) {
      all[lane][c] = static_cast<std::uint32_t>(lane_value(values, source.width, lane));
    });
  }
  return all;
}

void TextureAccess::collect(TextureObjects& objects, const MemoryInstruction& op,
                            const AccessContext& context, const Read& read) const {
  const isa::Operand& source = op.instruction->src[0];
  const std::byte* const values = resolver_.row_of(op, source);
  std::vector<std::uint64_t> handles;
  objects.headers.clear();
  op.mask.for_each([&](unsigned lane) {
    const std::uint64_t handle = lane_value(values, source.width, lane);
    const auto known = std::find(handles.begin(), handles.end(), handle);
    objects.header_of[lane] = static_cast<std::uint8_t>(known - handles.begin());
    if (known != handles.end()) return;
    handles.push_back(handle);
    objects.headers.push_back(header_at(op, context, lane, handle, read));
  });
}

isa::SurfacePlace TextureAccess::place_of(const MemoryInstruction& op, const AccessContext& context,
                                          unsigned lane, const isa::TextureHeader& header,
                                          const isa::TextureCoordinates& at) {
  const auto texture = isa::TextureOp::unpack(op.instruction->immediate);
  const isa::SurfacePlace place = isa::surface_place(header, texture, at, op.bytes);
  const auto text = [&] {
    const auto n = [&](unsigned i) { return static_cast<std::int32_t>(at[i]); };
    return texture.coordinates() == 1   ? fmt::format("({})", n(0))
           : texture.coordinates() == 2 ? fmt::format("({}, {})", n(0), n(1))
                                        : fmt::format("({}, {}, {})", n(0), n(1), n(2));
  };
  if (!place.aligned)
    fail_access(
        context, op, lane,
        fmt::format("misaligned {}-byte surface access at {}, whose x counts bytes", op.bytes, text()),
        fmt::format("x must be a multiple of {}: the index times the size of an element", op.bytes));
  if (!place.inside && texture.bounds == isa::SurfaceBounds::kTrap)
    fail_access(
        context, op, lane,
        fmt::format("a surface access at {} is outside of {} x {} x {} elements of {} bytes, and its mode "
                    "is to trap",
                    text(), header.width, header.height, header.depth, header.texel_bytes()),
        "check the coordinates, or use cudaBoundaryModeClamp or cudaBoundaryModeZero");
  return place;
}

void TextureAccess::resolve_store(MemoryInstruction& op, const AccessContext& context,
                                  const Read& read) const {
  const isa::Instruction& instruction = *op.instruction;
  const auto texture = isa::TextureOp::unpack(instruction.immediate);
  TextureObjects objects;
  collect(objects, op, context, read);
  const auto at = coordinates_of(op, texture);
  const unsigned element = op.bytes / instruction.vector;
  for (unsigned c = 0; c < instruction.vector; ++c) {
    const isa::Operand& source = instruction.src[1 + texture.coordinates() + c];
    const std::byte* const values = resolver_.row_of(op, source);
    op.mask.for_each([&](unsigned lane) {
      const std::uint64_t value = lane_value(values, source.width, lane);
      std::memcpy(op.data.data() + std::size_t{lane} * op.bytes + std::size_t{c} * element, &value, element);
    });
  }
  LaneMask inside;
  op.mask.for_each([&](unsigned lane) {
    const isa::SurfacePlace place = place_of(op, context, lane, objects.of(lane), at[lane]);
    op.address[lane] = place.address;
    if (place.inside) inside |= LaneMask(1u << lane);
  });
  op.mask = inside;
  if (inside.none()) return;
  const AddressPattern scattered{.shape = Shape::kScattered};
  check_access(context, isa::StateSpace::kGlobal, op, scattered, inside, 0, &allocations_);
  coalesce(op, scattered, inside, line_bytes_);
}

void write_texture_result(const MemoryInstruction& op, unsigned lane, const isa::TextureHeader& header,
                          const isa::TextureFootprint& footprint, std::byte* texels) {
  const isa::Instruction& instruction = *op.instruction;
  const auto texture = isa::TextureOp::unpack(instruction.immediate);
  std::byte* const registers = op.slice(lane).registers;
  if (texture.kind == isa::TextureKind::kSurface) {
    if (!footprint.texels[0].inside) std::fill_n(texels, isa::kTexelBytes, std::byte{0});
    load_lane(instruction, registers, lane, 0, op.bytes, reinterpret_cast<const unsigned char*>(texels));
    return;
  }
  std::array<std::uint32_t, 4> values{};
  if (texture.kind == isa::TextureKind::kQuery)
    values[0] = isa::texture_query(header, texture);
  else
    values = isa::sample(header, texture, instruction.type, footprint, texels);
  for (unsigned c = 0; c < instruction.vector; ++c) {
    const isa::Operand& to = instruction.dst[c];
    if (to.present)
      std::memcpy(registers + to.offset + lane * sizeof values[c], &values[c], sizeof values[c]);
  }
}

}  // namespace heddle::core
