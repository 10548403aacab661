#include "tm/comparison/ideal_stores.h"

#include <algorithm>

#include "tm/tx_log.h"

namespace heddle::tm {

void IdealStores::append(WarpId id, LaneMask lanes, const LaneAddresses& address, unsigned bytes) {
  warps_[id.value()].rows.push_back({lanes, address, bytes});
}

void IdealStores::pack(WarpId id, LaneMask lanes, IdealMemory& memory) {
  Warp& warp = warps_[id.value()];
  for (const Row& row : warp.rows) {
    const std::size_t queued = waiting_.size();
    (row.lanes & lanes).for_each([&](unsigned lane) {
      const std::uint64_t line = row.address[lane] / line_bytes_ * line_bytes_;
      auto packet = std::find_if(waiting_.begin() + static_cast<std::ptrdiff_t>(queued), waiting_.end(),
                                 [&](const Packet& each) { return each.line == line; });
      if (packet == waiting_.end()) {
        waiting_.push_back({id, line, {}});
        packet = waiting_.end() - 1;
        ++warp.waiting;
        ++warp.out;
      }
      const std::uint64_t first = row.address[lane] - line;
      const std::uint64_t word = first / kWordBytes * kWordBytes;
      // A word is a packet's once, whichever lanes write its bytes.
      bool known = false;
      for (std::uint64_t byte = word; byte < word + kWordBytes; ++byte) known = known || packet->bytes[byte];
      if (!known) memory.leaves(line + word);
      for (std::uint64_t byte = first; byte < first + row.bytes; ++byte) packet->bytes.set(byte);
    });
  }
  warp.rows.clear();
}

bool IdealStores::sent() {
  Warp& warp = warps_[waiting_.front().warp.value()];
  waiting_.pop_front();
  return --warp.waiting == 0;
}

}  // namespace heddle::tm
