// L1 instruction cache of a core: read-only, non-blocking. A miss reads the line from L2 through the
// memory port; further misses on that line wait for the same fill. It holds tags only: what the instructions
// are is known from the decoded kernel, machine code does not exist (the lines travel all the same and take
// their bandwidth and their place in L2).
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "cache/tag_array.h"
#include "core/config.h"
#include "core/protocols/fetch_protocol.h"
#include "core/protocols/port_protocol.h"
#include "sim/block_socket.h"

namespace heddle::core {

class InstructionCacheModel {
 public:
  explicit InstructionCacheModel(const InstructionCacheConfig& config);

  [[nodiscard]] bool hit(std::uint64_t line);
  /// A fill of the line is under way.
  [[nodiscard]] bool pending(std::uint64_t line) const;
  [[nodiscard]] bool mshr_free() const { return pending_.size() < config_.mshr_entries; }
  void start_fill(std::uint64_t line) { pending_.push_back(line); }
  void fill(std::uint64_t line);
  /// The lines in [begin, end) arrive with the first of them; `held`: from the second level.
  void expect(std::uint64_t begin, std::uint64_t end, bool held) {
    expected_begin_ = begin;
    expected_end_ = end;
    held_ = held;
    arrives_ = 0;
  }
  /// A line that is not here is asked for. Whether the second level has it: it is in its place now, and may be used late() cycles
  /// from then on.
  [[nodiscard]] bool fetch_held(std::uint64_t line, Cycle now);
  /// Cycles until lines from the second level arrive.
  [[nodiscard]] Cycle late(Cycle now) const { return arrives_ > now ? arrives_ - now : 0; }
  void flush();

 private:
  void place(std::uint64_t line);
  /// The lines that are expected get their places.
  void place_expected();

  InstructionCacheConfig config_;
  std::uint64_t expected_begin_ = 0, expected_end_ = 0;
  bool held_ = false;     ///< the second level has those
  Cycle arrives_ = 0;     ///< when what it was asked for does
  cache::TagArray tags_;  ///< line addresses
  std::vector<std::uint64_t> pending_;
  std::uint64_t recent_ = cache::TagArray::kEmpty;  ///< line used last: using it again changes nothing
};

class InstructionCache : public sc_core::sc_module {
 public:
  InstructionCache(const sc_core::sc_module_name& name, const InstructionCacheConfig& config,
                   base::CoreId core, sim::MemoryPool& pool, base::StatGroup& stats);

 private:
  void serve(L1iRequest& request);
  void begin_launch(const L1iRequest& request);
  void take_response(PortResponse& response);

 public:
  sim::BlockTarget<L1iProtocol, InstructionCache, &InstructionCache::serve> l1i_tsock{"l1i_tsock", this};
  sim::BlockInitiator<L1iRefillProtocol> refill_isock{"refill_isock"};
  MemoryAccessPort port_isock{"port_isock"};
  sim::BlockTarget<PortResponseProtocol, InstructionCache, &InstructionCache::take_response> response_tsock{
      "response_tsock", this};

 private:
  InstructionCacheConfig config_;
  base::CoreId core_;
  sim::MemoryPool& pool_;
  InstructionCacheModel model_;
  std::uint64_t accesses_ = 0, second_hits_ = 0, misses_ = 0, merges_ = 0, stalls_ = 0, fills_ = 0;
};

}  // namespace heddle::core
