// Forms of asynchronous copies, mbarriers and what comes with them from sm_80 and sm_90 on.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

using isa::LaneOp;

const std::vector<Form>& async_forms() {
  static const std::vector<Form> forms = {
      {"cp", "async cache=ca|cg shared|shared::cta global L2::cache_hint? @fetched?", "u32 u64 u32 u32? u64?",
       decode_async_copy},
      {"cp", "async commit_group", "", decode_async_commit},
      {"cp", "async wait_group", "u32", decode_async_wait},
      {"cp", "async wait_all", "", decode_async_wait_all},
      // Of bytes, by the thread that asks for them.
      {"cp", "async bulk shared::cta global mbarrier::complete_tx::bytes L2::cache_hint?",
       "u32 u64 u32 u32 u64?", decode_bulk_copy},
      {"cp", "async bulk global shared::cta bulk_group L2::cache_hint?", "u64 u32 u32 u64?",
       decode_bulk_copy},
      {"cp", "async bulk commit_group", "", decode_nothing},
      {"cp", "async bulk wait_group read?", "u32", decode_bulk_wait},
      {"cp", "async bulk prefetch L2 space=global L2::cache_hint?", "t u32 u64?", decode_prefetch},

      {"cp", "async mbarrier arrive noinc? space=shared|shared::cta? b64", "u32", decode_async_arrive},

      {"mbarrier", "init space=shared|shared::cta? b64", "u32 u32", decode_mbarrier_init},
      {"mbarrier", "inval space=shared|shared::cta? b64", "u32", decode_mbarrier_inval},
      {"mbarrier",
       "arrive|arrive_drop noComplete? expect_tx? order=release|relaxed? cta|cluster? "
       "space=shared|shared::cta? b64",
       "=b64 u32 u32?", decode_mbarrier_arrive},
      {"mbarrier", "expect_tx order=relaxed? cta|cluster? space=shared|shared::cta? b64", "u32 u32",
       decode_mbarrier_arrive},
      {"mbarrier",
       "test_wait|try_wait parity? order=acquire|relaxed? cta|cluster? space=shared|shared::cta? b64",
       "=pred u32 b64 u32?", decode_mbarrier_test},
      {"mbarrier", "pending_count b64", "=u32 t", decode_lane, LaneOp::kPendingCount},

      // A CTA is a cluster of its own, and nothing is launched behind it.
      {"mapa", "shared::cta? u32|u64", "=t t u32", decode_map_address},
      {"getctarank", "shared::cta? u32|u64", "=u32 t", decode_rank},
      {"elect", "sync", "=b32|pred -", decode_lane, LaneOp::kElect},
      {"griddepcontrol", "launch_dependents|wait", "", decode_nothing},
      {"setmaxnreg", "inc|dec sync aligned u32", "t", decode_register_limit},
      {"fence", "mbarrier_init release cluster", "", decode_nothing},
      {"fence", "proxy async", "", decode_nothing},
      {"fence", "proxy async global|shared::cta", "", decode_nothing},
      // Policies of L2 are accepted; the L2 has one.
      {"createpolicy",
       "fractional L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
       "L2::evict_first|L2::evict_unchanged? b64",
       "=t f32?", decode_policy},
      {"createpolicy",
       "range global? L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
       "L2::evict_first|L2::evict_unchanged? b64",
       "=t u64 u32 u32", decode_policy},
      {"createpolicy", "cvt L2 b64", "=t u64", decode_policy},
  };
  return forms;
}

}  // namespace heddle::ptx
