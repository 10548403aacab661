#include "tm/comparison/ideal_transactions.h"

#include <algorithm>
#include <stdexcept>

namespace heddle::tm {

IdealTransactions::IdealTransactions(IdealWrites writes, std::size_t warps, std::uint64_t first_warp,
                                     std::uint32_t line_bytes, sim::MemoryPool& pool,
                                     TransactionShared& shared, CommittedIds& ids, CommitPort& port,
                                     CoreSignals& signals)
    : AccessLog(warps),
      first_warp_(first_warp),
      line_bytes_(line_bytes),
      pool_(pool),
      shared_(shared),
      memory_(*shared.ideal),
      ids_(ids),
      port_(port),
      signals_(signals),
      warps_(warps) {
  if (writes != IdealWrites::kStores) return;
  stores_.emplace(warps, line_bytes);
  shared.store_client = port.client();
  port.on_written = [this](WarpId id) { store_performed(id); };
}

// ---- Accesses

void IdealTransactions::clear(WarpId id, LaneMask lanes) {
  lanes.for_each([&](unsigned lane) { memory_.begin(owner(id, lane)); });
  if (stores_) stores_->begin(id);
}

std::optional<unsigned> IdealTransactions::append(WarpId id, const AccessRow& row, std::uint32_t /*tag*/) {
  note(id, row);
  if (!row.write) return 0;
  const unsigned count = std::min(row.bytes, static_cast<unsigned>(kWordBytes));
  row.lanes.for_each(
      [&](unsigned lane) { memory_.write(owner(id, lane), row.address[lane], row.values[lane], count); });
  if (stores_) stores_->append(id, row.lanes, row.address, count);
  return 0;
}

/// A load's own bytes are known at once.
void IdealTransactions::look_up(WarpId id, AccessWords& words, std::uint32_t tag) {
  words.lanes.for_each([&](unsigned lane) {
    for (unsigned b = 0; b < words.words * kWordBytes; ++b) {
      unsigned char byte = 0;
      if ((words.wanted[lane] >> b & 1u) != 0 &&
          memory_.own(owner(id, lane), words.word_address[lane] + b, byte))
        words.set(lane, b, byte);
    }
  });
  on_looked_up(tag);
}

/// Who writes one of the words from now on dooms the attempt, and who has written one before may be on the way to L2.
void IdealTransactions::leaves(WarpId id, LaneMask lanes, const AccessWords& words, std::uint32_t tag) {
  memory_.advance(signals_.now());
  if (tag >= late_.size()) late_.resize(tag + 1);
  late_[tag].clear();
  lanes.for_each([&](unsigned lane) {
    for (unsigned word = 0; word < words.words; ++word) {
      const std::uint64_t address = words.word_address[lane] + word * kWordBytes;
      memory_.read(owner(id, lane), address);
      if (!stores_) continue;
      if (const auto late = memory_.on_its_way(address)) late_[tag].push_back({lane, word, *late});
    }
  });
}

/// Over what L2 has answered, what had been committed before it was asked.
std::uint32_t IdealTransactions::arrived(std::uint32_t tag, unsigned lane, unsigned word,
                                         std::uint32_t value) const {
  for (const LateWord& late : late_[tag]) {
    if (late.lane != lane || late.word != word) continue;
    for (unsigned byte = 0; byte < kWordBytes; ++byte)
      if ((late.bytes.which >> byte & 1u) != 0)
        value = (value & ~(0xffu << 8 * byte)) | (late.bytes.value & 0xffu << 8 * byte);
  }
  return value;
}

// ---- Commits

void IdealTransactions::commit(const Attempt& attempt) {
  Warp& of = warps_[attempt.warp.value()];
  of.attempt = attempt;
  of.stage = CommitStage::kIds;
  const Cycle cycle = signals_.now();
  attempt.lanes.for_each([&](unsigned lane) { memory_.ask(owner(attempt.warp, lane), cycle); });
  asking_.emplace_back(attempt.warp, cycle);
  signals_.wake();
}

void IdealTransactions::validate(const Attempt& /*attempt*/) {
  throw std::logic_error("ideal transactional memory validates no attempt on its way");
}

void IdealTransactions::resolved(WarpId id) {
  warps_[id.value()].stage = CommitStage::kNone;
  on_resolved(id);
}

/// Outcomes of the cycle before.
void IdealTransactions::decide(Cycle cycle) {
  memory_.advance(cycle);
  while (!asking_.empty() && asking_.front().second < cycle) {
    const WarpId id = asking_.front().first;
    asking_.pop_front();
    Warp& of = warps_[id.value()];
    of.passed = LaneMask{};
    of.attempt.lanes.for_each([&](unsigned lane) {
      const Cid cid = memory_.outcome(owner(id, lane));
      if (cid == 0) {
        CommitProtocol::counters_.false_conflicts += memory_.failed_falsely(owner(id, lane)) ? 1 : 0;
        return;
      }
      ids_.set(id, lane, cid);
      of.passed |= lane_bit(lane);
    });
    if ((of.passed & of.attempt.faulted).any()) std::rethrow_exception(of.attempt.fault);
    if (stores_) {
      stores_->pack(id, of.passed & writers(id), memory_);
      of.passed.for_each([&](unsigned lane) { memory_.packed(owner(id, lane)); });
      of.stage = CommitStage::kTransfer;
      if (stores_->waiting(id)) continue;
    }
    resolved(id);
  }
  if (!asking_.empty()) signals_.again();
}

CommitProtocol::Conclusion IdealTransactions::conclude(WarpId id) {
  const Warp& of = warps_[id.value()];
  of.passed.for_each(
      [&](unsigned lane) { ids_.tell(ids_.last(id, lane), of.attempt.grid_warp, lane, true); });
  return {of.passed & of.attempt.lanes, {}};
}

/// What has been sent to L2 comes before what follows the fence.
bool IdealTransactions::holds_fence(WarpId id, LaneMask /*lanes*/) { return stores_ && stores_->await(id); }

void IdealTransactions::tick(Cycle cycle) {
  decide(cycle);
  if (stores_) send_store(cycle);
}

/// A packet a cycle. Their data is that of their arrival (IdealMemory::value).
void IdealTransactions::send_store(Cycle cycle) {
  const IdealStores::Packet* const next = stores_->next();
  if (next == nullptr) return;
  signals_.again();
  if (!port_.room()) return;
  const WarpId id = next->warp;
  sim::MemoryTransaction& store = pool_.allocate(sim::MemoryOp::kWrite, next->line, line_bytes_);
  for (std::uint32_t byte = 0; byte < line_bytes_; ++byte)
    if (next->bytes[byte]) store.enables[byte] = TLM_BYTE_ENABLED;
  store.extension.tag = id.value();
  store.extension.issued_at = cycle;
  ++shared_.stores_out;
  port_.write(store);
  if (stores_->sent()) resolved(id);
}

void IdealTransactions::store_performed(WarpId id) {
  if (stores_->performed(id)) signals_.recheck_now(id);  // a fence waits
  if (--shared_.stores_out == 0 && shared_.on_stores_performed) shared_.on_stores_performed();
}

}  // namespace heddle::tm
