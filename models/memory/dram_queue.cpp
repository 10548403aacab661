#include "memory/dram_queue.h"

namespace heddle::memory {

DramQueue::DramQueue(std::uint32_t depth, std::uint32_t banks)
    : requests_(depth), banks_(banks), busy_banks_(banks) {
  for (std::uint32_t slot = depth; slot-- > 0;) free_.push_back(slot);
}

std::uint32_t DramQueue::push(const DramAccess& access, const DramMap::BankRow& at, std::uint32_t bursts) {
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  Request& r = requests_[slot];
  r.access = access;
  r.at = at;
  r.bursts_left = bursts;
  r.started = false;
  r.outcome = RowOutcome::kHit;
  r.younger = r.younger_in_bank = kNone;
  r.age = ages_++;
  r.older = youngest_;
  (youngest_ == kNone ? oldest_ : requests_[youngest_].younger) = slot;
  youngest_ = slot;
  Bank& bank = banks_[at.bank];
  r.older_in_bank = bank.youngest;
  (bank.youngest == kNone ? bank.oldest : requests_[bank.youngest].younger_in_bank) = slot;
  bank.youngest = slot;
  busy_banks_.insert(at.bank);
  return slot;
}

void DramQueue::remove(std::uint32_t slot) {
  const Request& r = requests_[slot];
  (r.older == kNone ? oldest_ : requests_[r.older].younger) = r.younger;
  (r.younger == kNone ? youngest_ : requests_[r.younger].older) = r.older;
  Bank& bank = banks_[r.at.bank];
  (r.older_in_bank == kNone ? bank.oldest : requests_[r.older_in_bank].younger_in_bank) = r.younger_in_bank;
  (r.younger_in_bank == kNone ? bank.youngest : requests_[r.younger_in_bank].older_in_bank) = r.older_in_bank;
  if (bank.oldest == kNone) busy_banks_.erase(r.at.bank);
  free_.push_back(slot);
}

}  // namespace heddle::memory
