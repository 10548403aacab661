#include "unit/workloads/cpu_kernels.h"

#include <cstring>
#include <tuple>

#include "unit/workloads/cpu_cuda.h"

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
namespace heddle::workloads::testing::cuda {

CudaIndex threadIdx, blockIdx, blockDim, gridDim;

#define __global__
#define __device__
#define __constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __shared__ thread_local  // static in a function, and allowed after extern
// Polling loops hold "asm volatile(...)": there a thread gives way. What it says (pragmas of spin loops) is PTX.
#pragma clang diagnostic ignored "-Wkeyword-macro"
#define asm give_way();
#define volatile(...)
#include "workloads/aes.cu"
#include "workloads/atm.cu"
#include "workloads/atm_tx.cu"
#include "workloads/barrier_arms.cu"
#include "workloads/bench.cu"
#include "workloads/bfs.cu"
#include "workloads/bfs_flags.cu"
#include "workloads/bh_build.cu"
#include "workloads/bh_force.cu"
#include "workloads/bh_sort.cu"
#include "workloads/bh_summarize.cu"
#include "workloads/btree.cu"
#include "workloads/bvh.cu"
#include "workloads/cfd.cu"
#include "workloads/cloth.cu"
#include "workloads/coulomb.cu"
#include "workloads/dispatch.cu"
#include "workloads/early_release.cu"
#include "workloads/facedetect.cu"
#include "workloads/gaussian.cu"
#include "workloads/hashtable.cu"
#include "workloads/hashtable_tx.cu"
#include "workloads/histogram.cu"
#include "workloads/histogram256.cu"
#include "workloads/hotspot.cu"
#include "workloads/keyvalue.cu"
#include "workloads/kmeans.cu"
#include "workloads/libor.cu"
#include "workloads/lps.cu"
#include "workloads/lud.cu"
#include "workloads/mandelbrot.cu"
#include "workloads/montecarlo.cu"
#include "workloads/nn.cu"
#include "workloads/nn_packed.cu"
#include "workloads/nonbonded.cu"
#include "workloads/nqueens.cu"
#include "workloads/nw_rows.cu"
#include "workloads/nw_tiles.cu"
#include "workloads/omp_locks.cu"
#include "workloads/pathfinder.cu"
#include "workloads/racey.cu"
#include "workloads/ray.cu"
#include "workloads/reduction.cu"
#include "workloads/sgemm.cu"
#include "workloads/spinlock.cu"
#include "workloads/srad.cu"
#include "workloads/strmatch.cu"
#include "workloads/suffixtree.cu"
#include "workloads/task_queue.cu"
#include "workloads/tsp.cu"
#include "workloads/unstructured.cu"
#include "workloads/vecadd.cu"
// Threads give way in polling loops only, so a transaction is one already.
extern "C" {
void tx_begin() {}
void tx_commit() {}
void tx_abort() {}
}
// reduction.cu's dynamic shared memory
extern "C" {
__shared__ float partial[1024];
}
#undef __global__
#undef __device__
#undef __constant__
#undef __forceinline__
#undef __noinline__
#undef __shared__
#undef asm
#undef volatile

}  // namespace heddle::workloads::testing::cuda
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

