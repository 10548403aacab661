// Accesses to the logs on their way through a core's load/store unit, of which this is a client: a store or a load of up to
// a line each, in memory that only this core uses, so that L1 keeps it as it keeps local memory. The data is real: what a
// load brings is what memory holds.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "core/memory/load_store_unit.h"
#include "isa/row_bytes.h"
#include "sim/block_socket.h"

namespace heddle::warp_log {

inline constexpr unsigned kLineWords = 32;

/// An access that is done, or a line that one displaced from L1 and that is in L2 now.
struct LogAnswer {
  bool displaced_line = false;
  bool was_load = false;
  std::uint64_t tag = 0;
  std::span<const std::uint32_t> words;  ///< of a load; valid during the call
};
using LogAnswerProtocol = core::ProtocolOf<LogAnswer>;

class LogTraffic : public sc_core::sc_module {
 public:
  LogTraffic(const sc_core::sc_module_name& name, base::StatGroup& stats);
  /// Within the constructor of a module: becomes a client of the unit.
  void bind_unit(core::LoadStoreUnit& unit, const std::string& name);

  // Within the core's cycle. False: the load/store unit has no room, and nothing has happened. Accesses are served in
  // the order in which they were taken.
  [[nodiscard]] bool store(core::WarpId warp, std::uint64_t address, std::span<const std::uint32_t> words,
                           std::uint64_t tag, core::Cycle cycle);
  [[nodiscard]] bool load(core::WarpId warp, std::uint64_t address, unsigned words, std::uint64_t tag,
                          core::Cycle cycle);
  /// Nothing is on its way, lines that were displaced from L1 included.
  [[nodiscard]] bool quiet() const { return counters_.memory_outstanding == 0; }
  /// Everything but those lines.
  [[nodiscard]] bool answered() const { return outstanding_ == 0; }

  sim::BlockInitiator<LogAnswerProtocol> answer_isock{"answer_isock"};

 private:
  void complete(core::LsuCompletion& done);
  struct Access {
    std::uint64_t tag = 0;
    isa::RowBytes rows;  ///< addresses, then words
  };
  bool offer(core::WarpId warp, std::uint64_t address, unsigned words, const isa::Instruction& instruction,
             std::uint32_t access, core::Cycle cycle);
  std::uint32_t allocate();

  core::LsuPort lsu_isock_{"lsu_isock"};
  sim::BlockTarget<core::LsuCompletionProtocol, LogTraffic, &LogTraffic::complete> completion_tsock_{
      "completion_tsock", this};
  core::LsuClient client_ = core::LsuClient::kCore;  ///< until it is bound
  isa::Instruction store_;
  isa::Instruction load_;
  std::vector<std::unique_ptr<Access>> accesses_;
  std::vector<std::uint32_t> free_;
  core::MemoryCounters counters_;
  std::uint64_t outstanding_ = 0;
  std::uint64_t loads_ = 0, stores_ = 0, refused_ = 0;
};

}  // namespace heddle::warp_log
