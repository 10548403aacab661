// Forms of control flow, synchronisation, and communication within the warp.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

using isa::LaneOp;

const std::vector<Form>& control_forms() {
  static const std::vector<Form> forms = {
      {"bra", "uni?", "t", decode_branch},
      {"exit", "", "", decode_exit},
      {"brx", "idx uni?", "u32 t", decode_indirect_branch},
      {"ret", "uni?", "", decode_return},  // of an entry: the end of the thread
      {"call", "uni?", "t t? t? t?", decode_call},
      {"ld", "space=param::func vec=v2|v4? @data", "=t t", decode_load},
      {"st", "space=param|param::func vec=v2|v4? @data", "t t", decode_store_param},
      {"alloca", "u32|u64", "=t t u32?", decode_alloca},
      {"stacksave", "u32|u64", "=t", decode_stack_save},
      {"stackrestore", "u32|u64", "t", decode_stack_restore},
      {"trap", "", "", decode_trap},

      {"bar", "cta? sync", "u32 u32?", decode_barrier_sync},
      {"bar", "cta? arrive", "u32 u32", decode_barrier_arrive},
      {"barrier", "cta? sync aligned?", "u32 u32?", decode_barrier_sync},
      {"barrier", "cta? arrive aligned?", "u32 u32", decode_barrier_arrive},
      {"bar", "warp sync", "-", decode_nothing},
      {"membar", "scope=cta|gl|sys", "", decode_fence},
      {"fence", "order=sc|acq_rel|acquire|release? @scope", "", decode_fence},
      {"nanosleep", "u32", "t", decode_nothing},
      {"pmevent", "mask?", "u32", decode_nothing},

      {"vote", "sync? all pred", "=pred pred -?", decode_lane, LaneOp::kVoteAll},
      {"vote", "sync? any pred", "=pred pred -?", decode_lane, LaneOp::kVoteAny},
      {"vote", "sync? uni pred", "=pred pred -?", decode_lane, LaneOp::kVoteUni},
      {"vote", "sync? ballot b32", "=t pred -?", decode_lane, LaneOp::kBallot},
      {"activemask", "b32", "=t", decode_lane, LaneOp::kActiveMask},
      {"shfl", "sync? idx b32", "=t|pred t u32 u32 -?", decode_lane, LaneOp::kShflIdx},
      {"shfl", "sync? up b32", "=t|pred t u32 u32 -?", decode_lane, LaneOp::kShflUp},
      {"shfl", "sync? down b32", "=t|pred t u32 u32 -?", decode_lane, LaneOp::kShflDown},
      {"shfl", "sync? bfly b32", "=t|pred t u32 u32 -?", decode_lane, LaneOp::kShflBfly},
  };
  return forms;
}

}  // namespace heddle::ptx
