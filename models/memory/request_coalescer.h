// Coalesces reads of the cores of a GPC in front of the network, as Hopper's L2 request coalescer does. Plain C++.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "cache/mshr_table.h"
#include "memory/config.h"
#include "sim/memory_payload.h"

namespace heddle::memory {

/// A GPC has a table of reads that are on their way to L2 (CrossbarConfig::group_of_core, coalescer_entries). A read of the
/// same line and the same sectors, by a core of the same GPC, goes no farther: it gets a copy of the first one's answer. At
/// most CrossbarConfig::coalesced_reads reads share an answer; the next one goes to L2, and others join that.
///
/// What a read gets is never older than what it may see. It joins none that was sent before its core's last acquire
/// (MemoryExtension::join_from). From a write, an atomic or a read that is to go to L2 (a strong one, or behind a store of its core)
/// until its answer, no read of the GPC to its line joins another one or is joined, and none joins those before: whoever has seen
/// what that did asks L2 later. Nor is such a request performed before a read of its own core that waits here: it waits as well. (In place of lines the coalescer counts their hashes: others of the same hash wait as well.)
///
/// Abstracted: the table takes no time. An answer is copied when it enters the network; each copy takes the link of its core.
class RequestCoalescer {
 public:
  using Payload = tlm::tlm_generic_payload;

  RequestCoalescer(const CrossbarConfig& config, unsigned cores);
  [[nodiscard]] bool on() const { return !tables_.empty(); }
  enum class Way : std::uint8_t {
    kGoes,   ///< to L2
    kStays,  ///< here, for the answer of another one
    kWaits,  ///< asked again later: a read of its core and line is here, whose first one L2 might perform behind it
  };
  /// The request is the next one on its core's link. `room`: whether one more answer to its core can be kept.
  [[nodiscard]] Way take(Payload& request, bool room);
  /// The answer to a request comes: give(core, follower) for each read that waits for it. They are filled in.
  template <class Give>
  void answered(Payload& answer, Give give) {
    sim::MemoryExtension& first = sim::memory_extension(answer);
    if (!first.joined) {
      if (orders(answer)) --passing(first.core, answer.get_address());
      return;
    }
    Table& table = tables_[group_of_core_[first.core.value()]];
    std::uint32_t entry = table.find(answer.get_address());
    while (table.targets(entry)[0] != &answer) entry = table.find_next(entry);
    for (std::uint32_t i = 1; i < table.target_count(entry); ++i) {
      Payload& follower = *table.targets(entry)[i];
      copy(answer, follower);
      const unsigned core = sim::memory_extension(follower).core.value();
      --waiting_[core];
      give(core, follower);
    }
    table.release(entry);
    first.joined = false;
  }
  /// Reads of the core that wait.
  [[nodiscard]] unsigned waiting(unsigned core) const { return waiting_[core]; }
  /// Those, and the answers of others that are on their way to it.
  [[nodiscard]] unsigned following(unsigned core) const { return following_[core]; }
  /// The core has an answer.
  void delivered(sim::MemoryExtension& ext) {
    if (ext.follows) --following_[ext.core.value()];
    ext.follows = false;
  }

  std::uint64_t joined = 0;      ///< reads that waited here
  std::uint64_t table_full = 0;  ///< reads that went to L2 without an entry

 private:
  using Table = cache::MshrTable<Payload*>;
  static constexpr std::uint64_t kHashes = 1024;
  /// A write, an atomic, or a read of some sector that L2 is to serve.
  [[nodiscard]] static bool orders(Payload& request);
  /// How many requests are on their way, from the GPC to lines of this one's hash, that order reads.
  [[nodiscard]] std::uint32_t& passing(base::CoreId core, std::uint64_t line) {
    const std::uint64_t number = line / sim::kMaxLineBytes;
    return passing_[group_of_core_[core.value()] * kHashes + (number ^ number / kHashes) % kHashes];
  }
  static void copy(const Payload& answer, Payload& follower);

  std::vector<std::uint32_t> group_of_core_;
  std::vector<Table> tables_;           ///< by GPC; empty: off
  std::vector<std::uint32_t> passing_;  ///< by GPC and hash
  std::vector<unsigned> waiting_;       ///< by core
  std::vector<unsigned> following_;     ///< by core
};

}  // namespace heddle::memory
