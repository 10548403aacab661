// Constant cache: holds data, read-only, invalidated when a kernel starts. Serves ld.const and the parameters
// of kernels, one address per cycle, which all lanes that want it share ([Fung15] §2.3.3: "constant cache
// serialises distinct addresses"). Misses are fetched through its own pair of sockets at the memory port;
// misses to a line under way merge.
//
//   load/store unit --constant_tsock--> look-up --port_isock--> memory port
//   load/store unit <--value_isock----- line    <-response_tsock-
//   issue stage ------immediate_tsock-> operands' lines
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "cache/mshr_table.h"
#include "cache/tag_array.h"
#include "core/config.h"
#include "core/protocols/constant_protocol.h"
#include "core/protocols/port_protocol.h"
#include "sim/block_socket.h"
#include "sim/memory_payload.h"
#include "sim/progress.h"

namespace heddle::core {

class ConstantCacheModel {
 public:
  struct Waiting {
    ConstantTarget target;
    std::uint32_t offset = 0;  ///< of the wanted bytes in the line
  };
  enum class Miss : std::uint8_t { kSend, kMerged, kStall, kNoPort };

  ConstantCacheModel(const ConstantCacheConfig& config, sim::ProgressMonitor& progress);

  /// The bytes at `address`, nullptr on a miss.
  [[nodiscard]] const unsigned char* look_up(std::uint64_t address);
  /// The same in the second level, which gives the line to the first: it is there at `arrival`.
  [[nodiscard]] const unsigned char* look_up_second(std::uint64_t address, Cycle arrival);
  /// Cycles until the line that look_up() has found last is there.
  [[nodiscard]] Cycle until_arrival(Cycle now) const {
    return arrivals_[last_] > now ? arrivals_[last_] - now : 0;
  }
  /// Cycles until an operand's line is there; kNever: it must come from memory (`word.address`).
  [[nodiscard]] Cycle immediate(const isa::BankWord& word, Cycle now);
  /// A read that missed. kSend: `mshr` was taken, its line is to be fetched.
  Miss miss(std::uint64_t address, ConstantTarget target, bool may_send, std::uint32_t& mshr);
  /// Installs the line of an MSHR and frees it. The MSHR's targets stay readable until the next miss.
  void fill(std::uint32_t mshr, const unsigned char* line);
  void invalidate();
  /// The second level has these bytes, but for those of lines that they do not fill.
  void hold(std::uint64_t address, std::span<const std::byte> bytes);
  /// The first line that is here; nothing: none.
  [[nodiscard]] std::optional<std::uint64_t> any_line() const;
  [[nodiscard]] const cache::MshrTable<Waiting>& mshrs() const { return mshrs_; }
  [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const { return address & ~line_mask_; }

  std::uint64_t hits = 0, misses = 0, merges = 0, fills = 0, second_hits = 0, immediate_misses = 0;

 private:
  /// Tags and lines of a level.
  struct Level {
    cache::TagArray tags;  ///< line addresses
    std::vector<unsigned char> data;
    bool empty = true;  ///< no line has been placed since it was cleared
  };
  static void clear(Level& level) {
    if (!level.empty) level.tags.clear();
    level.empty = true;
  }
  [[nodiscard]] unsigned char* bytes_of(Level& level, std::uint32_t frame) const {
    return level.data.data() + (std::size_t{frame} << line_shift_);
  }
  /// The line gets a frame of the level.
  std::uint32_t install(Level& level, std::uint64_t line, const unsigned char* bytes) const;
  std::uint32_t line_shift_;
  std::uint64_t line_mask_;
  Level first_;
  std::vector<Cycle> arrivals_;                ///< of the first level's lines, by frame
  std::optional<cache::TagArray> immediates_;  ///< operands' lines, by bank and place
  std::vector<Cycle> immediate_arrivals_;      ///< of these, by frame
  Cycle immediate_latency_;
  std::optional<Level> second_;
  cache::MshrTable<Waiting> mshrs_;
  sim::ProgressMonitor& progress_;
  std::uint32_t last_ = 0;  ///< frame of the last hit: constants are read over and over
};

class ConstantCache : public sc_core::sc_module {
 public:
  ConstantCache(const sc_core::sc_module_name& name, const ConstantCacheConfig& config, base::CoreId core,
                sim::MemoryPool& pool, sim::ProgressMonitor& progress, base::StatGroup& stats);

 private:
  void serve(ConstantRequest& request);
  void inspect(ConstantRequest& request);
  /// The line of a read that missed, unless it is on its way.
  void fetch(ConstantRequest& request);
  void take_response(PortResponse& response);

 public:
  sim::BlockTarget<ConstantProtocol, ConstantCache, &ConstantCache::serve, &ConstantCache::inspect>
      constant_tsock{"constant_tsock", this}, immediate_tsock{"immediate_tsock", this};
  sim::BlockInitiator<ConstantValueProtocol> value_isock{"value_isock"};
  MemoryAccessPort port_isock{"port_isock"};
  sim::BlockTarget<PortResponseProtocol, ConstantCache, &ConstantCache::take_response> response_tsock{
      "response_tsock", this};

 private:
  ConstantCacheConfig config_;
  base::CoreId core_;
  sim::MemoryPool& pool_;
  ConstantCacheModel model_;
};

}  // namespace heddle::core
