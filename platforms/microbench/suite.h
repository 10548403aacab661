// Every benchmark's entry in the suite; each is defined in the file of its topic.
#pragma once

#include "microbench/benchmark.h"

namespace heddle::microbench {

Benchmark alu_latency();       ///< alu_latency.cpp
Benchmark alu_throughput();    ///< alu_throughput.cpp
Benchmark barrier_cost();      ///< barrier.cpp
Benchmark constant_latency();  ///< constants.cpp
Benchmark ilp_ladder();        ///< ilp.cpp
Benchmark fetch_rate();        ///< control.cpp
Benchmark branch_cost();
Benchmark divergence();
Benchmark l1_chase();  ///< l1_chase.cpp
Benchmark l2_chase();  ///< l2_chase.cpp
Benchmark dram_chase();
Benchmark shared_latency();  ///< shared_memory.cpp
Benchmark bank_conflicts();

Benchmark coalescing();  ///< coalescing.cpp
Benchmark atomics();     ///< atomics.cpp
Benchmark shared_atomics();
Benchmark occupancy();  ///< occupancy.cpp

Benchmark memory_parallelism();  ///< memory_parallelism.cpp
Benchmark l1_working_set();      ///< sweeps.cpp
Benchmark l2_working_set();
Benchmark stride_sweep();

Benchmark core_bandwidth();            ///< core_bandwidth.cpp
Benchmark memory_bandwidth();          ///< memory_bandwidth.cpp
Benchmark bandwidth_by_warps();        ///< bandwidth_by_warps.cpp
Benchmark bandwidth_by_cores();        ///< bandwidth_by_cores.cpp
Benchmark bandwidth_by_working_set();  ///< bandwidth_by_working_set.cpp

Benchmark register_banks();  ///< register_file.cpp
Benchmark operand_collectors();

Benchmark instruction_miss();  ///< instruction_cache.cpp
Benchmark instruction_working_set();

Benchmark replays();  ///< lsu_policies.cpp
Benchmark stores();

}  // namespace heddle::microbench