namespace heddle::workloads::testing {

namespace {

// NOLINTBEGIN(bugprone-sizeof-expression): the sizes of the parameters, pointers as such
template <class... P>
HostKernel wrap(void (*kernel)(P...)) {
  return {{sizeof(P)...}, [kernel](const Values& values) -> std::function<void()> {
            std::tuple<P...> arguments;
            std::size_t i = 0;
            std::apply([&](auto&... a) { (std::memcpy(&a, values[i++].data(), sizeof(a)), ...); }, arguments);
            return [kernel, arguments] { std::apply(kernel, arguments); };
          }};
}
// NOLINTEND(bugprone-sizeof-expression)

}  // namespace

const std::map<std::string, HostKernel>& host_kernels() {
#define KERNEL(name) \
  { #name, wrap(cuda::name) }
  static const std::map<std::string, HostKernel> kernels = {
      KERNEL(aes_encrypt),
      KERNEL(bank_transfer),
      KERNEL(bank_transfer_tx),
      KERNEL(barrier_arms),
      KERNEL(barrier_arms_mimd),
      KERNEL(vecadd),
      KERNEL(sgemm),
      KERNEL(diverge),
      KERNEL(bfs_level),
      KERNEL(bfs_race),
      KERNEL(bfs_expand),
      KERNEL(bfs_update),
      KERNEL(bh_build),
      KERNEL(bh_force),
      KERNEL(bh_sort),
      KERNEL(bh_sort_mimd),
      KERNEL(bh_summarize),
      KERNEL(btree_find),
      KERNEL(btree_range),
      KERNEL(cloth_solve),
      KERNEL(cloth_solve_mimd),
      KERNEL(cfd_copy),
      KERNEL(cfd_flux),
      KERNEL(cfd_step_factor),
      KERNEL(cfd_time_step),
      KERNEL(cloth_solve_blocked),
      KERNEL(coulomb_potential),
      KERNEL(dispatch_run),
      KERNEL(gauss_factors),
      KERNEL(gauss_rows),
      KERNEL(hash_insert),
      KERNEL(hash_insert_tx),
      KERNEL(hash_insert_mimd),
      KERNEL(histogram_shared),
      KERNEL(histogram_global),
      KERNEL(hotspot_step),
      KERNEL(kmeans_assign),
      KERNEL(kmeans_update),
      KERNEL(libor_paths),
      KERNEL(lps_step),
      KERNEL(lud_diagonal),
      KERNEL(lud_perimeter),
      KERNEL(lud_internal),
      KERNEL(mandelbrot),
      KERNEL(mc_paths),
      KERNEL(nn_distances),
      KERNEL(nn_select),
      KERNEL(nn_dots_int8),
      KERNEL(nn_squares_half),
      KERNEL(queens_count),
      KERNEL(queens_recurse),
      KERNEL(nw_rows),
      KERNEL(nw_rows_mimd),
      KERNEL(nw_tiles),
      KERNEL(path_rows),
      KERNEL(racey),
      KERNEL(ray_trace),
      KERNEL(reduce_sum),
      KERNEL(sgemm_tiled),
      KERNEL(spin_increment),
      KERNEL(srad_extract),
      KERNEL(srad_compress),
      KERNEL(srad_sums),
      KERNEL(srad_coefficients),
      KERNEL(srad_move),
      KERNEL(match_horspool),
      KERNEL(cascade_detect),
      KERNEL(nonbonded_forces),
      KERNEL(tsp_climb),
      KERNEL(vector_add),
      KERNEL(vector_add4),
      KERNEL(bank_transfer_mimd),
      KERNEL(barrier_divergent),
      KERNEL(bh_build_mimd),
      KERNEL(hash_insert_serial),
      KERNEL(hash_insert_backoff),
      KERNEL(omp_lock_test),
      KERNEL(omp_find_max),
      KERNEL(early_return),
      KERNEL(early_release),
      KERNEL(task_drain),
      KERNEL(histogram_bytes),
      KERNEL(unstructured_walk),
      KERNEL(unstructured_search),
      KERNEL(kv_get),
      KERNEL(suffix_match),
      KERNEL(bvh_render),
      KERNEL(bvh_persistent),
  };
#undef KERNEL
  return kernels;
}

const std::map<std::string, std::pair<void*, std::uint64_t>>& host_symbols() {
#define SYMBOL(name)                           \
  {                                            \
#name, { &cuda::name, sizeof(cuda::name) } \
  }
  static const std::map<std::string, std::pair<void*, std::uint64_t>> table = {
      SYMBOL(aes_round_keys), SYMBOL(bfs_changed),  SYMBOL(hotspot_model), SYMBOL(bfs_over),
      SYMBOL(coulomb_atoms),  SYMBOL(kmeans_moved), SYMBOL(mc_option),     SYMBOL(ray_spheres),
      SYMBOL(ray_light),      SYMBOL(sgemm_scale),  SYMBOL(match_pattern),
  };
#undef SYMBOL
  return table;
}

}  // namespace heddle::workloads::testing
