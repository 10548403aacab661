#include "tm/comparison/ideal_memory.h"

#include <algorithm>

#include "tm/tx_log.h"

namespace heddle::tm {

IdealMemory::Attempt& IdealMemory::of(Owner owner) {
  if (owner >= attempts_.size()) attempts_.resize(owner + 1);
  return attempts_[owner];
}

void IdealMemory::begin(Owner owner) {
  Attempt& attempt = of(owner);
  forget_reads(owner);
  attempt.writes.clear();
  attempt.doomed = false;
}

void IdealMemory::forget_reads(Owner owner) {
  Attempt& attempt = attempts_[owner];
  for (const std::uint64_t word : attempt.reads) {
    const auto known = readers_.find(word);
    if (known == readers_.end()) continue;
    std::erase(known->second, owner);
    if (known->second.empty()) readers_.erase(known);
  }
  attempt.reads.clear();
}

void IdealMemory::read(Owner owner, std::uint64_t word) {
  std::vector<Owner>& readers = readers_[word];
  if (std::ranges::find(readers, owner) != readers.end()) return;
  readers.push_back(owner);
  of(owner).reads.push_back(word);
}

void IdealMemory::write(Owner owner, std::uint64_t address, std::uint32_t value, unsigned count) {
  Attempt& attempt = of(owner);
  for (unsigned b = 0; b < count; ++b)
    attempt.writes[address + b] = static_cast<std::uint8_t>(value >> (8 * ((address + b) % kWordBytes)));
}

bool IdealMemory::own(Owner owner, std::uint64_t address, unsigned char& byte) const {
  if (owner >= attempts_.size()) return false;
  const auto known = attempts_[owner].writes.find(address);
  if (known == attempts_[owner].writes.end()) return false;
  byte = known->second;
  return true;
}

void IdealMemory::ask(Owner owner, base::Cycle cycle) {
  advance(cycle);
  asked_at_ = cycle;
  asked_.push_back(owner);
}

void IdealMemory::advance(base::Cycle cycle) {
  if (asked_.empty() || asked_at_ >= cycle) return;
  std::ranges::sort(asked_);
  for (const Owner owner : asked_) decide(owner);
  asked_.clear();
}

void IdealMemory::decide(Owner owner) {
  Attempt& attempt = of(owner);
  forget_reads(owner);
  attempt.committed = attempt.doomed ? 0 : next_++;
  if (attempt.doomed) return;
  const std::map<std::uint64_t, std::uint8_t>& writes = attempt.writes;
  std::vector<std::uint8_t> run;
  for (auto byte = writes.begin(); byte != writes.end();) {
    const std::uint64_t first = byte->first;
    run.clear();
    for (;
         byte != writes.end() && byte->first == first + run.size() && word_of(byte->first) == word_of(first);
         ++byte)
      run.push_back(byte->second);
    write_(first, run);
    if (const auto known = readers_.find(word_of(first)); known != readers_.end())
      for (const Owner reader : known->second) attempts_[reader].doomed = true;
  }
}

}  // namespace heddle::tm
