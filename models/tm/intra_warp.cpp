#include "tm/intra_warp.h"

#include "tm/tx_log.h"
#include "warp_log/bloom_filter.h"

namespace heddle::tm {

Resolution resolve_two_phase(const WarpWords& words, LaneMask active, std::uint32_t table,
                             std::uint32_t bytes_a_step,
                             const std::function<std::uint32_t(std::uint64_t)>& hash) {
  constexpr std::uint8_t kNobody = base::kLanes;
  std::vector<std::uint8_t> owner(table, kNobody);
  Resolution result{active, (table + bytes_a_step - 1) / bytes_a_step};
  const auto each = [&](const std::vector<WarpWords::Row>& rows, const auto& visit) {
    for (const WarpWords::Row& row : rows) {
      ++result.steps;
      active.for_each([&](unsigned lane) {
        if (row[lane]) visit(lane, owner[hash(*row[lane])]);
      });
    }
  };
  const auto loses = [&](unsigned lane) {
    result.survivors = LaneMask::difference(result.survivors, lane_bit(lane));
  };
  // The lowest lane that writes a word owns it. Lanes of a row come in ascending order, those of rows do not.
  each(words.writes, [](unsigned lane, std::uint8_t& of_word) {
    if (lane < of_word) of_word = static_cast<std::uint8_t>(lane);
  });
  // A higher lane may write what a lower one has read: the warp is validated as a whole before anything is written.
  each(words.reads, [&](unsigned lane, std::uint8_t& of_word) {
    if (of_word < lane) loses(lane);
  });
  each(words.writes, [&](unsigned lane, std::uint8_t& of_word) {
    if (of_word != lane) loses(lane);
  });
  return result;
}

Resolution resolve_sequentially(const WarpWords& words, LaneMask active, std::uint32_t filter_bits) {
  warp_log::BloomFilter written(filter_bits);
  Resolution result;
  active.for_each([&](unsigned lane) {
    bool hit = false;
    if (result.survivors.any()) {
      // All words are looked up, also behind a hit ([WarpTM:G9]).
      for (const auto* const rows : {&words.reads, &words.writes})
        for (const WarpWords::Row& row : *rows) {
          if (!row[lane]) continue;
          ++result.steps;
          hit = hit || written.may_hold(*row[lane] / kWordBytes);
        }
    }
    if (hit) return;
    result.survivors |= lane_bit(lane);
    for (const WarpWords::Row& row : words.writes) {
      if (!row[lane]) continue;
      ++result.steps;
      written.insert(*row[lane] / kWordBytes);
    }
  });
  return result;
}

}  // namespace heddle::tm
