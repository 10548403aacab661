// The splits table (ST) of a core: per warp 32 entries of {PC, RPC, R-Index, active mask},
// [AWARE] §5.1, §5.5.1. Each valid entry is a set of lanes that run together; their masks are disjoint.
//
// Virtualised ([AWARE] §5.5.2), fewer entries are physical; the others' contents are in memory. The numbers
// of entries and what [AWARE] Tab 5.2 does not count (split.h) stay here.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <systemc>
#include <vector>

#include "sim/block_socket.h"
#include "sim/clocked_twin.h"
#include "sim/twins.h"
#include "simt/split.h"

namespace heddle::simt {

struct SplitTableRequest {
  enum class Op : std::uint8_t {
    kReset,   ///< all entries of the warp become free
    kInsert,  ///< `split` gets an `id`; `ok`: and a physical entry
    kRead,    ///< `ok`: the entry `id` is physical, `split` := it; `valid`: the number is in use
    kWrite,   ///< the physical entry `id` := `split`
    kFree,    ///< `id` becomes free
    kEvict,   ///< the contents of the physical entry `id` leave: `words` are to be spilled
    kFill,    ///< `id` gets a physical entry with the contents `words`; `ok`: there was one free
    kMatch,   ///< `id` of an entry other than `id` with `split`'s pc, frame and point that is not blocked
  };
  static constexpr const char* kOpNames[] = {"reset", "insert", "read", "write",
                                             "free",  "evict",  "fill", "match"};
  Op op = Op::kRead;
  WarpId warp{};
  SplitId id = kNoSplit;
  Split split{};
  std::array<std::uint32_t, 3> words{};
  bool ok = false;
  bool valid = false;
  std::uint32_t clocks = 1;  ///< answer of all: from its acceptance to the answer, cost(request) of the model
};
struct SplitTableProtocol {
  using tlm_payload_type = SplitTableRequest;
  using tlm_phase_type = tlm::tlm_phase;
};

class SplitTableModel {
 public:
  /// `physical`: entries per warp, 1..32.
  SplitTableModel(std::uint32_t warps, std::uint32_t physical) : warps_(warps), physical_(physical) {}
  void serve(SplitTableRequest& request);
  /// kRead only; an entry that is not physical reads as it was when it left.
  void inspect(SplitTableRequest& request) const;
  /// Clocks from its acceptance to the answer: kMatch visits an entry that may match in each.
  [[nodiscard]] std::uint32_t cost(const SplitTableRequest& request) const;

 private:
  struct Warp {
    std::uint32_t valid = 0;     ///< bit i: number i is in use
    std::uint32_t resident = 0;  ///< bit i: it has a physical entry
    std::array<Split, kTableEntries> entries;
  };
  [[nodiscard]] bool room(const Warp& warp) const;
  struct Match {
    SplitId id = kNoSplit;
    std::uint32_t visited = 0;  ///< entries that have been looked at
  };
  [[nodiscard]] static Match match(const Warp& warp, const SplitTableRequest& request);
  [[nodiscard]] static constexpr std::uint32_t cost(const Match& match) { return 1 + match.visited; }

  std::vector<Warp> warps_;
  std::uint32_t physical_;
};

/// rtl/split_table.
struct SplitTableBlock {
  static constexpr const char* kName = "split_table";
  struct Shape {
    std::uint32_t warps = 0;
    std::uint32_t physical = 0;  ///< entries per warp
    sim::Timing timing = sim::Timing::kIdeal;
  };
  using Request = SplitTableRequest;
  using Interface = sim::Twin<Request>;
  using Model = SplitTableModel;
  /// What is not an answer of the operation is as in Answer{}.
  struct Answer {
    SplitId id = kNoSplit;
    Split split{};
    std::array<std::uint32_t, 3> words{};
    bool ok = false;
    bool valid = false;
    std::uint32_t clocks = 1;
    bool operator==(const Answer&) const = default;
  };
  static Answer answer_of(const Request& request);
  static nlohmann::ordered_json show_request(const Request& request);
  static nlohmann::ordered_json show_answer(const Answer& answer);
  static nlohmann::ordered_json show_tables(const Request& of, const std::function<void(Request&)>& inspect);
};

/// A spill record of 12 bytes: PC, RPC as 29-bit instruction numbers, their upper bits the R-Index, and the
/// mask ([AWARE] §5.5.2).
[[nodiscard]] std::array<std::uint32_t, 3> pack(const Split& split);
/// Overwrites what the record holds.
void unpack(const std::array<std::uint32_t, 3>& words, Split& split);

class SplitTable : public sc_core::sc_module {
 public:
  SplitTable(const sc_core::sc_module_name& name, std::uint32_t warps, std::uint32_t physical,
             const sim::ClockedTwinConfig& config = {}, sim::Twins* twins = nullptr)
      : sc_module(name),
        block_(config.impl, twins, {warps, physical, config.timing}, this->name(),
               SplitTableModel(warps, physical)) {}

 private:
  void serve(SplitTableRequest& request) { block_.serve(request); }
  void inspect(SplitTableRequest& request) const { block_.inspect(request); }

 public:
  sim::BlockTarget<SplitTableProtocol, SplitTable, &SplitTable::serve, &SplitTable::inspect>
      split_table_tsock{"split_table_tsock", this};

 private:
  sim::Twinned<SplitTableBlock> block_;
};

}  // namespace heddle::simt

HEDDLE_SOCKETS_ELSEWHERE(heddle::simt::SplitTableProtocol);
