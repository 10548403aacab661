#include "microbench/benchmark.h"

#include <fmt/format.h>

#include <cmath>

#include "microbench/number.h"
#include "microbench/suite.h"

namespace heddle::microbench {
namespace {

/// Values are quotients of integers: exact ones differ only by the rounding of the division.
constexpr double kRounding = 1e-9;

}  // namespace

bool Expectation::accepts(double measured) const {
  const double rounding = kRounding * std::max(1.0, std::abs(value));
  switch (bound) {
    case Bound::kExactly:
      return std::abs(measured - value) <= rounding;
    case Bound::kAtLeast:
      return measured >= value - rounding;
    case Bound::kAtMost:
      return measured <= value + rounding;
    case Bound::kWithin:
      return std::abs(measured - value) <= slack + rounding;
  }
  return false;
}

std::string Expectation::text() const {
  switch (bound) {
    case Bound::kExactly:
      return number(value);
    case Bound::kAtLeast:
      return ">= " + number(value);
    case Bound::kAtMost:
      return "<= " + number(value);
    case Bound::kWithin:
      return slack == 0 ? number(value) : fmt::format("{} +- {}", number(value), number(slack));
  }
  return {};
}

Expectation exactly(double value) { return {Expectation::Bound::kExactly, value, 0}; }
Expectation at_least(double value) { return {Expectation::Bound::kAtLeast, value, 0}; }
Expectation at_most(double value) { return {Expectation::Bound::kAtMost, value, 0}; }
Expectation within(double slack, double of) { return {Expectation::Bound::kWithin, of, slack}; }

const std::vector<Benchmark>& all() {
  static const std::vector<Benchmark> benchmarks = {alu_latency::alu_latency(),
                                                    alu_throughput::alu_throughput(),
                                                    ilp::ilp_ladder(),
                                                    register_file::register_banks(),
                                                    register_file::operand_collectors(),
                                                    control::fetch_rate(),
                                                    front_end::front_end(),
                                                    instruction_cache::instruction_miss(),
                                                    instruction_cache::instruction_working_set(),
                                                    control::branch_cost(),
                                                    control::divergence(),
                                                    barrier::barrier_cost(),
                                                    fences::fence_cost(),
                                                    occupancy::occupancy(),
                                                    constants::constant_latency(),
                                                    shared_memory::shared_latency(),
                                                    shared_memory::bank_conflicts(),
                                                    atomics::shared_atomics(),
                                                    l1_chase::l1_chase(),
                                                    coalescing::coalescing(),
                                                    lsu_policies::replays(),
                                                    lsu_policies::stores(),
                                                    sweeps::stride_sweep(),
                                                    sweeps::l1_working_set(),
                                                    memory_parallelism::memory_parallelism(),
                                                    l2_chase::l2_chase(),
                                                    sweeps::l2_working_set(),
                                                    l2_chase::dram_chase(),
                                                    atomics::atomics(),
                                                    core_bandwidth::core_bandwidth(),
                                                    memory_bandwidth::memory_bandwidth(),
                                                    bandwidth_by_warps::bandwidth_by_warps(),
                                                    bandwidth_by_cores::bandwidth_by_cores(),
                                                    bandwidth_by_working_set::bandwidth_by_working_set()};
  return benchmarks;
}

const Benchmark* find(const std::string& name) {
  for (const Benchmark& benchmark : all())
    if (benchmark.name == name) return &benchmark;
  return nullptr;
}

}  // namespace heddle::microbench
