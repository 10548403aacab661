#include "functional/memory_unit.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/execute/kernel_calls.h"
#include "core/memory/coalescer.h"
#include "core/memory/register_transfer.h"
#include "isa/atomic_answer.h"

namespace heddle::functional {

using core::LaneOffsets;
using core::LineAccess;
using core::MemoryInstruction;
using isa::Opcode;

MemoryUnit::MemoryUnit(const core::LaunchContext& launch, const host::AllocationTable& allocations,
                       MemoryImage& image)
    : launch_(launch),
      allocations_(allocations),
      image_(image),
      resolver_(kLineBytes, allocations),
      textures_(kLineBytes, allocations, resolver_),
      op_(std::make_unique<MemoryInstruction>()) {
  resolver_.begin_launch(&launch);
}

core::TextureAccess::Read MemoryUnit::reader() {
  return [this](std::uint64_t address, std::span<std::byte> bytes) {
    if (!allocations_.allows(host::Access::kKernelRead, address, bytes.size())) return false;
    image_.read(address, bytes);
    return true;
  };
}

unsigned char* MemoryUnit::block_of(Warp& warp, const LineAccess& access, bool writes) {
  if (access.local) [[unlikely]] {
    const std::uint64_t region =
        launch_.local_base + warp.context.linear_warp * launch_.local_bytes_per_thread * core::kLanes;
    return warp.local.at(access.line - region);
  }
  return writes ? image_.for_writing(access.line) : image_.for_reading(access.line);
}

void MemoryUnit::atomics(const LaneOffsets& offsets, unsigned char* block) {
  MemoryInstruction& op = *op_;
  const isa::Instruction& instruction = *op.instruction;
  const unsigned bytes = op.bytes;
  offsets.lanes.for_each([&](unsigned lane) {
    unsigned char* const at = block + offsets.offset(lane, bytes);
    std::uint64_t old = 0;
    std::memcpy(&old, at, bytes);
    const std::uint64_t value =
        isa::apply_atomic(instruction.atomic_op, instruction.type, old, op.operand[lane], op.compare[lane]);
    changes_ += std::memcmp(&old, &value, bytes) != 0 ? 1 : 0;
    std::memcpy(at, &value, bytes);
    old = isa::answer_of(instruction.atomic_op, old, op.compare[lane]);
    if (instruction.write_count != 0)
      op.load_one(lane, 0, bytes, reinterpret_cast<const unsigned char*>(&old));
  });
}

void MemoryUnit::device_part(Warp& warp) {
  MemoryInstruction& op = *op_;
  const Opcode opcode = op.instruction->op;
  const bool writes = opcode != Opcode::kLoad && opcode != Opcode::kAsyncCopy;
  for (unsigned i = 0; i < op.access_count; ++i) {
    const LineAccess& access = op.accesses[i];
    unsigned char* const block = block_of(warp, access, writes);
    const LaneOffsets offsets = op.offsets(access);
    if (!writes)
      op.load(offsets, MemoryInstruction::first_byte(access), op.unit(access), block);
    else if (opcode == Opcode::kAtomic)
      atomics(offsets, block);
    else {
      ++changes_;
      core::store_block(offsets, op.data.data(), op.bytes, MemoryInstruction::first_byte(access),
                        op.unit(access), block);
    }
  }
}

/// All bytes of a lane are there before any is written.
void MemoryUnit::copy(Warp& warp, const core::AccessContext& context) {
  MemoryInstruction& op = *op_;
  const LaneMask lanes = op.mask;
  resolver_.resolve_copy(op, context);
  device_part(warp);
  op.shared_lanes = lanes;
  lanes.for_each([&](unsigned lane) {
    unsigned char* const data = op.data.data() + std::size_t{lane} * op.bytes;
    std::fill(data + op.compare[lane], data + op.bytes, static_cast<unsigned char>(0));
  });
  op.shared_shape = core::Shape::kScattered;
  op.address = op.operand;
}

void MemoryUnit::fetch(const core::AccessContext& context) {
  MemoryInstruction& op = *op_;
  const auto texture = isa::TextureOp::unpack(op.instruction->immediate);
  core::TextureObjects objects;
  textures_.collect(objects, op, context, reader());
  const auto at = textures_.coordinates_of(op, texture);
  const LaneMask lanes = op.mask;
  lanes.for_each([&](unsigned lane) {
    const isa::TextureHeader& header = objects.of(lane);
    isa::TextureFootprint footprint;
    unsigned bytes = op.bytes;
    if (texture.kind == isa::TextureKind::kSurface) {
      const isa::SurfacePlace place = core::TextureAccess::place_of(op, context, lane, header, at[lane]);
      footprint.texels[0] = {place.address, place.inside};
    } else if (texture.kind != isa::TextureKind::kQuery) {
      footprint = isa::footprint(header, texture, at[lane]);
      bytes = header.texel_bytes();
    }
    std::array<std::byte, isa::kMostTexels * isa::kTexelBytes> texels{};
    for (unsigned i = 0; texture.kind != isa::TextureKind::kQuery && i < footprint.count; ++i) {
      const auto& texel = footprint.texels[i];
      if (!texel.inside) continue;
      if (!allocations_.allows(host::Access::kKernelRead, texel.address, bytes))
        core::fail_access(context, op, lane,
                          "out-of-bounds texel: " + allocations_.describe_refused(texel.address),
                          "the memory of the texture has been freed");
      image_.read(texel.address, std::span(texels).subspan(std::size_t{i} * isa::kTexelBytes, bytes));
    }
    core::write_texture_result(op, lane, header, footprint, texels.data());
  });
}

void MemoryUnit::access(Cta& cta, Warp& warp, Pc pc, const isa::Instruction& instruction, LaneMask lanes) {
  MemoryInstruction& op = *op_;
  std::byte* const rows = warp.context.registers.data();
  const core::MemorySlice slice{base::WarpId{warp.context.warp_in_cta},
                                lanes,
                                rows,
                                rows,
                                warp.context.special.data(),
                                &warp.context,
                                warp.context.linear_warp,
                                &cta.context};
  op.instruction = &instruction;
  op.take({&slice, 1});
  op.shared_lanes = LaneMask{};
  op.bytes = static_cast<std::uint8_t>(isa::type_bytes(instruction.type) * instruction.vector);
  op.access_count = 0;
  op.core_private = false;
  const core::AccessContext context{&launch_, &cta.context, pc};
  if (instruction.space == isa::StateSpace::kConst || instruction.space == isa::StateSpace::kParam) {
    resolver_.resolve_constant(op, context);
    return device_part(warp);
  }
  switch (instruction.op) {
    case Opcode::kTexture:
      return fetch(context);
    case Opcode::kSurfaceStore:
      textures_.resolve_store(op, context, reader());
      break;
    case Opcode::kAsyncCopy:
      copy(warp, context);
      break;
    case Opcode::kLoadMatrix:
      op.mask &= LaneMask::first_lanes(8 * isa::MatrixLoad::unpack(instruction.immediate).matrices);
      resolver_.resolve(op, context);
      break;
    default:
      resolver_.resolve(op, context);
      if (instruction.op != Opcode::kLoad) resolver_.read_operands(op);
      break;
  }
  if (op.shared_lanes.any()) {
    core::SharedMemoryRequest request{.memory_op = &op};
    cta.shared.serve(request);
  }
  if (instruction.op != Opcode::kAsyncCopy) device_part(warp);
}

host::ReadBytes MemoryUnit::memory_of(Cta& cta, Warp& warp, const core::AccessSite& site, unsigned lane) {
  return [this, &cta, &warp, &site, lane](std::uint64_t address, std::span<std::byte> bytes) {
    if (const std::uint64_t offset = address - isa::kSharedWindowBase; offset < isa::kSharedWindowBytes) {
      if (offset + bytes.size() > launch_.shared_bytes_per_cta)
        core::fail_print(site, lane, address, "it lies outside of the CTA's shared memory");
      for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = cta.shared.byte_at(static_cast<std::uint32_t>(offset + i));
      return;
    }
    const std::uint64_t offset = address - isa::kLocalWindowBase;
    if (offset >= isa::kLocalWindowBytes) {
      if (!reader()(address, bytes))
        core::fail_print(site, lane, address, "it is in no buffer of the program");
      return;
    }
    if (offset + bytes.size() > launch_.local_limit)
      core::fail_print(site, lane, address, "it lies outside of the thread's memory");
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(*warp.local.at(core::local_address(0, offset + i, lane)));
  };
}

}  // namespace heddle::functional
