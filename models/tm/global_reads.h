// Words of global memory that transactions read, on their way through a core's load/store unit, of which this is a client:
// past L1, which is not coherent (A9), and coalesced as every load is.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "core/memory/load_store_unit.h"
#include "isa/row_bytes.h"
#include "sim/block_socket.h"

namespace heddle::tm {

using base::LaneMask;
inline constexpr unsigned kMostWords = 4;  ///< of a lane's access
using LaneAddresses = std::array<std::uint64_t, base::kLanes>;
using LaneWords = std::array<std::array<std::uint32_t, kMostWords>, base::kLanes>;

struct GlobalAnswer {
  std::uint32_t tag = 0;
  LaneMask lanes;
  const LaneWords* words = nullptr;  ///< valid during the call
};
using GlobalAnswerProtocol = core::ProtocolOf<GlobalAnswer>;

class GlobalReads : public sc_core::sc_module {
 public:
  explicit GlobalReads(const sc_core::sc_module_name& name);
  /// Within the constructor of a module: becomes a client of the unit.
  void bind_unit(core::LoadStoreUnit& unit, const std::string& name);

  /// `words` (1, 2 or 4) of each lane, from addresses that are multiples of their bytes. False: the load/store unit has no
  /// room, and nothing has happened. `like`: whose rows and counters messages and statistics name.
  [[nodiscard]] bool load(const core::MemorySlice& like, LaneMask lanes, const LaneAddresses& address,
                          unsigned words, const core::CtaContext* cta, core::Pc pc, std::uint32_t tag,
                          core::Cycle cycle);

  sim::BlockInitiator<GlobalAnswerProtocol> answer_isock{"answer_isock"};

 private:
  void complete(core::LsuCompletion& done);
  struct Access {
    std::uint32_t tag = 0;
    isa::RowBytes rows;  ///< addresses, then words
  };

  sim::BlockInitiator<core::LsuProtocol> lsu_isock_{"lsu_isock"};
  sim::BlockTarget<core::LsuCompletionProtocol, GlobalReads, &GlobalReads::complete> completion_tsock_{
      "completion_tsock", this};
  core::LsuClient client_ = core::LsuClient::kCore;     ///< until it is bound
  std::array<isa::Instruction, kMostWords + 1> loads_;  ///< by words
  std::vector<std::unique_ptr<Access>> accesses_;
  std::vector<std::uint32_t> free_;
  core::MemoryCounters counters_;
};

}  // namespace heddle::tm
