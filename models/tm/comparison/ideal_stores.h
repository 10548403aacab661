// What ideal transactional memory writes when that costs what stores cost (tm.ideal.writes=stores): the rows that the stores of
// a warp's attempt make, and from them, when lanes have committed, a packet for each row and line. Of one core; without SystemC.
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "sim/memory_payload.h"
#include "tm/comparison/ideal_memory.h"
#include "tm/global_reads.h"

namespace heddle::tm {

class IdealStores {
 public:
  using WarpId = base::WarpId;
  struct Packet {
    WarpId warp{};
    std::uint64_t line = 0;  ///< address
    std::bitset<sim::kMaxLineBytes> bytes;
  };

  IdealStores(std::size_t warps, unsigned line_bytes) : line_bytes_(line_bytes), warps_(warps) {}

  /// Another attempt of the warp.
  void begin(WarpId id) { warps_[id.value()].rows.clear(); }
  /// A store, or an atomic: `bytes` of each lane, within a word.
  void append(WarpId id, LaneMask lanes, const LaneAddresses& address, unsigned bytes);
  /// The lanes have committed: what they have written waits to leave the core.
  void pack(WarpId id, LaneMask lanes, IdealMemory& memory);

  /// Of those that wait to leave the core, the oldest; null: none.
  [[nodiscard]] const Packet* next() const { return waiting_.empty() ? nullptr : &waiting_.front(); }
  /// It has left. Whether that was the last one of its warp.
  bool sent();
  /// L2 has performed one of the warp's packets. Whether that was the last one, and somebody waits for it.
  bool performed(WarpId id) {
    Warp& warp = warps_[id.value()];
    return --warp.out == 0 && std::exchange(warp.awaited, false);
  }
  /// Packets of the warp that have not left.
  [[nodiscard]] bool waiting(WarpId id) const { return warps_[id.value()].waiting != 0; }
  /// Whether L2 has not performed all packets of the warp: then it waits for them.
  [[nodiscard]] bool await(WarpId id) {
    Warp& warp = warps_[id.value()];
    return warp.awaited = warp.out != 0;
  }

 private:
  struct Row {
    LaneMask lanes;
    LaneAddresses address{};
    unsigned bytes = 0;
  };
  struct Warp {
    std::vector<Row> rows;
    std::uint32_t waiting = 0, out = 0;  ///< packets
    bool awaited = false;
  };

  unsigned line_bytes_;
  std::vector<Warp> warps_;
  std::deque<Packet> waiting_;
};

}  // namespace heddle::tm
