#include "tm/comparison/ideal_memory.h"

#include <algorithm>
#include <utility>

#include "tm/tx_log.h"

namespace heddle::tm {

IdealMemory::IdealMemory(Write write, const IdealConfig& config, std::uint64_t hash_seed)
    : write_(std::move(write)),
      conflicts_(config.conflicts),
      writes_(config.writes),
      shape_(config.signature_bits, config.signature_arrays, hash_seed) {}

IdealMemory::Attempt& IdealMemory::of(Owner owner) {
  if (owner >= attempts_.size()) attempts_.resize(owner + 1);
  return attempts_[owner];
}

void IdealMemory::begin(Owner owner) {
  Attempt& attempt = of(owner);
  forget_reads(owner);
  attempt.writes.clear();
  attempt.doomed = attempt.stale = false;
}

void IdealMemory::forget_reads(Owner owner) {
  Attempt& attempt = attempts_[owner];
  if (attempt.reader) {
    attempts_[active_.back()].reader = attempt.reader;
    std::swap(active_[*attempt.reader], active_.back());
    active_.pop_back();
    attempt.reader.reset();
    attempt.signature.clear();
  }
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
  Attempt& attempt = of(owner);
  attempt.reads.push_back(word);
  if (conflicts_ == IdealConflicts::kWords) return;
  if (!attempt.reader) {
    attempt.reader = active_.size();
    active_.push_back(owner);
  }
  if (conflicts_ != IdealConflicts::kRingWords) attempt.signature.insert(shape_, word / kWordBytes);
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
  std::vector<std::uint64_t> written;
  for (auto byte = writes.begin(); byte != writes.end();) {
    const std::uint64_t first = byte->first;
    run.clear();
    for (;
         byte != writes.end() && byte->first == first + run.size() && word_of(byte->first) == word_of(first);
         ++byte)
      run.push_back(byte->second);
    if (writes_ == IdealWrites::kFree) write_(first, run);
    if (written.empty() || written.back() != word_of(first)) written.push_back(word_of(first));
    if (const auto known = readers_.find(word_of(first)); known != readers_.end())
      for (const Owner reader : known->second) attempts_[reader].doomed = attempts_[reader].stale = true;
  }
  if (writes_ == IdealWrites::kStores) come_late(written, attempt);
  if (conflicts_ != IdealConflicts::kWords) doom_by_signature(written);
}

// ---- Writes that take their way to L2

void IdealMemory::come_late(const std::vector<std::uint64_t>& written, const Attempt& attempt) {
  for (const std::uint64_t word : written) ++late_[word].left;
  for (const auto& [address, value] : attempt.writes) {
    Bytes& bytes = late_[word_of(address)].bytes;
    const auto byte = static_cast<unsigned>(address % kWordBytes);
    bytes.which |= static_cast<std::uint8_t>(1u << byte);
    bytes.value = (bytes.value & ~(0xffu << 8 * byte)) | std::uint32_t{value} << 8 * byte;
  }
}

std::optional<IdealMemory::Bytes> IdealMemory::on_its_way(std::uint64_t word) const {
  const auto known = late_.find(word);
  return known == late_.end() ? std::nullopt : std::optional(known->second.bytes);
}

void IdealMemory::packed(Owner owner) {
  std::uint64_t last = ~std::uint64_t{0};
  for (const auto& [address, value] : attempts_[owner].writes)
    if (word_of(address) != std::exchange(last, word_of(address))) arrives(word_of(address));
}

void IdealMemory::arrives(std::uint64_t word) {
  const auto known = late_.find(word);
  if (--known->second.left == 0) late_.erase(known);
}

void IdealMemory::doom_by_signature(const std::vector<std::uint64_t>& written) {
  Signature writes;
  for (const std::uint64_t word : written) writes.insert(shape_, word / kWordBytes);
  for (const Owner reader : active_) {
    Attempt& attempt = attempts_[reader];
    if (attempt.doomed) continue;
    const auto may_hold = [this](const Signature& signature) {
      return [this, &signature](std::uint64_t word) { return signature.may_hold(shape_, word / kWordBytes); };
    };
    switch (conflicts_) {
      case IdealConflicts::kSignatures:
        attempt.doomed = std::ranges::any_of(written, may_hold(attempt.signature));
        break;
      case IdealConflicts::kRing:
        attempt.doomed = attempt.signature.may_meet(shape_, writes);
        break;
      case IdealConflicts::kRingWords:
        attempt.doomed = std::ranges::any_of(attempt.reads, may_hold(writes));
        break;
      case IdealConflicts::kWords:
        break;
    }
  }
}

}  // namespace heddle::tm
