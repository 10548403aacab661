// A partition unit that randomly does everything a unit may do: takes requests, responses and messages,
// delays and answers them, and reads, writes and adds in the L2 itself.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "memory/partition_unit.h"

namespace heddle::tb {

inline constexpr sim::MessageOwner kRandomUnitOwner = sim::message_owner("TEST");

enum class TestMessage : std::uint8_t {
  kEcho,   ///< answer: every word times 3
  kCount,  ///< posted: words[0] is added to total()
  kPeek,   ///< answer: checksum of the line at the payload's address
  kPoke,   ///< the line image is written; answered once the L2 has accepted it
  kAdd,    ///< words[1] is added to the u32 at the payload's address; answer: the old value
};

inline std::uint64_t checksum(const unsigned char* data, unsigned bytes) {
  std::uint64_t sum = 0xcbf29ce484222325ull;  // FNV-1a
  for (unsigned i = 0; i < bytes; ++i) sum = (sum ^ data[i]) * 0x100000001b3ull;
  return sum;
}

struct RandomUnitConfig {
  std::uint64_t seed = 1;
  unsigned take_percent = 30;  ///< percentage of requests and of responses
  unsigned max_delay = 30;     ///< unit cycles
  bool check_tags = false;     ///< tags of a core ascend: its transactions to one partition arrive in order
  memory::PartitionUnitQueues queues{.requests = 2, .l2 = 2, .responses = 2, .answers = 2};
};

/// Requests and messages leave the queue in order, so that a message sees the memory as its core left it
/// before. While the queue is not empty, all requests are taken. Answers are sent in any order.
class RandomUnit : public memory::PartitionUnit {
 public:
  RandomUnit(const sc_core::sc_module_name& name, const RandomUnitConfig& config,
             const memory::PartitionUnitSite& site)
      : PartitionUnit(name, kRandomUnitOwner, config.queues, site),
        config_(config),
        random_(config.seed * 1000 + site.partition.value()) {}

  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }

 protected:
  bool understands(const Payload& message) override {
    check_order(message);
    return PartitionUnit::understands(message);
  }
  bool takes_request(const Payload& request) override {
    check_order(request);
    const bool take = chance();
    return take || !line_.empty() || this->request() != nullptr;
  }
  bool takes_response(const Payload&) override {
    const bool take = chance();
    return take || responses_ != 0;
  }
  void accepted(const Payload&) override { ++accepted_; }

  base::Cycle cycle(base::Cycle now) override {
    base::Cycle next = kNever;
    const auto at = [&next, now](base::Cycle when) { next = std::min(next, std::max(when, now + 1)); };
    take_responses(now);
    while (request() != nullptr && line_.size() < kLine) line_.push_back({&take_request(), now + delay()});
    while (!line_.empty() && line_.front().due <= now && serve(*line_.front().payload, now))
      line_.pop_front();
    if (!line_.empty()) at(line_.front().due);
    if (request() != nullptr && line_.size() < kLine) at(now);
    for (std::size_t i = 0; i < answers_.size();) {
      if (answers_[i].due > now || !can_respond()) {
        at(answers_[i++].due);
        continue;
      }
      Answer due = answers_[i];
      answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(i));
      if (due.response) {
        --responses_;
        respond(*due.payload);
      } else {
        answer(*due.payload);
      }
    }
    return next;
  }

 private:
  static constexpr std::size_t kLine = 4;
  struct Waiting {
    Payload* payload = nullptr;
    base::Cycle due = 0;
  };
  struct Answer {
    Payload* payload = nullptr;
    base::Cycle due = 0;
    bool response = false;
  };

  bool chance() { return random_() % 100 < config_.take_percent; }
  base::Cycle delay() { return random_() % (config_.max_delay + 1); }

  void check_order(const Payload& payload) {
    const auto& ext = static_cast<const sim::MemoryTransaction&>(payload).extension;
    if (!config_.check_tags) return;
    const auto [last, first] = last_tag_.emplace(ext.core.value(), ext.tag);
    if (!first && last->second >= ext.tag) errors_.push_back("requests of a core out of order");
    last->second = ext.tag;
  }

  void take_responses(base::Cycle now) {
    while (response() != nullptr) {
      Payload& done = take_response();
      const auto asked = asked_.find(&done);
      if (asked == asked_.end()) {
        ++responses_;
        answers_.push_back({&done, now + delay(), true});
        continue;
      }
      Payload& message = *asked->second;
      asked_.erase(asked);
      sim::MemoryExtension& ext = sim::memory_extension(message);
      ext.message.word_count = 1;
      ext.message.answer_bytes = 8;
      if (ext.message.kind == static_cast<std::uint8_t>(TestMessage::kPeek))
        ext.message.words[0] = checksum(done.get_data_ptr(), done.get_data_length());
      else if (ext.message.kind == static_cast<std::uint8_t>(TestMessage::kAdd))
        ext.message.words[0] = sim::memory_extension(done).atomics[0].old;
      done.release();
      answers_.push_back({&message, now + delay(), false});
    }
  }

  /// False: no free entry, try again.
  bool serve(Payload& payload, base::Cycle now) {
    sim::MemoryExtension& ext = sim::memory_extension(payload);
    if (ext.op != sim::MemoryOp::kMessage) {
      if (!can_send()) return false;
      send(payload);
      return true;
    }
    sim::MemoryMessage& message = ext.message;
    const auto kind = static_cast<TestMessage>(message.kind);
    if (kind == TestMessage::kEcho) {
      for (unsigned i = 0; i < message.word_count; ++i) message.words[i] *= 3;
      message.answer_bytes = 8u * message.word_count;
      answers_.push_back({&payload, now + delay(), false});
      return true;
    }
    if (kind == TestMessage::kCount) {
      total_ += message.words[0];
      finish(payload);
      return true;
    }
    if (!can_send()) return false;
    sim::MemoryTransaction& own = own_request(kind == TestMessage::kPeek   ? sim::MemoryOp::kRead
                                              : kind == TestMessage::kPoke ? sim::MemoryOp::kWrite
                                                                           : sim::MemoryOp::kAtomic,
                                              payload.get_address(), sim::kMaxLineBytes);
    if (kind == TestMessage::kPoke) {
      std::memcpy(own.data.data(), payload.get_data_ptr(), sim::kMaxLineBytes);
      std::memcpy(own.enables.data(), payload.get_byte_enable_ptr(), sim::kMaxLineBytes);
    } else if (kind == TestMessage::kAdd) {
      own.extension.atomic_count = 1;
      own.extension.atomics[0] = {.offset = static_cast<std::uint8_t>(message.words[0]),
                                  .operand = message.words[1]};
    }
    asked_.emplace(&own, &payload);
    send(own);
    return true;
  }

  RandomUnitConfig config_;
  std::mt19937_64 random_;
  std::deque<Waiting> line_;
  std::vector<Answer> answers_;
  unsigned responses_ = 0;                    ///< of answers_, those of the L2
  std::map<const Payload*, Payload*> asked_;  ///< lookups only: own request to the message that caused it
  std::map<std::uint32_t, std::uint32_t> last_tag_;
  std::uint64_t total_ = 0;
  std::uint64_t accepted_ = 0;
  std::vector<std::string> errors_;
};

/// A unit that takes nothing.
class PlainUnit : public memory::PartitionUnit {
 public:
  PlainUnit(const sc_core::sc_module_name& name, const memory::PartitionUnitSite& site)
      : PartitionUnit(name, sim::message_owner("NONE"), {}, site) {}

 protected:
  base::Cycle cycle(base::Cycle) override { return kNever; }
};

}  // namespace heddle::tb
