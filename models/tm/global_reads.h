// Words of global memory that transactions read: past L1, which is not coherent ([KiloTM:A9]), straight to the memory port.
// The lanes of an access that are in one line share a request, and one request leaves in a cycle. A response brings back,
// beside its data, when the block was last written (temporal conflict detection, last_written_times.h).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "core/memory/memory_port.h"
#include "sim/block_socket.h"
#include "tm/last_written_times.h"
#include "tm/tx_log.h"

namespace heddle::tm {

inline constexpr unsigned kMostWords = 4;  ///< of a lane's access
using LaneAddresses = std::array<std::uint64_t, base::kLanes>;
using LaneWords = std::array<std::array<std::uint32_t, kMostWords>, base::kLanes>;

struct GlobalAnswer {
  std::uint32_t tag = 0;
  LaneMask lanes;
  const LaneWords* words = nullptr;                                ///< valid during the call
  const std::array<LastWritten, base::kLanes>* written = nullptr;  ///< likewise
};
using GlobalAnswerProtocol = core::ProtocolOf<GlobalAnswer>;

class GlobalReads : public sc_core::sc_module {
  void take_response(core::PortResponse& response);

 public:
  /// Within the constructor of a module: becomes a client of the port. Lines of `line_bytes`.
  GlobalReads(const sc_core::sc_module_name& name, core::MemoryPort& port, sim::MemoryPool& pool,
              std::uint32_t line_bytes);

  sim::BlockInitiator<GlobalAnswerProtocol> answer_isock{"answer_isock"};
  core::MemoryAccessPort port_isock{"port_isock"};
  sim::BlockTarget<core::PortResponseProtocol, GlobalReads, &GlobalReads::take_response> response_tsock{
      "response_tsock", this};

  /// `words` (1, 2 or 4) of each lane, from addresses that are multiples of their bytes.
  void load(LaneMask lanes, const LaneAddresses& address, unsigned words, std::uint32_t tag);
  /// A cycle: a request leaves if the port has room.
  void tick(base::Cycle cycle);
  [[nodiscard]] bool waiting() const { return !to_send_.empty(); }
  [[nodiscard]] const std::uint64_t& lines() const { return lines_; }

 private:
  struct Access {
    std::uint32_t tag = 0;
    unsigned words = 0;
    unsigned missing = 0;  ///< lines
    LaneMask lanes;
    LaneAddresses address{};
    LaneWords values{};
    std::array<LastWritten, base::kLanes> written{};
  };
  struct Line {
    std::uint32_t access = 0;
    std::uint64_t address = 0;
  };

  sim::MemoryPool& pool_;
  std::uint32_t line_bytes_;
  core::PortClient client_;
  std::vector<std::unique_ptr<Access>> accesses_;
  std::vector<std::uint32_t> free_;
  std::deque<Line> to_send_;
  std::uint64_t lines_ = 0;
};

}  // namespace heddle::tm
