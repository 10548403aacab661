#include "resync/core/resync_config.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/lane_mask.h"
#include "resync/policy_names.h"
#include "resync/selection_rules.h"

namespace heddle::resync {
namespace {

constexpr const char* kPolicyKey = "core.control_flow.resync.policy";
constexpr std::uint64_t kPcBits = 32, kLevelBits = 16;

struct Family {
  std::string_view prefix;
  PolicyTraits::Order order;
  bool waits;
};
using Order = PolicyTraits::Order;
// The first that fits.
constexpr Family kFamilies[] = {
    {"MinPC", Order::kLeastPc, false},         {"MinSP_MinPC", Order::kMostFirst, false},
    {"MaxFunMinPC", Order::kMostFirst, false}, {"Long(", Order::kTurns, false},
    {"LongMinPC(", Order::kTurns, false},      {"LongMinSP(", Order::kTurns, false},
    {"LongIRB(", Order::kTurns, false},        {"Lee", Order::kTurns, false},
    {"PDomMinPC", Order::kLeastPc, true},      {"PDomMinSP", Order::kMostFirst, true},
    {"PDomMaxFun", Order::kMostFirst, true},   {"PDomMaxSP", Order::kFewestFirst, true},
    {"PDomMinFun", Order::kFewestFirst, true}, {"PDomRB", Order::kTurns, true},
    {"PDomLong(", Order::kTurns, true},        {"PDomSerial", Order::kTurns, true},
    {"LongestPath", Order::kFrontier, false},  {"RoundRobin", Order::kTurns, false},
};

std::uint64_t history_entries(const std::string& policy) {
  const std::size_t open = policy.find('(');
  return open == std::string::npos ? 0 : std::stoull(policy.substr(open + 1));
}

}  // namespace

void ResyncConfig::visit(base::ConfigVisitor& v) {
  v.field("policy", policy,
          {.doc = "which PC next ([Resync] ch. 3), by the name of its table with parameters and "
                  "options, "
                  "for example MinPC, LongMinSP(4), PDomMinSP, PDomMinPC+top_only, Lee+function_stack "
                  "([Resync:M4]); heddle "
                  "resync --help lists them"});
  v.choice("decisions", decisions, {"block", "instruction"},
           "when the policy decides ([Resync:M6], [Resync:M2], [Resync:M16]): at the ends of blocks, calls, "
           "returns, barriers, exits "
           "and when "
           "lanes wake up; or before every instruction. Lanes that wait at a PC join in any case");
  v.choice(
      "block_starts", block_starts, {"hardware", "compiler"},
      "hardware: a block starts behind a branch, call or return; compiler: joins that are reached by falling "
      "through are marked as well ([Resync:C3]). Policies with compiler marks see those in any case "
      "([Resync:M17])");
  v.choice(
      "depth", depth, {"frames", "level"},
      "what stands for the stack pointer, which PTX does not have ([Resync:S11]): local memory of the "
      "functions that a lane is in plus 8 bytes for each, or the number of functions. MaxFunMinPC2 and 3 "
      "are as 1 with level");
  v.choice("block_priority", block_priority, {"longest_path", "topological"},
           "of blocks for LongestPath1 and P ([Resync] §3.2.3): the number of blocks on the longest path to "
           "the function's "
           "end, as published; or weak topological order, as thread frontiers ask for");
  v.field("aging_selections", aging_selections,
          {.unit = "selections",
           .doc = "a lane that could run and was not selected for this many selections runs next, for one "
                  "block, whatever the policy and its masks say; lanes that wait at a post-dominator wait no "
                  "longer ([Resync:L1]). 0: never, as published; then spinning lanes may starve the lane "
                  "that they wait for"});
  v.field("selection_latency_cycles", selection_latency_cycles,
          {.unit = "core cycles",
           .doc = "from the end of a block to the selection, if lanes are at more than one PC; the warp "
                  "issues nothing "
                  "meanwhile. 0: none, the instruction buffer's refill covers it",
           .max = 1000});
  v.field("selection_interval_cycles", selection_interval_cycles,
          {.unit = "core cycles",
           .doc = "between two selections of a core: its warps share the selector; 0: one per warp",
           .max = 1000});
}

PolicyTraits traits_of(const ResyncConfig& config) {
  try {
    (void)make_policy(config.policy);
  } catch (const base::InputError& error) {
    throw base::InputError(kPolicyKey, error.message(), error.remedy());
  }
  if (config.policy.find("+aging") != std::string::npos || config.policy.find("+block") != std::string::npos)
    throw base::InputError(kPolicyKey,
                           fmt::format("'{}': aging and block are keys of their own", config.policy),
                           "Set core.control_flow.resync.aging_selections or decisions.");
  PolicyTraits traits;
  for (const Family& family : kFamilies) {
    if (!config.policy.starts_with(family.prefix)) continue;
    traits.order = family.order;
    traits.waits_at_post_dominators = family.waits;
    traits.compares_depth =
        config.depth == Depth::kFrames && (config.policy.find("SP") != std::string::npos ||
                                           config.policy.find("MaxFunMinPC2") != std::string::npos ||
                                           config.policy.find("MaxFunMinPC3") != std::string::npos);
    const std::uint64_t lanes = base::kLanes;
    traits.bits_per_warp = lanes * (kPcBits + 1);  // PC and "live"
    if (family.order == Order::kMostFirst || family.order == Order::kFewestFirst ||
        family.order == Order::kFrontier || family.waits)
      traits.bits_per_warp += lanes * kLevelBits;
    if (family.order == Order::kFrontier) traits.bits_per_warp += lanes * 20;
    if (config.policy.find("Long") != std::string::npos && family.order == Order::kTurns)
      traits.history_entries = history_entries(config.policy);
    traits.bits_per_warp += lanes * traits.history_entries * kPcBits;
    if (config.policy.starts_with("Lee")) traits.bits_per_warp += 2 * lanes;
    if (family.waits) traits.bits_per_warp += lanes * (20 + kLevelBits + lanes + 6);  // 32 divergence entries
    return traits;
  }
  throw base::InputError(kPolicyKey, fmt::format("'{}' is for the replay of traces only", config.policy),
                         "A core can have MinPC, MinSP_MinPC, MaxFunMinPC1, Long(8), Lee, PDomMinSP, "
                         "LongestPath1, RoundRobinEq and their kin.");
}

std::unique_ptr<SelectionPolicy> make_core_policy(const ResyncConfig& config, std::uint64_t* aged) {
  auto policy = make_policy(config.policy);
  if (config.decisions == Decisions::kBlock) policy = by_blocks(std::move(policy));
  if (config.aging_selections != 0) policy = with_aging(std::move(policy), config.aging_selections, aged);
  return policy;
}

}  // namespace heddle::resync
