#include "core/memory/texture_stage.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/memory/coalescer.h"
#include "core/memory/register_transfer.h"

namespace heddle::core {
namespace {

constexpr unsigned kSizes = 5;  ///< 1 to 16 bytes
constexpr std::uint32_t kLongRow = kLanes * 8;

isa::Operand texel_row(std::uint32_t offset, isa::RowWidth width) {
  isa::Operand operand;
  operand.offset = offset;
  operand.width = width;
  operand.present = true;
  return operand;
}

template <class T>
void resize_for(std::vector<std::unique_ptr<T>>& all, std::uint32_t index) {
  if (all.size() <= index) all.resize(index + 1);
  if (!all[index]) all[index] = std::make_unique<T>();
}

/// Headers as they are in memory now.
TextureAccess::Read header_reader(const AccessContext& context) {
  return [&context](std::uint64_t address, std::span<std::byte> bytes) {
    return context.launch->services != nullptr && context.launch->services->read_memory(address, bytes);
  };
}

}  // namespace

TextureStage::TextureStage(const TextureConfig& config, std::uint32_t line_bytes,
                           const host::AllocationTable& allocations, AddressResolver& resolver,
                           PendingRequestTable& requests)
    : config_(config),
      line_bytes_(line_bytes),
      allocations_(allocations),
      access_(line_bytes, allocations, resolver),
      requests_(requests) {
  constexpr isa::Type kTypes[] = {isa::Type::kB8, isa::Type::kB16, isa::Type::kB32, isa::Type::kB64,
                                  isa::Type::kB64};
  for (unsigned i = 0; i < loads_.size(); ++i) {
    isa::Instruction& load = loads_[i];
    load.op = isa::Opcode::kLoad;
    load.unit = isa::Unit::kMemory;
    load.latency_class = isa::LatencyClass::kMemory;
    load.type = kTypes[i % kSizes];
    load.space = isa::StateSpace::kGlobal;
    load.cache_op = i < kSizes ? isa::CacheOp::kNonCoherent : isa::CacheOp::kDefault;
    load.vector = i % kSizes == kSizes - 1 ? 2 : 1;
    load.write_count = load.vector;
    const auto width = i % kSizes < 3 ? isa::RowWidth::k32 : isa::RowWidth::k64;
    for (std::uint32_t e = 0; e < load.vector; ++e) load.dst[e] = texel_row(e * kLongRow, width);
  }
}

void TextureStage::declare(base::StatGroup& stats) {
  stats.counter("instructions", "warp-instructions", "texture fetches, gathers and surface loads",
                &instructions_);
  stats.counter("lanes", "threads", "of these", &lanes_);
  stats.counter("texels", "texels", "read for them, each for each thread", &texels_);
  stats.counter("filtered", "threads", "whose texels were filtered linearly", &filtered_);
  stats.counter("accesses", "accesses", "lines looked up for texels", &read_accesses_);
  stats.counter("surface_stores", "warp-instructions", "stores to surfaces", &surface_stores_);
  stats.counter("busy_cycles", "core cycles",
                "the unit addressed and filtered, core.texture.lanes_per_cycle threads in each",
                &busy_cycles_);
}

const isa::Instruction& TextureStage::load_of(unsigned bytes, bool surface) const {
  return loads_[static_cast<unsigned>(std::countr_zero(bytes)) + (surface ? kSizes : 0)];
}

TextureStage::Fetch& TextureStage::begin(MemoryInstruction& op, const AccessContext& context) {
  resize_for(fetches_, op.index);
  Fetch& fetch = fetch_of(op);
  const auto texture = isa::TextureOp::unpack(op.instruction->immediate);
  const bool surface = texture.kind == isa::TextureKind::kSurface;
  access_.collect(fetch.objects, op, context, header_reader(context));
  const auto at = access_.coordinates_of(op, texture);
  Cycle planes = 1;
  ++instructions_;
  op.mask.for_each([&](unsigned lane) {
    const isa::TextureHeader& header = fetch.objects.of(lane);
    isa::TextureFootprint& footprint = fetch.footprints[lane];
    if (surface) {
      const isa::SurfacePlace place = TextureAccess::place_of(op, context, lane, header, at[lane]);
      footprint = {};
      footprint.texels[0] = {place.address, place.inside};
    } else if (texture.kind == isa::TextureKind::kQuery) {
      footprint = {};
    } else {
      footprint = isa::footprint(header, texture, at[lane]);
      if (footprint.count == isa::kMostTexels) planes = 2;
    }
    if (footprint.filtered) ++filtered_;
    ++lanes_;
  });
  const Cycle lanes = op.mask.count();
  fetch.passes = (lanes * planes + config_.lanes_per_cycle - 1) / config_.lanes_per_cycle;
  fetch.reads.clear();
  fetch.missing = 0;
  if (texture.kind != isa::TextureKind::kQuery) make_reads(op, context, fetch, surface);
  return fetch;
}

void TextureStage::make_reads(MemoryInstruction& op, const AccessContext& context, Fetch& fetch,
                              bool surface) {
  for (unsigned h = 0; h < fetch.objects.headers.size(); ++h)
    for (unsigned i = 0; i < isa::kMostTexels; ++i) {
      LaneMask lanes;
      op.mask.for_each([&](unsigned lane) {
        const isa::TextureFootprint& footprint = fetch.footprints[lane];
        if (fetch.objects.header_of[lane] == h && i < footprint.count && footprint.texels[i].inside)
          lanes |= LaneMask(1u << lane);
      });
      if (lanes.none()) continue;
      MemoryInstruction& read = requests_.allocate();
      resize_for(owners_, read.index);
      Owner& owner = *owners_[read.index];
      owner.op = &op;
      owner.texel = i;
      const unsigned bytes = surface ? op.bytes : fetch.objects.headers[h].texel_bytes();
      const MemorySlice& first = op.slice(lanes.lowest());
      read.instruction = &load_of(bytes, surface);
      read.client = kTextureClient;
      read.tag = 0;
      const MemorySlice slice{first.warp,    lanes,          owner.rows.data(), owner.rows.data(),
                              first.special, first.counters, first.linear_warp, first.cta};
      read.take({&slice, 1});
      read.shared_lanes = LaneMask{};
      read.bytes = static_cast<std::uint8_t>(bytes);
      read.access_count = read.next_access = 0;
      read.shared_done = read.write_granted = read.constant = read.core_private = false;
      read.ready_at = 0;
      lanes.for_each([&](unsigned lane) { read.address[lane] = fetch.footprints[lane].texels[i].address; });
      const AddressPattern scattered{.shape = Shape::kScattered};
      check_access(context, isa::StateSpace::kGlobal, read, scattered, lanes, 0, &allocations_);
      coalesce(read, scattered, lanes, line_bytes_);
      read.pending = read.access_count;
      fetch.reads.push_back(&read);
      ++fetch.missing;
      texels_ += lanes.count();
      read_accesses_ += read.access_count;
    }
}

bool TextureStage::start(MemoryInstruction& op, Cycle cycle) {
  if (started_ >= config_.queue_entries) return false;
  Fetch& fetch = fetch_of(op);
  ++started_;
  const Cycle from = std::max(cycle, busy_until_);
  busy_until_ = from + fetch.passes;
  busy_cycles_ += fetch.passes;
  for (MemoryInstruction* const read : fetch.reads) {
    read->issued_at = cycle;
    read->available_at = from + 1;
    reads_.push_back({read, from + 1});
  }
  if (fetch.missing == 0) requests_.part_done(op, busy_until_ + config_.latency_cycles, cycle);
  return true;
}

void TextureStage::take_texels(MemoryInstruction& read, Cycle cycle) {
  Owner& owner = *owners_[read.index];
  Fetch& fetch = fetch_of(*owner.op);
  const isa::Instruction& load = *read.instruction;
  const unsigned element = std::min(isa::type_bytes(load.type), 8u);
  read.mask.for_each([&](unsigned lane) {
    std::byte* const to = fetch.texels[lane].data() + std::size_t{owner.texel} * isa::kTexelBytes;
    for (unsigned e = 0; e < load.vector; ++e) {
      const std::size_t stride = load.dst[e].width == isa::RowWidth::k64 ? 8 : 4;
      std::memcpy(to + std::size_t{e} * element, owner.rows.data() + load.dst[e].offset + lane * stride,
                  element);
    }
  });
  MemoryInstruction& op = *owner.op;
  requests_.free(read);
  if (--fetch.missing == 0)
    requests_.part_done(op, std::max(cycle, busy_until_) + config_.latency_cycles, cycle);
}

void TextureStage::write_back(MemoryInstruction& op) {
  Fetch& fetch = fetch_of(op);
  write_texture_results(op, fetch.objects, fetch.footprints,
                        [&](unsigned lane) { return fetch.texels[lane].data(); });
  --started_;
}

void TextureStage::resolve_store(MemoryInstruction& op, const AccessContext& context) {
  ++surface_stores_;
  access_.resolve_store(op, context, header_reader(context));
}

}  // namespace heddle::core
