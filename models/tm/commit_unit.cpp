#include "tm/commit_unit.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "memory/l2_request.h"
#include "tm/message_codec.h"
#include "tm/tx_log.h"

namespace heddle::tm {
namespace {

memory::PartitionUnitSite with_clock(const memory::PartitionUnitSite& site, sim::ClockDomain& clock) {
  return {site.partition, site.map, clock, site.stats};
}

/// Calls `visit(address, offset in the line)` for the words of a write.
template <class Fn>
void for_each_word(const tlm::tlm_generic_payload& write, const Fn& visit) {
  const unsigned char* const enables = write.get_byte_enable_ptr();
  for (unsigned word = 0; word < write.get_data_length(); word += kWordBytes)
    if (std::any_of(enables + word, enables + word + kWordBytes,
                    [](unsigned char each) { return each != 0; }))
      visit(write.get_address() + word, word);
}

}  // namespace

CommitUnit::CommitUnit(const sc_core::sc_module_name& name, const CommitUnitConfig& config,
                       std::uint32_t line_bytes, const memory::PartitionUnitSite& site,
                       const CommitClock& clock, RetireBoard& board, CommitChecker* checker,
                       std::unique_ptr<LastWrittenTimes> times)
    : CommitClock(clock),
      PartitionUnit(name, kCommitOwner, {.requests = 1, .l2 = 1, .responses = 1, .answers = 1},
                    with_clock(site, *clock)),
      config_(config),
      line_bytes_(line_bytes),
      ring_("ring", std::make_unique<CommitRing>(config)),
      set_buffers_("set_buffers", std::make_unique<SetBuffers>(config)),
      history_(has_history(config) ? std::make_unique<EventBlock<HistoryEvent>>(
                                         "last_writer_history", std::make_unique<LastWriterHistory>(config))
                                   : nullptr),
      hazard_detection_("hazard_detection", config),
      model_(config, CommitBlocks{ring_port_, set_buffers_port_, hazard_port_}),
      board_(board),
      times_(std::move(times)) {
  if (checker != nullptr) {
    observer_ = checker->of_unit(site.partition.value());
    model_.observe(observer_.get());
  }
  ring_port_.isock.bind(ring_.event_tsock);
  set_buffers_port_.isock.bind(set_buffers_.event_tsock);
  hazard_port_.isock.bind(hazard_detection_.event_tsock);
  if (history_) hazard_detection_.history_port->isock.bind(history_->event_tsock);
  declare(site.stats);
}

void CommitUnit::declare(base::StatGroup& stats) {
  CommitUnitModel::Counters& c = model_.counters();
  stats.counter("entries", "entries", "of the ring, those of other partitions included", &c.rows);
  stats.counter("skipped", "entries", "of these, without words at this partition", &c.skipped);
  stats.counter("read_words", "words", "of read logs", &c.read_words);
  stats.counter("write_words", "words", "of write logs", &c.write_words);
  stats.counter("speculative_reads", "accesses", "of L2 for validation as logs arrive", &c.speculative_reads);
  stats.counter("second_reads", "accesses", "of L2 for validation behind an older transaction",
                &c.second_reads);
  stats.counter("validation_misses", "accesses", "of both kinds that L2 had to fetch", &validation_misses_);
  stats.counter("writes", "accesses", "of L2 by transactions that commit", &c.writes);
  stats.counter("hazards", "transactions", "that may have read what an older one was about to write",
                &c.hazards);
  stats.counter("second_chances", "transactions", "of these, valid all the same", &c.second_chances);
  stats.counter("failed", "transactions", "that were not valid at this partition", &c.failed);
  stats.counter("hazard_cycles", "unit cycles", "that hazard detection was busy or waited for L2 or the core",
                &c.hazard_clocks);
  stats.counter("overflows", "sets", "that set buffers had no room for", &c.overflows);
  stats.counter("resends", "requests", "to cores, to send sets of a warp again", &c.resends);
  stats.maximum("most_set_buffers", "buffers", "in use at a time", &c.most_buffers);
  stats.maximum("most_entries", "entries", "from the oldest live one to the youngest", &c.most_rows);
  stats.counter("notices", "packets", "outcomes, completions and requests to send again, to cores",
                &notices_);
  stats.counter("commit_ids", "ids", "granted to cores (partition 0)", &granted_);
  if (times_ == nullptr) return;
  stats.counter("time_reads", "responses", "with the time at which their block was written last",
                &time_reads_);
  stats.counter("time_writes", "accesses", "of transactions that commit, whose time is noted", &time_writes_);
}

base::Cycle CommitUnit::cycle(base::Cycle now) {
  bool happened = take_responses();
  happened |= take_message(now);
  happened |= model_.clock(now);
  happened |= send_to_l2();
  happened |= send_to_core(now);
  board_.post(partition().value(), model_.retire_pointer());
  if (on_drained && drained()) on_drained();
  if (happened || model_.message() != nullptr) return now + 1;
  return asked_.empty() ? kNever : std::max(asked_.front().due, now + 1);
}

/// The times of what a core reads: not earlier than L2 has read it.
tlm::tlm_sync_enum CommitUnit::memory_nb_transport_bw(unsigned port, Payload& payload, tlm::tlm_phase& phase,
                                                      sc_core::sc_time& delay) {
  if (times_ != nullptr && phase == tlm::BEGIN_RESP) {
    sim::MemoryExtension& extension = sim::memory_extension(payload);
    if (extension.op == sim::MemoryOp::kRead && extension.core != sim::kUnitInitiator) {
      ++time_reads_;
      const LastWritten written = times_->read(payload.get_address());
      extension.message.words[0] = written.time;
      extension.message.words[1] = written.cid;
    }
  }
  return PartitionUnit::memory_nb_transport_bw(port, payload, phase, delay);
}

bool CommitUnit::take_message(base::Cycle now) {
  if (request() == nullptr) return false;
  if (is_ideal_store(*request())) return complete_store();
  const auto kind = static_cast<UnitMessage::Kind>(sim::memory_message(*request()).kind);
  if (kind == UnitMessage::Kind::kCommitIds) {
    asked_.push_back({&take_request(), now + config_.vendor_cycles});
    return true;
  }
  if (!model_.can_accept()) return false;
  Payload& message = take_request();
  model_.accept(decode_unit_message(message));
  finish(message);
  return true;
}

bool CommitUnit::is_ideal_store(const Payload& payload) const {
  if (stores_ == nullptr) return false;
  const sim::MemoryExtension& extension = static_cast<const sim::MemoryTransaction&>(payload).extension;
  return extension.op == sim::MemoryOp::kWrite && extension.core != sim::kUnitInitiator &&
         extension.client == stores_->store_client;
}

bool CommitUnit::complete_store() {
  if (!can_send()) return false;
  Payload& store = take_request();
  for_each_word(store, [&](std::uint64_t word, unsigned offset) {
    const std::uint32_t value = stores_->ideal->value(word);
    std::memcpy(store.get_data_ptr() + offset, &value, kWordBytes);
  });
  send(store);
  return true;
}

/// From here on L2 keeps its order, so nobody reads what was there before; that it is in memory, the end of a launch waits
/// for.
void CommitUnit::accepted(const Payload& payload) {
  const sim::MemoryExtension& extension = static_cast<const sim::MemoryTransaction&>(payload).extension;
  if (is_ideal_store(payload))
    for_each_word(payload, [this](std::uint64_t word, unsigned) { stores_->ideal->arrives(word); });
  if (extension.core != sim::kUnitInitiator || extension.op != sim::MemoryOp::kWrite) return;
  model_.ordered(extension.tag);
  clock().wake();
}

bool CommitUnit::take_responses() {
  bool any = false;
  while (response() != nullptr) {
    any = true;
    Payload& done = take_response();
    const sim::MemoryExtension& extension = sim::memory_extension(done);
    if (extension.op == sim::MemoryOp::kRead) {
      validation_misses_ += extension.message.words[memory::kFetchedWord];
      std::array<std::uint32_t, CommitUnitModel::kMostBlockWords> block{};
      const std::uint64_t line = done.get_address();
      const std::uint64_t first = std::uint64_t{extension.message.words[0]};
      std::memcpy(block.data(), done.get_data_ptr() + (first - line), config_.access_bytes);
      model_.returned(extension.tag, block.data());
    }
    done.release();
  }
  return any;
}

bool CommitUnit::send_to_l2() {
  const CommitUnitModel::L2Request* const next = can_send() ? model_.l2_request() : nullptr;
  if (next == nullptr) return false;
  const std::uint64_t line = next->block / line_bytes_ * line_bytes_;
  sim::MemoryTransaction& request =
      own_request(next->write ? sim::MemoryOp::kWrite : sim::MemoryOp::kRead, line, line_bytes_);
  request.extension.tag = next->tag;
  const std::uint64_t offset = next->block - line;
  if (next->write) {
    // Before the data can be read.
    if (times_ != nullptr) {
      times_->written(next->block, clock().domain().manager().now(), next->cid);
      ++time_writes_;
    }
    std::memcpy(request.data.data() + offset, next->values.data(), config_.access_bytes);
    for (std::uint32_t word = 0; word < config_.access_bytes / 4; ++word)
      for (unsigned byte = 0; byte < 4; ++byte)
        if ((next->words >> word & 1u) != 0 && (next->bytes[word] >> byte & 1u) != 0)
          request.enables[offset + word * 4 + byte] = 0xff;
  } else {
    request.extension.message.words[0] = next->block;
    request.extension.message.words[memory::kFetchedWord] = 0;
    request.extension.wanted_sectors = 0;
    for (std::uint64_t at = offset; at < offset + config_.access_bytes; at += sim::kSectorBytes)
      request.extension.wanted_sectors |= static_cast<sim::SectorMask>(1u << (at / sim::kSectorBytes));
  }
  model_.l2_sent();
  send(request);
  return true;
}

bool CommitUnit::send_to_core(base::Cycle now) {
  if (!can_respond()) return false;
  if (!asked_.empty() && asked_.front().due <= now) {
    Payload& message = *asked_.front().message;
    asked_.pop_front();
    const std::uint32_t count = decode_unit_message(message).group.count();
    answer_commit_ids(sim::memory_extension(message).message, next_cid_);
    next_cid_ += count;
    granted_ += count;
    answer(message);
    return true;
  }
  const CoreMessage* const next = model_.message();
  if (next == nullptr) return false;
  sim::MemoryTransaction& out = notice(base::CoreId{next->group.core}, next->group.client, kNoticeKind);
  encode(*next, out.extension.message);
  ++notices_;
  notify(out);
  model_.message_sent();
  return true;
}

void CommitUnit::write_at_once(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  std::array<unsigned char, kWordBytes> data{};
  std::ranges::copy(bytes, data.begin());
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(data.data());
  payload.set_data_length(static_cast<unsigned>(bytes.size()));
  payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
  if (l2_isock->transport_dbg(payload) != bytes.size())
    throw std::logic_error("words of ideal transactional memory were not written");
}

}  // namespace heddle::tm
