// A stand-in for a core: random requests with known answers, random stalls.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include "blocks/memory/random_unit.h"
#include "isa/atomic_answer.h"
#include "memory/address_map.h"
#include "memory/sparse_memory.h"
#include "sim/clock.h"
#include "sim/memory_socket.h"

namespace heddle::tb {

struct TrafficConfig {
  std::uint64_t seed = 1;
  unsigned requests = 1000;
  std::uint64_t base = 0;    ///< address of the lines that only this core accesses
  unsigned lines = 64;       ///< number of those lines
  std::uint64_t shared = 0;  ///< address of a line of 32 u32 counters all cores add to
  bool use_shared = false;
  unsigned issue_percent = 70;              ///< chance to issue in a cycle
  unsigned stall_percent = 30;              ///< chance to delay END_RESP by 1..20 cycles
  unsigned idle_every = 0;                  ///< pauses for 300 cycles after that many requests; 0: never
  bool writes_only = false;                 ///< full lines as fast as possible
  bool partial_reads = false;               ///< every other read requests only some sectors
  unsigned message_percent = 0;             ///< of the requests, messages to RandomUnits
  unsigned partitions = 1;                  ///< messages without an address go to any of these
  const memory::AddressMap* map = nullptr;  ///< for messages
};

/// Requests of a core to one line are performed in order, so the answer to each is known when it is sent: it
/// is compared with a flat memory. Atomics on the shared line are counted; their sum is the expected final
/// value.
class TrafficCore : public sc_core::sc_module, public sim::MemoryInitiatorOwner {
 public:
  sim::MemoryInitiatorSocket isock;

  TrafficCore(const sc_core::sc_module_name& name, const TrafficConfig& config, sim::ClockDomain& clock)
      : sc_module(name),
        isock("isock", this),
        config_(config),
        random_(config.seed),
        clock_(clock, sim::on_tick<&TrafficCore::tick>(this)) {}
  void start_of_simulation() override { clock_.wake(); }

  [[nodiscard]] bool done() const {
    return sent_ == config_.requests && outstanding_ == 0 && beginning_ == nullptr && ending_ == nullptr;
  }
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }
  [[nodiscard]] memory::SparseMemory& reference() { return reference_; }
  [[nodiscard]] std::uint64_t shared_adds(unsigned counter) const { return shared_adds_[counter]; }
  /// Hash over (transaction, cycle) of every response: equal only if all cycles are equal.
  [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }
  [[nodiscard]] base::Cycle finished_at() const { return finished_at_; }
  [[nodiscard]] const std::vector<std::uint32_t>& response_order() const { return response_order_; }
  [[nodiscard]] const sim::MemoryPool& pool() const { return pool_; }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  /// Number of messages that have been answered.
  [[nodiscard]] std::uint64_t answers() const { return answers_; }
  /// The sum of the amounts in posted messages.
  [[nodiscard]] std::uint64_t posted_total() const { return posted_total_; }

  tlm::tlm_sync_enum memory_nb_transport_bw(unsigned, tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase, sc_core::sc_time&) override {
    if (phase == tlm::END_REQ) {
      if (beginning_ != &payload) error("END_REQ for another request");
      beginning_ = nullptr;
      if (sim::memory_extension(payload).posted()) payload.release();
      return tlm::TLM_ACCEPTED;
    }
    if (phase != tlm::BEGIN_RESP) error("unexpected phase");
    check(static_cast<sim::MemoryTransaction&>(payload));
    if (random_() % 100 < config_.stall_percent) {
      ending_ = &payload;
      end_at_ = clock_.domain().cycle() + 1 + random_() % 20;
      return tlm::TLM_ACCEPTED;
    }
    payload.release();
    phase = tlm::END_RESP;
    return random_() % 2 == 0 ? tlm::TLM_UPDATED : tlm::TLM_COMPLETED;
  }

 private:
  struct Expected {
    std::vector<unsigned char> data;
    std::vector<std::uint64_t> old;
    std::vector<std::uint64_t> words;  ///< expected words of the answer to a message
    bool known = true;
  };
  static constexpr unsigned kLine = 128;

  void error(const std::string& message) {
    if (errors_.size() < 10) errors_.push_back(std::string(name()) + ": " + message);
  }

  void tick() {
    const base::Cycle now = clock_.cycle();
    if (ending_ != nullptr && now >= end_at_) {
      tlm::tlm_generic_payload& payload = *ending_;
      ending_ = nullptr;
      tlm::tlm_phase phase = tlm::END_RESP;
      sc_core::sc_time delay;
      isock->nb_transport_fw(payload, phase, delay);
      payload.release();
    }
    if (beginning_ == nullptr && sent_ < config_.requests && now >= pause_until_ &&
        random_() % 100 < config_.issue_percent)
      send(now);
    if (done())
      clock_.park();
    else
      clock_.again();
  }

