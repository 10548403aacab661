// Dirty lines that L1 gave up, until L2 has acknowledged them. A line leaves before anything else the
// load/store unit sends: a later read of it must find it in L2. It counts as an outstanding operation of
// what displaced it, so that no CTA ends before it has arrived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ring.h"
#include "core/protocols/lsu_protocol.h"
#include "sim/memory_payload.h"

namespace heddle::core {

class DisplacedLines {
 public:
  struct Line {
    sim::MemoryTransaction* transaction = nullptr;  ///< nullptr: acknowledged
    LsuClient client = LsuClient::kCore;
    MemorySlice owner;  ///< of the client's operation; no lanes
  };

  /// The number under which the next line is kept, for its tag.
  [[nodiscard]] std::uint32_t next() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(lines_.size()));
      lines_.emplace_back();
    }
    return free_.back();
  }
  /// Keeps a line under next().
  void add(const Line& line) {
    const std::uint32_t number = next();
    free_.pop_back();
    lines_[number] = line;
    waiting_.push_back(number);
  }
  /// There is none that has not been sent.
  [[nodiscard]] bool sent() const { return waiting_.empty(); }
  /// The oldest that has not been sent.
  sim::MemoryTransaction& send() {
    sim::MemoryTransaction& oldest = *lines_[waiting_.front()].transaction;
    waiting_.pop_front();
    return oldest;
  }
  /// L2 has it.
  Line acknowledge(std::uint32_t number) {
    const Line line = lines_[number];
    lines_[number].transaction = nullptr;
    free_.push_back(number);
    return line;
  }
  /// The newest value of a byte that L2 does not have yet; false: there is none.
  [[nodiscard]] bool byte_at(std::uint64_t address, std::uint32_t line_bytes, std::byte& to) const {
    const std::uint64_t offset = address & (line_bytes - 1);
    const sim::MemoryTransaction* newest = nullptr;  // a line can be displaced again before L2 has it
    for (const Line& line : lines_) {
      const sim::MemoryTransaction* const write = line.transaction;
      if (write == nullptr || write->get_address() != address - offset || write->enables[offset] == 0)
        continue;
      if (newest == nullptr || write->extension.issued_at > newest->extension.issued_at) newest = write;
    }
    if (newest != nullptr) to = static_cast<std::byte>(newest->data[offset]);
    return newest != nullptr;
  }

 private:
  std::vector<Line> lines_;
  std::vector<std::uint32_t> free_;
  base::GrowingRing<std::uint32_t> waiting_;
};

}  // namespace heddle::core
