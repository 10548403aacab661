#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/error.h"
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
  static const std::vector<Workload> workloads = {vecadd::vecadd(),
                                                  sgemm::sgemm(),
                                                  reduction::reduction(),
                                                  histogram::histogram(),
                                                  hotspot::hotspot(),
                                                  lps::lps(),
                                                  srad::srad(),
                                                  lud::lud(),
                                                  gaussian::gaussian(),
                                                  pathfinder::pathfinder(),
                                                  kmeans::kmeans(),
                                                  nn::nn(),
                                                  nn_packed::nn_packed(),
                                                  aes::aes(),
                                                  aes::aes_columns(),
                                                  coulomb::coulomb(),
                                                  cfd::cfd(),
                                                  libor::libor(),
                                                  bfs::bfs(),
                                                  bfs_flags::bfs_flags(),
                                                  btree::btree(),
                                                  mandelbrot::mandelbrot(),
                                                  montecarlo::montecarlo(),
                                                  nqueens::nqueens(),
                                                  nqueens::nqueens_recursive(),
                                                  dispatch::dispatch(),
                                                  ray::ray(),
                                                  strmatch::strmatch(),
                                                  facedetect::facedetect(),
                                                  nonbonded::nonbonded(),
                                                  keyvalue::keyvalue(),
                                                  suffixtree::suffixtree(),
                                                  bvh::bvh(),
                                                  bvh::bvh_persistent(),
                                                  unstructured::unstructured(),
                                                  bfs_flags::bfs_racy(),
                                                  racey::racey(),
                                                  hashtable::hashtable(),
                                                  hashtable::hashtable_serial(),
                                                  hashtable::hashtable_backoff(),
                                                  atm::atm(),
                                                  hashtable::hashtable_tx(),
                                                  atm::atm_tx(),
                                                  hashtable::hashtable_coarse(),
                                                  atm::atm_coarse(),
                                                  cloth::cloth_pull(),
                                                  cloth::cloth_coarse(),
                                                  cloth::cloth_tx(),
                                                  cloth::cloth_tx_preloaded(),
                                                  bh_build::bh_build_coarse(),
                                                  bh_build::bh_build_tx(),
                                                  cudacuts::cudacuts(),
                                                  cudacuts::cudacuts_coarse(),
                                                  cudacuts::cudacuts_tx(),
                                                  apriori::apriori(),
                                                  apriori::apriori_coarse(),
                                                  apriori::apriori_tx(),
                                                  cloth::cloth(),
                                                  cloth::cloth_interleaved(),
                                                  cloth::cloth_blocked(),
                                                  bh_build::bh_build(),
                                                  bh_summarize::bh_summarize(),
                                                  bh_sort::bh_sort(),
                                                  bh_force::bh_force(),
                                                  nw_rows::nw_rows(),
                                                  nw_tiles::nw_tiles(),
                                                  tsp::tsp(),
                                                  barrier_arms::barrier_arms(),
                                                  histogram256::histogram256(),
                                                  spinlock::spinlock(),
                                                  hashtable::hashtable_mimd(),
                                                  atm::atm_mimd(),
                                                  cloth::cloth_mimd(),
                                                  bh_build::bh_build_mimd(),
                                                  bh_sort::bh_sort_mimd(),
                                                  nw_rows::nw_rows_mimd(),
                                                  barrier_arms::barrier_arms_mimd(),
                                                  barrier_arms::barrier_divergent(),
                                                  omp_locks::omp_lock_fine(),
                                                  omp_locks::omp_lock_coarse(),
                                                  omp_locks::omp_max_fine(),
                                                  omp_locks::omp_max_coarse(),
                                                  early_release::early_return(),
                                                  early_release::early_release(),
                                                  task_queue::task_queue(),
                                                  bench::bench_vecadd(),
                                                  bench::bench_sgemm(),
                                                  bench::bench_diverge()};
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

std::string module_path(const std::string& stem, const Options& options) {
  if (options.machine_code.empty()) return ptx_path(stem, options.compiler);
  std::error_code ignored;
  if (!std::filesystem::is_directory(options.machine_code, ignored)) return options.machine_code;
  std::vector<std::string> found;
  for (const char* suffix : {".cubin", ".sm_90.cubin", ".sm_75.cubin"}) {
    const std::string path = options.machine_code + "/" + stem + suffix;
    if (std::filesystem::is_regular_file(path, ignored)) found.push_back(path);
  }
  if (found.size() == 1) return found.front();
  if (found.empty())
    throw base::InputError(options.machine_code, "there is no machine code of " + stem + " in this folder",
                           "Assemble the workload's PTX: platforms/workloads/assemble.sh sm_90 " +
                               options.machine_code + " " + stem);
  throw base::InputError(options.machine_code,
                         found[0] + " and " + found[1] + " both hold the machine code of " + stem,
                         "Name one of the files instead of the folder.");
}

}  // namespace heddle::workloads
