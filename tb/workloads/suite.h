// One function per workload; registry.cpp lists them.
#pragma once

#include "workloads/workload.h"

namespace heddle::workloads {

[[nodiscard]] Workload vecadd();
[[nodiscard]] Workload sgemm();
[[nodiscard]] Workload reduction();
[[nodiscard]] Workload bfs();
[[nodiscard]] Workload histogram();
[[nodiscard]] Workload hashtable();
[[nodiscard]] Workload atm();
[[nodiscard]] Workload spinlock();
[[nodiscard]] Workload bench_vecadd();
[[nodiscard]] Workload bench_sgemm();
[[nodiscard]] Workload bench_diverge();

}  // namespace heddle::workloads
