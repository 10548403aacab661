#include "simt/hanoi/shape.h"

#include <bit>

namespace heddle::simt {

void HanoiConfig::visit(base::ConfigVisitor& v) {
  v.choice("profile", profile, {"P", "X", "barriers"},
           "P: the published mechanism, whose code must keep its contract ([Hanoi:K1] to [Hanoi:K6]); X: "
           "with a wait tag per "
           "lane and a dead bit per entry it never resumes a lane at a wrong place, whatever the code; "
           "barriers: as X "
           "without REC stack, as hardware was seen to run machine code: barrier registers alone say who "
           "waits for "
           "whom, and paths at one PC join. Of the keys below, barriers uses barrier_registers, "
           "private_registers, "
           "read_clears, joins and timing");
  v.field("barrier_registers", barrier_registers,
          {.unit = "registers",
           .doc = "Bx of a warp, those for WARPSYNC included",
           .min = 2,
           .max = kHanoiMostRegisters});
  v.field("private_registers", private_registers,
          {.unit = "registers",
           .doc = "of these, for WARPSYNC: the highest ones, which programs cannot name ([Hanoi:A5]); 0: 1 "
                  "in P, 4 otherwise",
           .max = kHanoiMostRegisters - 1});
  v.field(
      "reconvergence_entries", reconvergence_entries,
      {.unit = "entries",
       .doc = "REC stack of a warp ([Hanoi:A7]); a BSSY too many is an error in P and without effect in X",
       .min = 1,
       .max = kHanoiMostEntries});
  v.choice("yield", yield, {"swap", "exchange", "exchange_of_warp", "rotate"},
           "who has the turn after a YIELD ([Hanoi:A6]). swap: the path below, as published, which starves a "
           "third "
           "one; exchange: the siblings in turn, counted per entry or per warp; rotate: the running one goes "
           "below all its siblings");
  v.field("yield_releases", yield_releases,
          {.unit = "yields",
           .doc = "X: each time a warp has executed this many YIELDs, lanes that wait at a BSYNC go on "
                  "([Hanoi:A18]). For spin loops whose lock holder waits at the BSYNC behind the loop. 0: "
                  "never"});
  v.choice("waiting", waiting, {"all", "top"},
           "lanes that the waiting mask names ([Hanoi:A2]): those that wait at any entry, or, as [Hanoi] "
           "§VII has it literally, "
           "at the top one, which deadlocks");
  v.field("pops_empty", pops_empty,
          {.unit = "",
           .doc = "an entry that all lanes have left is popped ([Hanoi:A3]); without it kernels deadlock"});
  v.field("read_clears", read_clears,
          {.unit = "", .doc = "a plain BMOV Rx,Bx makes the register invalid, too ([Hanoi:A9])"});
  v.field(
      "checks_contract", checks_contract,
      {.unit = "",
       .doc = "P: a BSYNC that breaks the contract ends the run with an error ([Hanoi:A15], [Hanoi:A19])"});
  v.field("bsync_skip", bsync_skip,
          {.unit = "BSYNCs",
           .doc = "X: one in this many BSYNCs of a warp is passed without waiting, as Turing does now and "
                  "then ([Hanoi:B1]); 0: never"});
  v.choice(
      "timing", timing, {"ideal", "contract"},
      "ideal: an instruction's effect is complete for the next one; contract: pops of the REC stack, its "
      "search and scans of the WS stack take a cycle each, in which the warp does not issue ([Hanoi:T1])");
  v.choice(
      "joins", joins, {"anywhere", "bsync"},
      "barriers: where paths become one with the path at the same PC that gets the turn, besides behind a "
      "YIELD. anywhere; bsync: at a BSYNC, and lanes that it completes run before others of the path that "
      "arrives. An H100 did the first with code that logs its blocks, the second with calls through "
      "pointers. anywhere where code has saved a barrier register that names lanes: as bsync if no lane "
      "looks at others, else only behind a YIELD");
}

std::uint64_t hanoi_table_bits(const HanoiConfig& config) {
  constexpr std::uint64_t kPc = 32;
  constexpr std::uint64_t kLaneBits = std::bit_width(base::kLanes - 1u);
  const std::uint64_t index = std::bit_width(config.barrier_registers - 1u);
  std::uint64_t bits = base::kLanes * (kPc + base::kLanes);  // WS: as many paths as lanes
  // Of a lane: the register that it waits at and its PC, whether its path has yielded, registers that have let it pass.
  if (config.is_barriers())
    return bits + config.barrier_registers * std::uint64_t{base::kLanes + 1} + 2 * base::kLanes +
           base::kLanes * (index + kPc + 1 + config.barrier_registers) + 1;
  bits += config.reconvergence_entries * (kPc + index);
  bits += config.barrier_registers * std::uint64_t{base::kLanes + 1};
  bits += 2 * base::kLanes;  // waiting, finished
  if (config.is_x()) bits += base::kLanes * kLaneBits + config.reconvergence_entries;
  if (config.yield == HanoiYield::kExchange) bits += (config.reconvergence_entries + 1) * kLaneBits;
  if (config.yield == HanoiYield::kExchangeOfWarp) bits += kLaneBits;
  return bits;
}

}  // namespace heddle::simt
