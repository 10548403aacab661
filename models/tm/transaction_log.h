// The logs of the transactions of a core ([KiloTM] §4.2.4): for each warp a read log and a write log, rows of 32 addresses
// and 32 values in memory. Rows are appended; a load looks for its own writes in the write log, newest row first, if the filter
// of one of its lanes says that there may be any.
#pragma once

#include <vector>

#include "tm/access_log.h"
#include "tm/config.h"
#include "tm/log_port.h"
#include "warp_log/bloom_filter.h"
#include "warp_log/log_layout.h"

namespace heddle::tm {

class TransactionLog final : public AccessLog, private LogPort::Client {
 public:
  /// `first_warp`: of the core, in the GPU.
  TransactionLog(const TmLogConfig& config, std::size_t warps, std::uint64_t first_warp, LogPort& port,
                 CoreSignals& signals);
  /// Bytes of device memory for the logs of `warps` warp slots.
  [[nodiscard]] static std::uint64_t bytes(const TmLogConfig& config, std::uint64_t warps);
  /// Where those of all cores are.
  void set_base(std::uint64_t base, std::uint64_t all_warps);

  [[nodiscard]] std::optional<unsigned> append(WarpId id, const AccessRow& row, std::uint32_t tag) override;
  void look_up(WarpId id, AccessWords& words, std::uint32_t tag) override;

  [[nodiscard]] std::uint32_t rows(WarpId id, bool write) const {
    const Warp& of = warps_[id.value()];
    return write ? of.write_rows : of.read_rows;
  }
  /// Of a row of the write log: of each lane's store, within its word.
  [[nodiscard]] unsigned bytes_of(WarpId id, std::uint32_t row) const {
    return warps_[id.value()].write_bytes[row];
  }
  /// Half of a row is asked for.
  void read(LogPort::Client& client, std::uint32_t tag, WarpId id, bool write, std::uint32_t row,
            LogHalf half);

 private:
  struct Warp {
    std::uint32_t read_rows = 0, write_rows = 0;
    std::vector<std::uint8_t> write_bytes;       ///< by row
    std::vector<warp_log::BloomFilter> filters;  ///< by lane: words in the write log
  };
  /// Of an access: the walk through the write log.
  struct LookUp {
    WarpId warp{};
    AccessWords* words = nullptr;
    std::array<std::uint16_t, base::kLanes> hits{};  ///< bytes that may be there
    std::uint32_t row = 0;                           ///< the walk goes on with the one before
    LaneMask matched;                                ///< of that row
    LogLine matched_address{};
  };

  void clear(WarpId id, LaneMask lanes) override;
  void stored(std::uint32_t tag) override { on_appended(tag); }
  void loaded(std::uint32_t tag, LogHalf half, std::span<const std::uint32_t> words) override;
  void walk(std::uint32_t tag);
  void match(std::uint32_t tag, std::span<const std::uint32_t> addresses);
  void take_values(std::uint32_t tag, std::span<const std::uint32_t> values);

  const TmLogConfig config_;
  const std::uint64_t first_warp_;
  LogPort& port_;
  CoreSignals& signals_;
  warp_log::LogLayout read_log_, write_log_;
  std::vector<Warp> warps_;
  std::vector<LookUp> look_ups_;  ///< by tag
};

}  // namespace heddle::tm
