// The texture unit of the load/store unit: makes texel reads of a fetch, which L1 serves as it serves other loads, and
// filters what comes back. Times are core cycles.
//
//   load/store unit --take()--> headers, addresses of texels (isa/texture.h)
//                   --start()-> reads of texels, one a corner of the threads' footprints --> access(): lines, L1, L2
//                   take_texels() <-- what was read; the fetch is complete `latency_cycles` behind the last
//                   write_back() --> filter, registers
//
// The unit addresses and filters `lanes_per_cycle` threads a cycle. The texels' reads pass the load/store unit's queue, so that a
// fetch never waits behind one that waits for it. Headers are read without time: a header cache that always hits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/stats.h"
#include "core/config.h"
#include "core/memory/access_check.h"
#include "core/memory/memory_instruction.h"
#include "core/memory/pending_request_table.h"
#include "core/memory/texture_access.h"

namespace heddle::core {

/// Whose the reads of texels are.
inline constexpr LsuClient kTextureClient{0xff};

class TextureStage {
 public:
  /// All of them outlive the stage. Lines of `line_bytes`.
  TextureStage(const TextureConfig& config, std::uint32_t line_bytes,
               const host::AllocationTable& allocations, AddressResolver& resolver,
               PendingRequestTable& requests);
  void declare(base::StatGroup& stats);

  /// A kTexture: reads its sources. Throws base::KernelFault for a handle of no such object, and for an access outside that
  /// traps. `bypasses_l1`: whether a load like that does.
  template <class Bypasses>
  void take(MemoryInstruction& op, const AccessContext& context, Bypasses&& bypasses_l1) {
    Fetch& fetch = begin(op, context);
    for (MemoryInstruction* const read : fetch.reads)
      read->bypass_l1 = !config_.cached || bypasses_l1(*read->instruction);
  }
  /// A kSurfaceStore, likewise: fills in addresses, data and accesses of the lanes that store.
  void resolve_store(MemoryInstruction& op, const AccessContext& context);

  /// A taken fetch is at the head of the queue. False: the unit has no room for it.
  bool start(MemoryInstruction& op, Cycle cycle);
  /// There are reads to serve or to come.
  [[nodiscard]] bool busy() const { return !reads_.empty(); }
  /// The first of them may be served from this cycle on.
  [[nodiscard]] Cycle next_read() const { return reads_.front().from; }
  [[nodiscard]] MemoryInstruction& read() { return *reads_.front().op; }
  /// All its lines are served or sent for.
  void read_done() { reads_.pop_front(); }
  /// A read has got its texels, and is freed.
  void take_texels(MemoryInstruction& read, Cycle cycle);
  /// A fetch is complete: its registers get their values.
  void write_back(MemoryInstruction& op);

 private:
  /// 16 bytes: two rows of 64 bits.
  using Rows = std::array<std::byte, std::size_t{2} * kLanes * 8>;
  struct Fetch {
    unsigned missing = 0;  ///< reads
    Cycle passes = 0;      ///< of addressing, or of filtering
    TextureObjects objects;
    TextureFootprints footprints{};
    std::array<std::array<std::byte, isa::kMostTexels * isa::kTexelBytes>, kLanes> texels{};
    std::vector<MemoryInstruction*> reads;
  };
  /// Whose texels a read gets, by its index in the table.
  struct Owner {
    MemoryInstruction* op = nullptr;
    unsigned texel = 0;
    alignas(64) Rows rows{};
  };
  struct TexelRead {
    MemoryInstruction* op = nullptr;
    Cycle from = 0;
  };

  Fetch& begin(MemoryInstruction& op, const AccessContext& context);
  void make_reads(MemoryInstruction& op, const AccessContext& context, Fetch& fetch, bool surface);
  [[nodiscard]] const isa::Instruction& load_of(unsigned bytes, bool surface) const;
  [[nodiscard]] Fetch& fetch_of(const MemoryInstruction& op) { return *fetches_[op.index]; }

  TextureConfig config_;
  std::uint32_t line_bytes_;
  const host::AllocationTable& allocations_;
  TextureAccess access_;
  PendingRequestTable& requests_;
  std::array<isa::Instruction, 10> loads_{};  ///< of 1, 2, 4, 8 and 16 bytes, of textures, then of surfaces
  std::vector<std::unique_ptr<Fetch>> fetches_;  ///< by index in the table
  std::vector<std::unique_ptr<Owner>> owners_;   ///< likewise
  std::deque<TexelRead> reads_;
  std::uint32_t started_ = 0;  ///< fetches
  Cycle busy_until_ = 0;

  std::uint64_t instructions_ = 0, lanes_ = 0, texels_ = 0, filtered_ = 0, surface_stores_ = 0,
                busy_cycles_ = 0, read_accesses_ = 0;
};

}  // namespace heddle::core
