// Forms of communication within the warp.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

using isa::LaneOp;

const std::vector<Form>& warp_forms() {
  static const std::vector<Form> forms = {
      {"vote", "all pred", "=pred pred", decode_lane, LaneOp::kVoteAll},
      {"vote", "any pred", "=pred pred", decode_lane, LaneOp::kVoteAny},
      {"vote", "uni pred", "=pred pred", decode_lane, LaneOp::kVoteUni},
      {"vote", "ballot b32", "=t pred", decode_lane, LaneOp::kBallot},
      {"vote", "sync all pred", "=pred pred -", decode_lane, LaneOp::kVoteAll},
      {"vote", "sync any pred", "=pred pred -", decode_lane, LaneOp::kVoteAny},
      {"vote", "sync uni pred", "=pred pred -", decode_lane, LaneOp::kVoteUni},
      {"vote", "sync ballot b32", "=t pred -", decode_lane, LaneOp::kBallot},
      {"activemask", "b32", "=t", decode_lane, LaneOp::kActiveMask},
      {"shfl", "idx b32", "=t|pred t u32 u32", decode_lane, LaneOp::kShflIdx},
      {"shfl", "up b32", "=t|pred t u32 u32", decode_lane, LaneOp::kShflUp},
      {"shfl", "down b32", "=t|pred t u32 u32", decode_lane, LaneOp::kShflDown},
      {"shfl", "bfly b32", "=t|pred t u32 u32", decode_lane, LaneOp::kShflBfly},
      {"shfl", "sync idx b32", "=t|pred t u32 u32 -", decode_lane, LaneOp::kShflIdx},
      {"shfl", "sync up b32", "=t|pred t u32 u32 -", decode_lane, LaneOp::kShflUp},
      {"shfl", "sync down b32", "=t|pred t u32 u32 -", decode_lane, LaneOp::kShflDown},
      {"shfl", "sync bfly b32", "=t|pred t u32 u32 -", decode_lane, LaneOp::kShflBfly},
      {"match", "any sync b32|b64", "=b32 t -", decode_lane, LaneOp::kMatchAny},
      {"match", "all sync b32|b64", "=b32|pred t -", decode_lane, LaneOp::kMatchAll},
      {"redux", "sync add u32|s32", "=t t -", decode_lane, LaneOp::kReduxAdd},
      {"redux", "sync min u32|s32", "=t t -", decode_lane, LaneOp::kReduxMin},
      {"redux", "sync max u32|s32", "=t t -", decode_lane, LaneOp::kReduxMax},
      {"redux", "sync and b32", "=t t -", decode_lane, LaneOp::kReduxAnd},
      {"redux", "sync or b32", "=t t -", decode_lane, LaneOp::kReduxOr},
      {"redux", "sync xor b32", "=t t -", decode_lane, LaneOp::kReduxXor},
  };
  return forms;
}

}  // namespace heddle::ptx
