// Stores and loads of the store buffer: appends, searches, and what of them is the load/store unit's.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "base/error.h"
#include "core/memory/register_transfer.h"
#include "determinism/store_buffer.h"

namespace heddle::determinism {

using core::LineAccess;
using core::LsuRequest;

void StoreBuffer::resolve(const LsuRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  op_.instruction = &instruction;
  op_.take(request.slices);
  op_.shared_lanes = LaneMask{};
  op_.bytes = static_cast<std::uint8_t>(isa::type_bytes(instruction.type) * instruction.vector);
  op_.access_count = 0;
  op_.core_private = false;
  resolver_.resolve(op_, {launch_, request.cta, request.pc});
}

std::uint32_t StoreBuffer::hold(const LsuRequest& request) {
  return held_.put(std::make_unique<Held>(request));
}

void StoreBuffer::pass(LsuRequest& request, std::uint32_t owner, LaneMask lanes) {
  ++held_[owner]->pieces;
  core::MemorySlice part = request.slices[0];
  part.lanes = lanes;
  const std::span<const core::MemorySlice> all = request.slices;
  request.slices = {&part, 1};
  request.tag = owner + 1;
  lsu_isock.call(request);
  request.slices = all;
  request.tag = 0;
}

void StoreBuffer::finish(std::uint32_t owner) {
  const std::unique_ptr<Held> held = held_.take(owner);
  core::LsuCompletion done = held->operation.answered();
  completion_isock.call(done);
  // The queue may have room again, which the core hears with the next answer: it is in its cycle.
  again_ = true;
  operation_done(done.slices[0].warp);
}

void StoreBuffer::piece_done(std::uint32_t owner) {
  if (--held_[owner]->pieces == 0) finish(owner);
}

// ---- Stores

void StoreBuffer::refuse_partial(const LsuRequest& request) const {
  const isa::Kernel& kernel = *launch_->kernel;
  throw base::KernelFault(
      kernel.location(request.pc),
      fmt::format(
          "stores a part of a 32-bit word of global memory, which deterministic execution cannot commit: "
          "other wavefronts may store the rest ([GPUDet] §4.6)\n  {}",
          kernel.source_line(request.pc)),
      "widen the data to 32 bits, or set determinism.byte_writes=serial_log");
}

void StoreBuffer::append(WarpId warp, std::uint32_t owner, const LineAccess& access,
                         const LsuRequest& request) {
  Wave& of = wave(warp);
  alignas(16) std::array<unsigned char, kChunkBytes> data{};
  std::array<unsigned char, kChunkBytes> enables{};
  const core::LaneOffsets offsets = op_.offsets(access);
  // Of lanes that store to the same byte the highest wins ([GPUDet] §4.1).
  core::store_block(offsets, op_.data.data(), op_.bytes, 0, op_.bytes, data.data());
  log_watch_.check_winner(request.pc, op_, access, data);
  core::mark_block(offsets, op_.bytes, enables.data());
  EntryMeta meta{access.line, {}};
  for (unsigned byte = 0; byte < kChunkBytes; ++byte)
    if (enables[byte] != 0) meta.mask.set(byte);
  if (partial_words(meta.mask) != 0) {
    if (config_.byte_writes == ByteWrites::kTrap) refuse_partial(request);
    of.has_partial = true;
    ++partial_appends_;
  }
  if (of.entries == config_.log.capacity)
    throw std::logic_error("a store was issued for which the log has no room (T_SBFULL)");
  const std::uint32_t entry = of.entries++;
  most_entries_ = std::max<std::uint64_t>(most_entries_, of.entries);
  of.bloom.insert(access.line / kChunkBytes);
  ++appends_;
  ++appended_in_[generation_];
  held_[owner]->pieces += 2;
  LogAccess line{LogAccess::Purpose::kAppend,       warp,        owner, entry,
                 layout_.data(warp.value(), entry), kChunkWords, {}};
  std::memcpy(line.data.data(), data.data(), data.size());
  accesses_.queue(line);
  line.address = layout_.meta(warp.value(), entry);
  line.words = kMetaWords;
  const MetaWords words = meta_words(meta);
  std::ranges::copy(words, line.data.begin());
  accesses_.queue(line);
  if (!log_watch_.on() && !watch_) return;
  const EntrySeal seal{seal_of(words), seal_of(data_words(std::bit_cast<ChunkData>(data)))};
  log_watch_.appended(warp, seal);
  of.digest.add(seal.meta);
  of.digest.add(seal.data);
}

void StoreBuffer::store(LsuRequest& request) {
  ++stores_;
  resolve(request);
  resolver_.read_operands(op_);
  const WarpId warp = request.slices[0].warp;
  LaneMask global;
  for (unsigned i = 0; i < op_.access_count; ++i)
    if (!op_.accesses[i].local) global |= op_.accesses[i].lanes;
  if (global.none()) return lsu_isock.call(request);
  const std::uint32_t owner = hold(request);
  const unsigned accesses = op_.access_count;
  for (unsigned i = 0; i < accesses; ++i)
    if (!op_.accesses[i].local) append(warp, owner, op_.accesses[i], request);
  // Lanes of a generic store that are in shared or local memory.
  if (const LaneMask others = LaneMask::difference(request.slices[0].lanes, global); others.any())
    pass(request, owner, others);
}

// ---- Loads

void StoreBuffer::load(LsuRequest& request) {
  ++loads_;
  const WarpId warp = request.slices[0].warp;
  const Wave& of = wave(warp);
  if (of.bloom.empty()) return lsu_isock.call(request);
  resolve(request);
  ForwardedLoad looks;
  const std::uint32_t step = entries_of_an_access();
  for (unsigned i = 0; i < op_.access_count; ++i) {
    const LineAccess& access = op_.accesses[i];
    if (access.local) continue;
    ++bloom_look_ups_;
    if (!of.bloom.may_hold(access.line / kChunkBytes)) continue;
    ++forwarding_.searches;
    looks.search_for(op_, access, of.entries, step);
  }
  if (looks.empty()) return lsu_isock.call(request);
  looks.take_addresses(op_);
  const std::uint32_t owner = hold(request);
  Held& held = *held_[owner];
  held.load = std::move(looks);
  ++held.pieces;  // the searches
  if (const LaneMask others = LaneMask::difference(request.slices[0].lanes, held.load.searched());
      others.any())
    pass(request, owner, others);
  search(owner);
}

void StoreBuffer::search(std::uint32_t owner) {
  Held& held = *held_[owner];
  LogSearch* const of = held.load.search(forwarding_);
  if (of == nullptr) return search_ends(owner);
  if (!of->wants_meta()) return;  // until the data that is on its way arrives
  const WarpId warp = held.operation.slices()[0].warp;
  const std::uint32_t first = of->meta_wish().first;
  accesses_.queue({LogAccess::Purpose::kSearchMeta,
                   warp,
                   owner,
                   first,
                   layout_.meta(warp.value(), first),
                   entries_of_an_access() * kMetaWords,
                   {}});
}

void StoreBuffer::take_search(const LogAccess& access, std::span<const std::uint32_t> words) {
  Held& held = *held_[access.owner];
  LogSearch& of = *held.load.search(forwarding_);
  const LogWatch::Reader reader{held.operation.pc(), &of};
  log_watch_.check_access(access, words, &reader);
  if (access.purpose == LogAccess::Purpose::kSearchData) {
    of.take_data(access.entry, chunk_data(words));
    if (of.finished()) search(access.owner);
    return;
  }
  std::vector<LogSearch::Wish> data;
  of.take_meta(words, data);
  for (const LogSearch::Wish& wish : data)
    accesses_.queue({LogAccess::Purpose::kSearchData,
                     access.warp,
                     access.owner,
                     wish.first,
                     layout_.data(access.warp.value(), wish.first),
                     kChunkWords,
                     {}});
  search(access.owner);
}

void StoreBuffer::search_ends(std::uint32_t owner) {
  Held& held = *held_[owner];
  const isa::Instruction& instruction = held.operation.instruction();
  const LaneMask from_log = held.load.satisfy(instruction);
  held.load.merge(instruction, held.operation.slices()[0].registers, from_log, false);
  held.to_pass = held.load.searched();
  if (held.to_pass.any()) {
    ++held.pieces;
    to_pass_.push_back(owner);
    again_ = true;
  }
  piece_done(owner);
}

bool StoreBuffer::offer_pass(std::uint32_t owner, Cycle cycle) {
  Held& held = *held_[owner];
  LsuRequest request = held.operation.request(LsuRequest::Op::kOffer, cycle);
  core::MemorySlice part = request.slices[0];
  part.lanes = held.to_pass;
  request.slices = {&part, 1};
  request.tag = owner + 1;
  lsu_isock.call(request);
  lsu_full_ = request.full;
  if (!request.accepted) return false;
  held.to_pass = LaneMask{};
  again_ = true;
  return true;
}

}  // namespace heddle::determinism
