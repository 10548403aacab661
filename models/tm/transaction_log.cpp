#include "tm/transaction_log.h"

#include <algorithm>

namespace heddle::tm {

namespace {

constexpr std::uint32_t kAddressBytes =
    warp_log::kDataBytes;  ///< of a row of a log, beside as many of values

}  // namespace

TransactionLog::TransactionLog(const TmLogConfig& config, std::size_t warps, std::uint64_t first_warp,
                               LogPort& port, CoreSignals& signals)
    : AccessLog(warps),
      config_(config),
      first_warp_(first_warp),
      port_(port),
      signals_(signals),
      warps_(warps) {
  const std::uint32_t bits = warp_log::BloomFilter::bits_of(config.filter_bits);
  for (Warp& of : warps_) of.filters.assign(base::kLanes, warp_log::BloomFilter(bits));
}

std::uint64_t TransactionLog::bytes(const TmLogConfig& config, std::uint64_t warps) {
  return warps * (warp_log::LogLayout::bytes_of_log(config.read_rows, kAddressBytes) +
                  warp_log::LogLayout::bytes_of_log(config.write_rows, kAddressBytes));
}

void TransactionLog::set_base(std::uint64_t base, std::uint64_t all_warps) {
  read_log_ = {base, config_.read_rows, kAddressBytes, first_warp_};
  write_log_ = {base + all_warps * warp_log::LogLayout::bytes_of_log(config_.read_rows, kAddressBytes),
                config_.write_rows, kAddressBytes, first_warp_};
}

void TransactionLog::clear(WarpId id, LaneMask /*lanes*/) {
  Warp& of = warps_[id.value()];
  of.read_rows = of.write_rows = 0;
  of.write_bytes.clear();
  for (warp_log::BloomFilter& filter : of.filters) filter.clear();
}

// ---- Appending

std::optional<unsigned> TransactionLog::append(WarpId id, const AccessRow& row, std::uint32_t tag) {
  Warp& of = warps_[id.value()];
  std::uint32_t& rows = row.write ? of.write_rows : of.read_rows;
  const warp_log::LogLayout& log = row.write ? write_log_ : read_log_;
  if (rows == log.capacity()) return std::nullopt;
  const std::uint32_t number = rows++;
  if (row.write) {
    of.write_bytes.push_back(
        static_cast<std::uint8_t>(std::min(row.bytes, static_cast<unsigned>(kWordBytes))));
    ++counters_.write_rows;
    counters_.most_write_rows = std::max<std::uint64_t>(counters_.most_write_rows, rows);
  } else {
    ++counters_.read_rows;
    counters_.most_read_rows = std::max<std::uint64_t>(counters_.most_read_rows, rows);
  }
  note(id, row);
  LogLine addresses, values{};
  addresses.fill(kVoidAddress);
  row.lanes.for_each([&](unsigned lane) {
    addresses[lane] = logged_address(row.address[lane]);
    values[lane] = row.values[lane];
    if (row.write) of.filters[lane].insert(row.address[lane] / kWordBytes);
  });
  port_.store(*this, tag, id, log.meta(id.value(), number), addresses);
  port_.store(*this, tag, id, log.data(id.value(), number), values);
  signals_.wake();
  return 2;
}

// ---- Rows that are read

void TransactionLog::read(LogPort::Client& client, std::uint32_t tag, WarpId id, bool write,
                          std::uint32_t row, LogHalf half) {
  const warp_log::LogLayout& log = write ? write_log_ : read_log_;
  port_.load(client, tag, id,
             half == LogHalf::kAddresses ? log.meta(id.value(), row) : log.data(id.value(), row), half);
}

void TransactionLog::look_up(WarpId id, AccessWords& words, std::uint32_t tag) {
  if (tag >= look_ups_.size()) look_ups_.resize(tag + 1);
  const Warp& of = warps_[id.value()];
  LookUp& at = look_ups_[tag];
  at.warp = id;
  at.words = &words;
  at.row = 0;
  words.lanes.for_each([&](unsigned lane) {
    at.hits[lane] = 0;
    if (of.filters[lane].empty()) return;
    for (unsigned word = 0; word < words.words; ++word)
      if (of.filters[lane].may_hold(words.word_address[lane] / kWordBytes + word))
        at.hits[lane] |= static_cast<std::uint16_t>(words.wanted[lane] & word_bits(word));
    // What it may see is latched now: later stores are younger.
    if (at.hits[lane] != 0) at.row = of.write_rows;
  });
  if (at.row != 0) ++counters_.walks;
  walk(tag);
}

void TransactionLog::walk(std::uint32_t tag) {
  LookUp& at = look_ups_[tag];
  bool searching = false;
  at.words->lanes.for_each([&](unsigned lane) {
    searching = searching || static_cast<std::uint16_t>(at.hits[lane] & ~at.words->known[lane]) != 0;
  });
  if (at.row == 0 || !searching) return on_looked_up(tag);
  --at.row;
  ++counters_.walked_rows;
  read(*this, tag, at.warp, true, at.row, LogHalf::kAddresses);
  signals_.wake();
}

void TransactionLog::loaded(std::uint32_t tag, LogHalf half, std::span<const std::uint32_t> words) {
  if (half == LogHalf::kAddresses)
    match(tag, words);
  else
    take_values(tag, words);
}

void TransactionLog::match(std::uint32_t tag, std::span<const std::uint32_t> addresses) {
  LookUp& at = look_ups_[tag];
  at.matched = LaneMask{};
  at.words->lanes.for_each([&](unsigned lane) {
    if (addresses[lane] == kVoidAddress) return;
    const std::uint64_t address = device_address(addresses[lane]);
    if (word_of(address) - at.words->word_address[lane] >= at.words->words * kWordBytes) return;
    at.matched |= lane_bit(lane);
    at.matched_address[lane] = addresses[lane];
  });
  if (at.matched.none()) return walk(tag);
  read(*this, tag, at.warp, true, at.row, LogHalf::kValues);
  signals_.wake();
}

void TransactionLog::take_values(std::uint32_t tag, std::span<const std::uint32_t> values) {
  LookUp& at = look_ups_[tag];
  const unsigned bytes = bytes_of(at.warp, at.row);
  at.matched.for_each([&](unsigned lane) {
    const std::uint64_t address = device_address(at.matched_address[lane]);
    const auto word = static_cast<unsigned>((address - at.words->word_address[lane]) / kWordBytes);
    const auto first = static_cast<unsigned>(address % kWordBytes);
    for (unsigned b = first; b < first + bytes; ++b) {
      const unsigned byte = word * static_cast<unsigned>(kWordBytes) + b;
      if ((at.words->known[lane] & byte_bits(byte, 1)) != 0) continue;  // the newest wins
      at.words->set(lane, byte, static_cast<unsigned char>(values[lane] >> (8 * b)));
    }
  });
  walk(tag);
}

}  // namespace heddle::tm
