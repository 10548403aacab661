#include "memory/l2_slice.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace heddle::memory {

L2Slice::L2Slice(const L2Config& config, const AddressMap& map, sim::ProgressMonitor& progress)
    : geometry_(config),
      map_(map),
      shared_(config, progress),
      access_sectors_(config.dram_access_bytes / geometry_.sector_bytes()) {
  banks_.reserve(config.banks);
  for (std::uint32_t b = 0; b < config.banks; ++b) banks_.emplace_back(config, geometry_, shared_);
}

bool L2Slice::tick(base::Cycle now) {
  if (working_ == 0) return false;
  bool any = false;
  const auto serve = [&](std::uint64_t banks) {
    for (; banks != 0; banks &= banks - 1) {
      const auto b = static_cast<unsigned>(std::countr_zero(banks));
      if (!banks_[b].tick(now)) continue;
      any = true;
      if (!banks_[b].has_work()) working_ &= ~(std::uint64_t{1} << b);
    }
  };
  const std::uint64_t working = working_;
  if ((working & (working - 1)) == 0) {  // one bank
    serve(working);
    return any;
  }
  const std::uint64_t before_turn = (std::uint64_t{1} << (now % geometry_.banks())) - 1;
  serve(working & ~before_turn);
  serve(working & before_turn);
  return any;
}

base::Cycle L2Slice::atomic_timer() const {
  base::Cycle next = base::kNever;
  for (std::uint64_t banks = working_; banks != 0; banks &= banks - 1)
    next = std::min(next, banks_[static_cast<unsigned>(std::countr_zero(banks))].timer());
  return next;
}

bool L2Slice::idle() const {
  return shared_.responses.empty() && shared_.transfers.empty() && writing_.empty() &&
         std::all_of(banks_.begin(), banks_.end(), [](const L2Bank& bank) { return bank.idle(); });
}

// ---- DRAM side ----

bool L2Slice::writes_first() const {
  return std::find(writing_.begin(), writing_.end(), shared_.transfers.front().line) != writing_.end();
}

SectorTransfer L2Slice::transfer() {
  LineTransfer& next = shared_.transfers.front();
  const unsigned left = next.sectors & ~static_cast<unsigned>(sent_);
  const auto first = static_cast<unsigned>(std::countr_zero(left));
  auto count = static_cast<unsigned>(std::countr_one(left >> first));
  if (access_sectors_ != 0) {
    count = std::min(std::bit_floor(count), access_sectors_);
    if (first != 0) count = std::min(count, first & -first);  // lowest bit: the alignment of `first`
  }
  const std::uint32_t offset = first * geometry_.sector_bytes();
  SectorTransfer piece{.address = next.line + offset,
                       .bytes = count * geometry_.sector_bytes(),
                       .write = next.write,
                       .frame = next.frame};
  if (next.write) {
    piece.data = next.data.data() + offset;
    if (next.masked) piece.enables = next.enables.data() + offset;
  } else if (unsigned char* const to = banks_[geometry_.bank_of(next.line)].fetch_target(next.frame)) {
    piece.data = to + offset;
  }
  return piece;
}

void L2Slice::pop_transfer(const SectorTransfer& piece) {
  const LineTransfer& next = shared_.transfers.front();
  if (next.write) writing_.push_back(next.line);
  const std::uint32_t offset = geometry_.offset_of(piece.address);
  sent_ |= geometry_.sectors(offset, offset + piece.bytes);
  if (sent_ != next.sectors) return;
  sent_ = 0;
  shared_.transfers.pop_front();
}

void L2Slice::fill(const SectorTransfer& fetch) {
  const std::uint32_t bank = geometry_.bank_of(fetch.address);
  banks_[bank].fill(fetch.frame, geometry_.offset_of(fetch.address) / geometry_.sector_bytes(),
                    fetch.bytes / geometry_.sector_bytes(), fetch.data);
  if (banks_[bank].has_work()) working_ |= std::uint64_t{1} << bank;
}

