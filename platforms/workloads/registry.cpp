#include <cstdlib>

#include "workloads/ptx_folder.h"
#include "workloads/suite.h"

namespace heddle::workloads {
namespace {

std::string& default_ptx_folder() {
  static std::string folder = HEDDLE_WORKLOADS_SOURCE_DIR;
  return folder;
}

}  // namespace

const std::vector<Workload>& all() {
  static const std::vector<Workload> workloads = {vecadd(),
                                                  sgemm(),
                                                  reduction(),
                                                  histogram(),
                                                  hotspot(),
                                                  lps(),
                                                  srad(),
                                                  lud(),
                                                  gaussian(),
                                                  pathfinder(),
                                                  kmeans(),
                                                  nn(),
                                                  nn_packed(),
                                                  aes(),
                                                  aes_columns(),
                                                  coulomb(),
                                                  cfd(),
                                                  libor(),
                                                  bfs(),
                                                  bfs_flags(),
                                                  btree(),
                                                  mandelbrot(),
                                                  montecarlo(),
                                                  nqueens(),
                                                  nqueens_recursive(),
                                                  dispatch(),
                                                  ray(),
                                                  strmatch(),
                                                  facedetect(),
                                                  nonbonded(),
                                                  keyvalue(),
                                                  suffixtree(),
                                                  bvh(),
                                                  bvh_persistent(),
                                                  unstructured(),
                                                  bfs_racy(),
                                                  racey(),
                                                  hashtable(),
                                                  hashtable_serial(),
                                                  hashtable_backoff(),
                                                  atm(),
                                                  hashtable_tx(),
                                                  atm_tx(),
                                                  hashtable_coarse(),
                                                  atm_coarse(),
                                                  cloth_pull(),
                                                  cloth_coarse(),
                                                  cloth_tx(),
                                                  cloth_tx_preloaded(),
                                                  bh_build_coarse(),
                                                  bh_build_tx(),
                                                  cudacuts(),
                                                  cudacuts_coarse(),
                                                  cudacuts_tx(),
                                                  apriori(),
                                                  apriori_coarse(),
                                                  apriori_tx(),
                                                  cloth(),
                                                  cloth_interleaved(),
                                                  cloth_blocked(),
                                                  bh_build(),
                                                  bh_summarize(),
                                                  bh_sort(),
                                                  bh_force(),
                                                  nw_rows(),
                                                  nw_tiles(),
                                                  tsp(),
                                                  barrier_arms(),
                                                  histogram256(),
                                                  spinlock(),
                                                  hashtable_mimd(),
                                                  atm_mimd(),
                                                  cloth_mimd(),
                                                  bh_build_mimd(),
                                                  bh_sort_mimd(),
                                                  nw_rows_mimd(),
                                                  barrier_arms_mimd(),
                                                  barrier_divergent(),
                                                  omp_lock_fine(),
                                                  omp_lock_coarse(),
                                                  omp_max_fine(),
                                                  omp_max_coarse(),
                                                  early_return(),
                                                  early_release(),
                                                  task_queue(),
                                                  bench_vecadd(),
                                                  bench_sgemm(),
                                                  bench_diverge()};
  return workloads;
}

const Workload* find(const std::string& name) {
  for (const Workload& workload : all())
    if (workload.name == name) return &workload;
  return nullptr;
}

void use_workload_folder(const std::string& folder) { default_ptx_folder() = folder; }

std::string ptx_path(const std::string& stem, Compiler compiler) {
  const char* moved = std::getenv("HEDDLE_WORKLOADS_DIR");
  const std::string folder = moved != nullptr && *moved != '\0' ? moved : default_ptx_folder();
  return folder + "/ptx/" + stem + (compiler == Compiler::kNvcc ? ".nvcc.ptx" : ".clang.ptx");
}

}  // namespace heddle::workloads
