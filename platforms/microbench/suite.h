// Every benchmark's entry in the suite, in the namespace of its file.
#pragma once

#include "microbench/benchmark.h"

namespace heddle::microbench {

namespace alu_latency {
Benchmark alu_latency();
}

namespace alu_throughput {
Benchmark alu_throughput();
}

namespace barrier {
Benchmark barrier_cost();
}

namespace constants {
Benchmark constant_latency();
}

namespace ilp {
Benchmark ilp_ladder();
}

namespace control {
Benchmark fetch_rate();
Benchmark branch_cost();
Benchmark divergence();
}  // namespace control

namespace front_end {
Benchmark front_end();
}

namespace l1_chase {
Benchmark l1_chase();
}

namespace l2_chase {
Benchmark l2_chase();
Benchmark dram_chase();
}  // namespace l2_chase

namespace shared_memory {
Benchmark shared_latency();
Benchmark bank_conflicts();
}  // namespace shared_memory

namespace coalescing {
Benchmark coalescing();
}

namespace atomics {
Benchmark atomics();
Benchmark shared_atomics();
}  // namespace atomics

namespace occupancy {
Benchmark occupancy();
}

namespace fences {
Benchmark fence_cost();
}

namespace memory_parallelism {
Benchmark memory_parallelism();
}

namespace sweeps {
Benchmark l1_working_set();
Benchmark l2_working_set();
Benchmark stride_sweep();
}  // namespace sweeps

namespace core_bandwidth {
Benchmark core_bandwidth();
}

namespace memory_bandwidth {
Benchmark memory_bandwidth();
}

namespace bandwidth_by_warps {
Benchmark bandwidth_by_warps();
}

namespace bandwidth_by_cores {
Benchmark bandwidth_by_cores();
}

namespace bandwidth_by_working_set {
Benchmark bandwidth_by_working_set();
}

namespace register_file {
Benchmark register_banks();
Benchmark operand_collectors();
}  // namespace register_file

namespace instruction_cache {
Benchmark instruction_miss();
Benchmark instruction_working_set();
}  // namespace instruction_cache

namespace lsu_policies {
Benchmark replays();
Benchmark stores();
}  // namespace lsu_policies

}  // namespace heddle::microbench
