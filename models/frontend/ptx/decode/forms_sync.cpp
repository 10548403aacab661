// Forms of synchronisation: barriers, fences, waiting.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

const std::vector<Form>& sync_forms() {
  static const std::vector<Form> forms = {
      {"bar", "cta? sync", "u32 u32?", decode_barrier_sync},
      {"bar", "cta? arrive", "u32 u32", decode_barrier_arrive},
      {"bar", "cta? red popc u32", "=t u32 u32? pred?", decode_barrier_reduce},
      {"bar", "cta? red bool=and|or pred", "=t u32 u32? pred?", decode_barrier_reduce},
      {"barrier", "cta? sync aligned?", "u32 u32?", decode_barrier_sync},
      {"barrier", "cta? arrive aligned?", "u32 u32", decode_barrier_arrive},
      {"barrier", "cta? red popc aligned? u32", "=t u32 u32? pred?", decode_barrier_reduce},
      {"barrier", "cta? red bool=and|or aligned? pred", "=t u32 u32? pred?", decode_barrier_reduce},
      // A CTA is a cluster of its own: who waits for the cluster waits at the CTA's barrier 0.
      {"barrier", "cluster arrive order=release|relaxed? aligned?", "", decode_nothing},
      {"barrier", "cluster wait order=acquire? aligned?", "", decode_cluster_wait},
      {"bar", "warp sync", "-", decode_warp_barrier},
      {"membar", "scope=cta|gl|sys", "", decode_membar},
      {"membar", "proxy alias", "", decode_membar},
      {"fence", "order=sc|acq_rel|acquire|release? @scope", "", decode_fence},
      {"fence", "proxy alias", "", decode_membar},
      {"nanosleep", "u32", "t", decode_sleep},
      {"pmevent", "mask?", "u32", decode_nothing},
  };
  return forms;
}

}  // namespace heddle::ptx
