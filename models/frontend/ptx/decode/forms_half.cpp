// Forms of half precision: f16, and two of them as f16x2.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

using isa::LaneOp;

const std::vector<Form>& half_forms() {
  static const std::vector<Form> forms = {
      {"add", "rnd=rn? ftz? sat? f16|f16x2", "=t t t", decode_lane, LaneOp::kAdd},
      {"sub", "rnd=rn? ftz? sat? f16|f16x2", "=t t t", decode_lane, LaneOp::kSub},
      {"mul", "rnd=rn? ftz? sat? f16|f16x2", "=t t t", decode_lane, LaneOp::kMul},
      {"fma", "rnd=rn ftz? sat? f16|f16x2", "=t t t t", decode_lane, LaneOp::kFma},
      {"abs", "ftz? f16|f16x2", "=t t", decode_lane, LaneOp::kAbs},
      {"neg", "ftz? f16|f16x2", "=t t", decode_lane, LaneOp::kNeg},
      {"ex2", "approx f16|f16x2", "=t t", decode_lane, LaneOp::kEx2},
      {"tanh", "approx f16|f16x2", "=t t", decode_lane, LaneOp::kTanh},

      {"setp", "@cmp ftz? f16", "=pred t t", decode_lane, LaneOp::kSetp},
      {"setp", "@cmp @bool ftz? f16", "=pred t t pred", decode_lane, LaneOp::kSetp},
      {"setp", "@cmp ftz? f16x2", "=pred|pred t t", decode_lane, LaneOp::kSetp},
      {"setp", "@cmp @bool ftz? f16x2", "=pred|pred t t pred", decode_lane, LaneOp::kSetp},
      {"set", "@cmp ftz? u16|s16|u32|s32|f16 f16", "=t s s", decode_lane, LaneOp::kSet},
      {"set", "@cmp @bool ftz? u16|s16|u32|s32|f16 f16", "=t s s pred", decode_lane, LaneOp::kSet},
      {"set", "@cmp ftz? u32|s32|f16x2 f16x2", "=t s s", decode_lane, LaneOp::kSet},
      {"set", "@cmp @bool ftz? u32|s32|f16x2 f16x2", "=t s s pred", decode_lane, LaneOp::kSet},
      {"set", "@cmp ftz? f16 @compared", "=t s s", decode_lane, LaneOp::kSet},
      {"set", "@cmp @bool ftz? f16 @compared", "=t s s pred", decode_lane, LaneOp::kSet},

      {"cvt", "rnd=rn|rz f16x2 f32", "=t s s", decode_lane, LaneOp::kCvtF16x2},
  };
  return forms;
}

}  // namespace heddle::ptx
