#include "sim/twins.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/twin_difference.h"

namespace heddle::sim {

void visit_implementation(base::ConfigVisitor& v, Implementation& impl) {
  v.choice("impl", impl, {std::begin(kImplementationNames), std::end(kImplementationNames)},
           "the block as model, as RTL, or both in lockstep: the first difference ends the run");
}

void TwinConfig::visit(base::ConfigVisitor& v) { visit_implementation(v, impl); }

void TwinUse::count(std::uint64_t request_clocks) {
  ++requests;
  clocks += request_clocks;
  if (timing == Timing::kContract) {  // one at a time, in clocks of who asks
    busy_clocks += request_clocks;
    return;
  }
  if (core_clock == nullptr) return;
  const base::Cycle now = core_clock->cycle();
  if (now != cycle_) clocks_in_cycle_ = 0;
  beyond_ports += clocks_in_cycle_ == 0 ? request_clocks - 1 : request_clocks;
  clocks_in_cycle_ += request_clocks;
  cycle_ = now;
  most_clocks_in_a_cycle = std::max(most_clocks_in_a_cycle, clocks_in_cycle_);
}

void TwinUse::ask(const char* operation) {
  auto found = operations.find(operation);
  if (found == operations.end()) found = operations.emplace(operation, 0).first;
  ++found->second;
}

void TwinUse::step(base::Cycle cycle, std::uint64_t answers, bool busy) {
  const bool again = clocks != 0 && cycle <= cycle_;
  clocks_in_cycle_ = again ? clocks_in_cycle_ + 1 : 1;
  beyond_ports += (again ? 1 : 0) + (answers > 1 ? answers - 1 : 0);
  most_clocks_in_a_cycle = std::max(most_clocks_in_a_cycle, clocks_in_cycle_);
  ++clocks;
  if (busy) ++busy_clocks;
  requests += answers;
  cycle_ = cycle;
}

void Twins::fail_missing(const char* block, const std::string& path) {
  throw base::InputError(
      path, fmt::format("this program has no RTL of the block {}", block),
      "Use impl: model, or the heddle command of a build with HEDDLE_RTL=ON (the default).");
}

void report_difference(const TwinDifference& d) {
  throw base::Error(
      base::ExitCode::kTwinMismatch, fmt::format("{}, core cycle {}", d.path, d.cycle),
      fmt::format("model and RTL of {} differ\n"
                  "  request        {}\n"
                  "  model answers  {}\n"
                  "  RTL answers    {}\n"
                  "  model's tables {}\n"
                  "  RTL's tables   {}",
                  d.block, d.request.dump(), d.model_answer.dump(), d.rtl_answer.dump(),
                  d.model_tables.dump(), d.rtl_tables.dump()),
      fmt::format("Reproduce it with the block's bench (tb/blocks/{}), waves with HEDDLE_WAVES=DIR.",
                  d.block));
}

}  // namespace heddle::sim