void L2Slice::write_done(std::uint64_t address) {
  const auto it = std::find(writing_.begin(), writing_.end(), geometry_.line_of(address));
  if (it == writing_.end()) return;
  *it = writing_.back();  // the order in this list does not matter
  writing_.pop_back();
}

std::vector<base::CoreId> L2Slice::waiting_for(std::uint64_t address) const {
  return banks_[geometry_.bank_of(address)].waiting_for(geometry_.line_of(address));
}

// ---- debug access ----

bool L2Slice::debug_absent(std::uint64_t local, std::uint64_t bytes) const {
  if (!shared_.transfers.empty()) return false;
  if (shared_.held.none(local) &&
      local / HeldLines::kRegionBytes == (local + bytes - 1) / HeldLines::kRegionBytes)
    return true;
  for (std::uint64_t line = geometry_.line_of(local); line < local + bytes; line += geometry_.line_bytes())
    if (!banks_[geometry_.bank_of(line)].debug_absent(line)) return false;
  return true;
}

bool L2Slice::debug_read(std::uint64_t local, unsigned char* to, unsigned bytes) {
  const std::uint64_t line = geometry_.line_of(local);
  const std::uint32_t offset = geometry_.offset_of(local);
  const SectorMask sector = geometry_.sectors(offset, offset + 1);
  L2Bank& bank = banks_[geometry_.bank_of(local)];
  if ((bank.debug_valid(line) & sector) != 0) {
    bank.debug_copy(line, offset, to, bytes);
    return true;
  }
  for (std::size_t i = shared_.transfers.size(); i-- > 0;) {
    const LineTransfer& out = shared_.transfers[i];
    if (!out.write || out.line != line || (out.sectors & sector) == 0) continue;
    if (i == 0 && (sent_ & sector) != 0) continue;  // in flight: the shell handles it
    if (out.masked) continue;
    std::memcpy(to, out.data.data() + offset, bytes);
    overlay(i + 1, local, to, bytes);
    return true;
  }
  return false;
}

void L2Slice::debug_overlay(std::uint64_t local, unsigned char* to, unsigned bytes) {
  overlay(0, local, to, bytes);
}

void L2Slice::overlay(std::size_t transfer, std::uint64_t local, unsigned char* to, unsigned bytes) {
  const std::uint64_t line = geometry_.line_of(local);
  const std::uint32_t offset = geometry_.offset_of(local);
  const SectorMask sector = geometry_.sectors(offset, offset + 1);
  for (std::size_t i = transfer; i < shared_.transfers.size(); ++i) {
    const LineTransfer& out = shared_.transfers[i];
    if (!out.masked || out.line != line || (out.sectors & sector) == 0 || (i == 0 && (sent_ & sector) != 0))
      continue;
    for (unsigned b = 0; b < bytes; ++b)
      if (out.enables[offset + b] == TLM_BYTE_ENABLED) to[b] = out.data[offset + b];
  }
  banks_[geometry_.bank_of(local)].debug_overlay(line, offset, to, bytes);
}

void L2Slice::debug_write(std::uint64_t local, const unsigned char* from, unsigned bytes) {
  const std::uint64_t line = geometry_.line_of(local);
  const std::uint32_t offset = geometry_.offset_of(local);
  banks_[geometry_.bank_of(local)].debug_write(line, offset, from, bytes);
  for (std::size_t i = 0; i < shared_.transfers.size(); ++i)
    if (shared_.transfers[i].write && shared_.transfers[i].line == line)
      std::memcpy(shared_.transfers[i].data.data() + offset, from, bytes);
}

std::vector<std::uint64_t> L2Slice::debug_dirty() const {
  std::vector<std::uint64_t> addresses;
  for (const L2Bank& bank : banks_)
    bank.debug_each_dirty([&](std::uint64_t line, SectorMask dirty) {
      for (unsigned left = dirty; left != 0; left &= left - 1)
        addresses.push_back(line + std::uint64_t{geometry_.sector_bytes()} *
                                       static_cast<unsigned>(std::countr_zero(left)));
    });
  return addresses;
}

}  // namespace heddle::memory