  void send(base::Cycle now) {
    sim::MemoryTransaction& t = make();
    t.extension.tag = sent_++;
    t.extension.issued_at = now;
    const bool posted = t.extension.posted();
    if (!posted) ++outstanding_;
    if (config_.idle_every != 0 && sent_ % config_.idle_every == 0) pause_until_ = now + 300;
    beginning_ = &t;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum status = isock->nb_transport_fw(t, phase, delay);
    if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
      beginning_ = nullptr;
      if (posted) t.release();
    } else if (status != tlm::TLM_ACCEPTED) {
      error("unexpected answer to BEGIN_REQ");
    }
  }

  sim::MemoryTransaction& make() {
    if (config_.message_percent != 0 && random_() % 100 < config_.message_percent) return make_message();
    if (config_.use_shared && random_() % 6 == 0) return make_shared_add();
    const std::uint64_t address = config_.base + random_() % config_.lines * kLine;
    const auto op = config_.writes_only ? sim::MemoryOp::kWrite : static_cast<sim::MemoryOp>(random_() % 3);
    sim::MemoryTransaction& t = pool_.allocate(op, address, kLine);
    Expected& e = expected_[&t];
    e = {};
    if (op == sim::MemoryOp::kRead) {
      e.data.resize(kLine);
      reference_.read(address, e.data.data(), kLine);
      if (config_.partial_reads && random_() % 2 == 0) {
        t.extension.wanted_sectors = static_cast<sim::SectorMask>(1 + random_() % 15);
        for (unsigned i = 0; i < kLine; ++i)
          if ((t.extension.wanted_sectors >> (i / sim::kSectorBytes) & 1u) == 0) e.data[i] = t.data[i];
      }
    } else if (op == sim::MemoryOp::kWrite) {
      const bool full = config_.writes_only || random_() % 3 == 0;
      for (unsigned i = 0; i < kLine; ++i) {
        t.data[i] = static_cast<unsigned char>(random_());
        t.enables[i] = full || random_() % 2 == 0 ? 0xff : 0;
      }
      reference_.write_enabled(address, t.data.data(), kLine, t.enables.data(), kLine);
    } else {
      t.extension.atomic_op = static_cast<isa::AtomicOp>(random_() % 10);
      t.extension.atomic_returns = random_() % 2 == 0;
      const unsigned lanes = 1 + static_cast<unsigned>(random_() % 32);
      t.extension.atomic_count = static_cast<std::uint8_t>(lanes);
      for (unsigned i = 0; i < lanes; ++i) {
        sim::LaneAtomic& lane = t.extension.atomics[i];
        lane = {.lane = static_cast<std::uint8_t>(i),
                .offset = static_cast<std::uint8_t>(random_() % 32 * 4),
                .operand = random_() % 5,
                .compare = random_() % 5};
        std::uint64_t old = 0;
        reference_.read(address + lane.offset, reinterpret_cast<unsigned char*>(&old), 4);
        e.old.push_back(isa::answer_of(t.extension.atomic_op, old, lane.compare));
        const std::uint64_t value =
            isa::apply_atomic(t.extension.atomic_op, isa::Type::kU32, old, lane.operand, lane.compare);
        reference_.write(address + lane.offset, reinterpret_cast<const unsigned char*>(&value), 4);
      }
    }
    return t;
  }

  sim::MemoryTransaction& make_shared_add() {
    sim::MemoryTransaction& t = pool_.allocate(sim::MemoryOp::kAtomic, config_.shared, kLine);
    t.extension.atomic_count = 4;
    for (unsigned i = 0; i < 4; ++i) {
      const auto counter = static_cast<unsigned>(random_() % 32);
      const std::uint64_t add = random_() % 1000;
      t.extension.atomics[i] = {.lane = static_cast<std::uint8_t>(i),
                                .offset = static_cast<std::uint8_t>(counter * 4),
                                .operand = add};
      shared_adds_[counter] += add;
    }
    expected_[&t] = {.data = {}, .old = {}, .words = {}, .known = false};
    return t;
  }

  sim::MemoryTransaction& make_message() {
    ++messages_;
    const auto kind = static_cast<TestMessage>(random_() % 5);
    const auto code = static_cast<std::uint8_t>(kind);
    if (kind == TestMessage::kEcho || kind == TestMessage::kCount) {
      const base::PartitionId to{static_cast<std::uint32_t>(random_() % config_.partitions)};
      sim::MemoryTransaction& t = pool_.allocate_message(to, kRandomUnitOwner, code);
      sim::MemoryMessage& message = t.extension.message;
      message.word_count = static_cast<std::uint8_t>(1 + random_() % sim::kMessageWords);
      message.request_bytes = 8u * message.word_count;
      Expected& e = expected_[&t];
      e = {};
      for (unsigned i = 0; i < message.word_count; ++i) {
        message.words[i] = random_() % 1000;
        e.words.push_back(message.words[i] * 3);
      }
      message.posted = kind == TestMessage::kCount;
      if (message.posted) posted_total_ += message.words[0];
      answers_ += message.posted ? 0 : 1;
      return t;
    }
    const std::uint64_t address = config_.base + random_() % config_.lines * kLine;
    sim::MemoryTransaction& t =
        pool_.allocate(sim::MemoryOp::kMessage, address, kind == TestMessage::kPoke ? kLine : 0);
    sim::MemoryMessage& message = t.extension.message;
    t.extension.partition = config_.map->partition(address);
    message.owner = kRandomUnitOwner;
    message.kind = code;
    ++answers_;
    Expected& e = expected_[&t];
    e = {};
    if (kind == TestMessage::kPeek) {
      std::array<unsigned char, kLine> line{};
      reference_.read(address, line.data(), kLine);
      e.words.push_back(checksum(line.data(), kLine));
    } else if (kind == TestMessage::kPoke) {
      message.request_bytes = kLine + kLine / 8;
      for (unsigned i = 0; i < kLine; ++i) {
        t.data[i] = static_cast<unsigned char>(random_());
        t.enables[i] = random_() % 2 == 0 ? 0xff : 0;
      }
      reference_.write_enabled(address, t.data.data(), kLine, t.enables.data(), kLine);
    } else {
      message.word_count = 2;
      message.request_bytes = 16;
      message.words[0] = random_() % 32 * 4;
      message.words[1] = random_() % 1000;
      std::uint32_t value = 0;
      reference_.read(address + message.words[0], reinterpret_cast<unsigned char*>(&value), 4);
      e.words.push_back(value);
      value += static_cast<std::uint32_t>(message.words[1]);
      reference_.write(address + message.words[0], reinterpret_cast<const unsigned char*>(&value), 4);
    }
    return t;
  }

  void check(sim::MemoryTransaction& t) {
    if (!t.is_response_ok()) error("response status " + t.get_response_string());
    const Expected& e = expected_.at(&t);
    if (!e.data.empty() && std::memcmp(e.data.data(), t.data.data(), e.data.size()) != 0)
      error("wrong data at " + std::to_string(t.get_address()));
    for (std::size_t i = 0; i < e.old.size(); ++i)
      if (e.old[i] != t.extension.atomics[i].old)
        error("wrong old value at " + std::to_string(t.get_address()));
    const sim::MemoryMessage& message = t.extension.message;
    if (!e.words.empty() && message.word_count != e.words.size()) error("wrong number of answer words");
    for (std::size_t i = 0; i < e.words.size(); ++i)
      if (message.words[i] != e.words[i])
        error("wrong answer word to message of kind " + std::to_string(message.kind));
    const auto fold = [this](std::uint64_t value) {
      fingerprint_ = (fingerprint_ ^ value) * 0x9e37'79b9'7f4a'7c15ull;
    };
    fold(t.extension.tag);
    fold(clock_.domain().cycle());
    if (!e.known)
      for (unsigned i = 0; i < t.extension.atomic_count; ++i) fold(t.extension.atomics[i].old);
    response_order_.push_back(t.extension.tag);
    --outstanding_;
    finished_at_ = clock_.domain().cycle();
  }

  TrafficConfig config_;
  std::mt19937_64 random_;
  sim::ClockMember clock_;
  sim::MemoryPool pool_;
  memory::SparseMemory reference_;
  std::map<const tlm::tlm_generic_payload*, Expected> expected_;  // looked up only
  std::uint32_t sent_ = 0;
  unsigned outstanding_ = 0;
  tlm::tlm_generic_payload* beginning_ = nullptr;
  tlm::tlm_generic_payload* ending_ = nullptr;
  base::Cycle end_at_ = 0;
  base::Cycle pause_until_ = 0;
  std::array<std::uint64_t, 32> shared_adds_{};
  std::uint64_t fingerprint_ = 0;
  base::Cycle finished_at_ = 0;
  std::vector<std::uint32_t> response_order_;
  std::uint64_t messages_ = 0;
  std::uint64_t answers_ = 0;
  std::uint64_t posted_total_ = 0;
  std::vector<std::string> errors_;
};

}  // namespace heddle::tb
