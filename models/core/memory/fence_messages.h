// Messages of fences to L2 (core.fence.completion_cycles): one behind each line that an atomic of the core is under way to, or one to
// each slice (core.fence.messages). It waits in its slice behind what waits there, so a fence takes longer while others spin on a lock
// of that slice.
//
// A message is a read that wants no sector: it takes its turn in the slice and changes nothing. Until its answer it counts
// as a write of the core (write_order.h).
#pragma once

#include <cstdint>
#include <vector>

#include "base/ring.h"
#include "core/protocols/lsu_protocol.h"

namespace heddle::core {

class FenceMessages {
 public:
  struct Message {
    static constexpr std::uint32_t kOfLine = ~std::uint32_t{0};
    std::uint64_t line = 0;
    std::uint32_t slice = kOfLine;
    WriteMark number = 0;  ///< of the write that it counts as
  };

  void add(const Message& message) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(messages_.size()));
      messages_.emplace_back();
    }
    messages_[free_.back()] = message;
    waiting_.push_back(free_.back());
    free_.pop_back();
  }
  /// There is none that has not been sent.
  [[nodiscard]] bool sent() const { return waiting_.empty(); }
  /// Under which number the oldest one that has not been sent goes, and where to.
  [[nodiscard]] std::uint32_t next() const { return waiting_.front(); }
  [[nodiscard]] const Message& message(std::uint32_t number) const { return messages_[number]; }
  void pop() { waiting_.pop_front(); }
  /// L2 has answered. Returns the write that the message counted as.
  WriteMark answered(std::uint32_t number) {
    free_.push_back(number);
    return messages_[number].number;
  }

 private:
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_;
  base::GrowingRing<std::uint32_t> waiting_;
};

}  // namespace heddle::core
