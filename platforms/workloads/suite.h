// One function per workload, in the namespace of its file; registry.cpp lists them.
#pragma once

#include "workloads/workload.h"

namespace heddle::workloads {

// Regular kernels.
namespace vecadd {
[[nodiscard]] Workload vecadd();
}
namespace sgemm {
[[nodiscard]] Workload sgemm();
}
namespace reduction {
[[nodiscard]] Workload reduction();
}
namespace histogram {
[[nodiscard]] Workload histogram();
}
namespace hotspot {
[[nodiscard]] Workload hotspot();
}
namespace lps {
[[nodiscard]] Workload lps();
}
namespace srad {
[[nodiscard]] Workload srad();
}
namespace lud {
[[nodiscard]] Workload lud();
}
namespace gaussian {
[[nodiscard]] Workload gaussian();
}
namespace pathfinder {
[[nodiscard]] Workload pathfinder();
}
namespace kmeans {
[[nodiscard]] Workload kmeans();
}
namespace nn {
[[nodiscard]] Workload nn();
}
namespace nn_packed {
[[nodiscard]] Workload nn_packed();
}
namespace aes {
[[nodiscard]] Workload aes();
[[nodiscard]] Workload aes_columns();
}  // namespace aes
namespace coulomb {
[[nodiscard]] Workload coulomb();
}
namespace cfd {
[[nodiscard]] Workload cfd();
}
namespace libor {
[[nodiscard]] Workload libor();
}

// Divergent kernels.
namespace bfs {
[[nodiscard]] Workload bfs();
}
namespace bfs_flags {
[[nodiscard]] Workload bfs_flags();
}
namespace btree {
[[nodiscard]] Workload btree();
}
namespace mandelbrot {
[[nodiscard]] Workload mandelbrot();
}
namespace montecarlo {
[[nodiscard]] Workload montecarlo();
}
namespace nqueens {
[[nodiscard]] Workload nqueens();
[[nodiscard]] Workload nqueens_recursive();
}  // namespace nqueens
namespace dispatch {
[[nodiscard]] Workload dispatch();
}
namespace ray {
[[nodiscard]] Workload ray();
}
namespace strmatch {
[[nodiscard]] Workload strmatch();
}
namespace facedetect {
[[nodiscard]] Workload facedetect();
}
namespace nonbonded {
[[nodiscard]] Workload nonbonded();
}
namespace keyvalue {
[[nodiscard]] Workload keyvalue();
}
namespace suffixtree {
[[nodiscard]] Workload suffixtree();
}
namespace bvh {
[[nodiscard]] Workload bvh();
[[nodiscard]] Workload bvh_persistent();
}  // namespace bvh
namespace unstructured {
[[nodiscard]] Workload unstructured();
}

// With data races, for determinism.
namespace bfs_flags {
[[nodiscard]] Workload bfs_racy();
}
namespace racey {
[[nodiscard]] Workload racey();
}

// Synchronisation between threads.
namespace hashtable {
[[nodiscard]] Workload hashtable();
[[nodiscard]] Workload hashtable_serial();
[[nodiscard]] Workload hashtable_backoff();
}  // namespace hashtable
namespace atm {
[[nodiscard]] Workload atm();
}
namespace hashtable {
[[nodiscard]] Workload hashtable_tx();
}
namespace atm {
[[nodiscard]] Workload atm_tx();
}
namespace hashtable {
[[nodiscard]] Workload hashtable_coarse();
}
namespace atm {
[[nodiscard]] Workload atm_coarse();
}
namespace cloth {
[[nodiscard]] Workload cloth_pull();
[[nodiscard]] Workload cloth_coarse();
[[nodiscard]] Workload cloth_tx();
[[nodiscard]] Workload cloth_tx_preloaded();
}  // namespace cloth
namespace bh_build {
[[nodiscard]] Workload bh_build_coarse();
[[nodiscard]] Workload bh_build_tx();
}  // namespace bh_build
namespace cudacuts {
[[nodiscard]] Workload cudacuts();
[[nodiscard]] Workload cudacuts_coarse();
[[nodiscard]] Workload cudacuts_tx();
}  // namespace cudacuts
namespace apriori {
[[nodiscard]] Workload apriori();
[[nodiscard]] Workload apriori_coarse();
[[nodiscard]] Workload apriori_tx();
}  // namespace apriori
namespace cloth {
[[nodiscard]] Workload cloth();
[[nodiscard]] Workload cloth_interleaved();
[[nodiscard]] Workload cloth_blocked();
}  // namespace cloth
namespace bh_build {
[[nodiscard]] Workload bh_build();
}
namespace bh_summarize {
[[nodiscard]] Workload bh_summarize();
}
namespace bh_sort {
[[nodiscard]] Workload bh_sort();
}
namespace bh_force {
[[nodiscard]] Workload bh_force();
}
namespace nw_rows {
[[nodiscard]] Workload nw_rows();
}
namespace nw_tiles {
[[nodiscard]] Workload nw_tiles();
}
namespace tsp {
[[nodiscard]] Workload tsp();
}
namespace barrier_arms {
[[nodiscard]] Workload barrier_arms();
}
namespace histogram256 {
[[nodiscard]] Workload histogram256();
}

// The same in MIMD form: these hang on a plain SIMT stack.
namespace spinlock {
[[nodiscard]] Workload spinlock();
}
namespace hashtable {
[[nodiscard]] Workload hashtable_mimd();
}
namespace atm {
[[nodiscard]] Workload atm_mimd();
}
namespace cloth {
[[nodiscard]] Workload cloth_mimd();
}
namespace bh_build {
[[nodiscard]] Workload bh_build_mimd();
}
namespace bh_sort {
[[nodiscard]] Workload bh_sort_mimd();
}
namespace nw_rows {
[[nodiscard]] Workload nw_rows_mimd();
}
namespace barrier_arms {
[[nodiscard]] Workload barrier_arms_mimd();
[[nodiscard]] Workload barrier_divergent();
}  // namespace barrier_arms
namespace omp_locks {
[[nodiscard]] Workload omp_lock_fine();
[[nodiscard]] Workload omp_lock_coarse();
[[nodiscard]] Workload omp_max_fine();
[[nodiscard]] Workload omp_max_coarse();
}  // namespace omp_locks
namespace early_release {
[[nodiscard]] Workload early_return();
[[nodiscard]] Workload early_release();
}  // namespace early_release
namespace task_queue {
[[nodiscard]] Workload task_queue();
}

// Benchmarks of Heddle's own speed.
namespace bench {
[[nodiscard]] Workload bench_vecadd();
[[nodiscard]] Workload bench_sgemm();
[[nodiscard]] Workload bench_diverge();
}  // namespace bench

}  // namespace heddle::workloads
