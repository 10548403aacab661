// The request queue of one DRAM channel: all requests by age, and those of each bank. Plain C++.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/index_set.h"
#include "memory/dram_map.h"

namespace heddle::memory {

/// What the scheduler knows about a request; `id` is chosen by the caller. A request lies within one row.
struct DramAccess {
  std::uint32_t id = 0;
  bool write = false;
  std::uint64_t address = 0;  ///< channel-local
  std::uint32_t bytes = 0;
  base::Cycle arrival = 0;  ///< first cycle at which it may be scheduled
};

/// Requests are named by slots, from 0 up to the queue's depth.
class DramQueue {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  enum class RowOutcome : std::uint8_t { kHit, kMiss, kConflict };

  struct Request {
    DramAccess access;
    DramMap::BankRow at;
    std::uint32_t bursts_left = 0;
    std::uint64_t age = 0;  ///< smaller is older
    bool started = false;   ///< a column command was issued
    RowOutcome outcome = RowOutcome::kHit;
    std::uint32_t older = kNone, younger = kNone;                  ///< all requests by age
    std::uint32_t older_in_bank = kNone, younger_in_bank = kNone;  ///< those of the bank by age
  };

  DramQueue(std::uint32_t depth, std::uint32_t banks);

  [[nodiscard]] bool full() const { return free_.empty(); }
  [[nodiscard]] bool empty() const { return oldest_ == kNone; }
  [[nodiscard]] const Request& operator[](std::uint32_t slot) const { return requests_[slot]; }
  [[nodiscard]] Request& operator[](std::uint32_t slot) { return requests_[slot]; }
  /// kNone: there is none.
  [[nodiscard]] std::uint32_t oldest() const { return oldest_; }
  [[nodiscard]] std::uint32_t oldest_of(std::uint32_t bank) const { return banks_[bank].oldest; }
  [[nodiscard]] const base::IndexSet& busy_banks() const { return busy_banks_; }

  /// The caller checks full(). Returns the request's slot.
  std::uint32_t push(const DramAccess& access, const DramMap::BankRow& at, std::uint32_t bursts);
  void remove(std::uint32_t slot);

 private:
  struct Bank {
    std::uint32_t oldest = kNone, youngest = kNone;
  };
  std::vector<Request> requests_;
  std::vector<std::uint32_t> free_;
  std::vector<Bank> banks_;
  base::IndexSet busy_banks_;  ///< with requests
  std::uint32_t oldest_ = kNone, youngest_ = kNone;
  std::uint64_t ages_ = 0;
};

}  // namespace heddle::memory
