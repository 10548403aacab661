// One function per workload; registry.cpp lists them.
#pragma once

#include "workloads/workload.h"

namespace heddle::workloads {

// Regular kernels.
[[nodiscard]] Workload vecadd();
[[nodiscard]] Workload sgemm();
[[nodiscard]] Workload reduction();
[[nodiscard]] Workload histogram();
[[nodiscard]] Workload hotspot();
[[nodiscard]] Workload lps();
[[nodiscard]] Workload srad();
[[nodiscard]] Workload lud();
[[nodiscard]] Workload gaussian();
[[nodiscard]] Workload pathfinder();
[[nodiscard]] Workload kmeans();
[[nodiscard]] Workload nn();
[[nodiscard]] Workload nn_packed();
[[nodiscard]] Workload aes();
[[nodiscard]] Workload aes_columns();
[[nodiscard]] Workload coulomb();
[[nodiscard]] Workload cfd();
[[nodiscard]] Workload libor();

// Divergent kernels.
[[nodiscard]] Workload bfs();
[[nodiscard]] Workload bfs_flags();
[[nodiscard]] Workload btree();
[[nodiscard]] Workload mandelbrot();
[[nodiscard]] Workload montecarlo();
[[nodiscard]] Workload nqueens();
[[nodiscard]] Workload nqueens_recursive();
[[nodiscard]] Workload dispatch();
[[nodiscard]] Workload ray();
[[nodiscard]] Workload strmatch();
[[nodiscard]] Workload facedetect();
[[nodiscard]] Workload nonbonded();
[[nodiscard]] Workload keyvalue();
[[nodiscard]] Workload suffixtree();
[[nodiscard]] Workload bvh();
[[nodiscard]] Workload bvh_persistent();
[[nodiscard]] Workload unstructured();

// With data races, for determinism.
[[nodiscard]] Workload bfs_racy();
[[nodiscard]] Workload racey();

// Synchronisation between threads.
[[nodiscard]] Workload hashtable();
[[nodiscard]] Workload hashtable_serial();
[[nodiscard]] Workload hashtable_backoff();
[[nodiscard]] Workload atm();
[[nodiscard]] Workload hashtable_tx();
[[nodiscard]] Workload atm_tx();
[[nodiscard]] Workload hashtable_coarse();
[[nodiscard]] Workload atm_coarse();
[[nodiscard]] Workload cloth_pull();
[[nodiscard]] Workload cloth_coarse();
[[nodiscard]] Workload cloth_tx();
[[nodiscard]] Workload cloth_tx_preloaded();
[[nodiscard]] Workload bh_build_coarse();
[[nodiscard]] Workload bh_build_tx();
[[nodiscard]] Workload cudacuts();
[[nodiscard]] Workload cudacuts_coarse();
[[nodiscard]] Workload cudacuts_tx();
[[nodiscard]] Workload apriori();
[[nodiscard]] Workload apriori_coarse();
[[nodiscard]] Workload apriori_tx();
[[nodiscard]] Workload cloth();
[[nodiscard]] Workload cloth_interleaved();
[[nodiscard]] Workload cloth_blocked();
[[nodiscard]] Workload bh_build();
[[nodiscard]] Workload bh_summarize();
[[nodiscard]] Workload bh_sort();
[[nodiscard]] Workload bh_force();
[[nodiscard]] Workload nw_rows();
[[nodiscard]] Workload nw_tiles();
[[nodiscard]] Workload tsp();
[[nodiscard]] Workload barrier_arms();
[[nodiscard]] Workload histogram256();

// The same in MIMD form: these hang on a plain SIMT stack.
[[nodiscard]] Workload spinlock();
[[nodiscard]] Workload hashtable_mimd();
[[nodiscard]] Workload atm_mimd();
[[nodiscard]] Workload cloth_mimd();
[[nodiscard]] Workload bh_build_mimd();
[[nodiscard]] Workload bh_sort_mimd();
[[nodiscard]] Workload nw_rows_mimd();
[[nodiscard]] Workload barrier_arms_mimd();
[[nodiscard]] Workload barrier_divergent();
[[nodiscard]] Workload omp_lock_fine();
[[nodiscard]] Workload omp_lock_coarse();
[[nodiscard]] Workload omp_max_fine();
[[nodiscard]] Workload omp_max_coarse();
[[nodiscard]] Workload early_return();
[[nodiscard]] Workload early_release();
[[nodiscard]] Workload task_queue();

// Benchmarks of Heddle's own speed.
[[nodiscard]] Workload bench_vecadd();
[[nodiscard]] Workload bench_sgemm();
[[nodiscard]] Workload bench_diverge();

}  // namespace heddle::workloads
