// Forms of half precision: f16 and bf16, and two of them as f16x2 and bf16x2.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

using isa::LaneOp;

const std::vector<Form>& half_forms() {
  static const std::vector<Form> forms = {
      {"add", "rnd=rn? ftz? sat? f16|f16x2", "=t t t", decode_lane, LaneOp::kAdd},
      {"sub", "rnd=rn? ftz? sat? f16|f16x2", "=t t t", decode_lane, LaneOp::kSub},
      {"mul", "rnd=rn? ftz? sat? f16|f16x2", "=t t t", decode_lane, LaneOp::kMul},
      {"fma", "rnd=rn ftz? sat? f16|f16x2", "=t t t t", decode_lane, LaneOp::kFma},
      {"fma", "rnd=rn relu f16|f16x2", "=t t t t", decode_lane, LaneOp::kFma},
      {"add", "rnd=rn? bf16|bf16x2", "=t t t", decode_lane, LaneOp::kAdd},
      {"sub", "rnd=rn? bf16|bf16x2", "=t t t", decode_lane, LaneOp::kSub},
      {"mul", "rnd=rn? bf16|bf16x2", "=t t t", decode_lane, LaneOp::kMul},
      {"fma", "rnd=rn relu? bf16|bf16x2", "=t t t t", decode_lane, LaneOp::kFma},
      {"abs", "bf16|bf16x2", "=t t", decode_lane, LaneOp::kAbs},
      {"neg", "bf16|bf16x2", "=t t", decode_lane, LaneOp::kNeg},
      {"min", "ftz? NaN? f16|f16x2", "=t t t", decode_lane, LaneOp::kMin},
      {"max", "ftz? NaN? f16|f16x2", "=t t t", decode_lane, LaneOp::kMax},
      {"min", "ftz? NaN? xorsign abs f16|f16x2", "=t t t", decode_lane, LaneOp::kMin},
      {"max", "ftz? NaN? xorsign abs f16|f16x2", "=t t t", decode_lane, LaneOp::kMax},
      {"min", "NaN? bf16|bf16x2", "=t t t", decode_lane, LaneOp::kMin},
      {"max", "NaN? bf16|bf16x2", "=t t t", decode_lane, LaneOp::kMax},
      {"min", "NaN? xorsign abs bf16|bf16x2", "=t t t", decode_lane, LaneOp::kMin},
      {"max", "NaN? xorsign abs bf16|bf16x2", "=t t t", decode_lane, LaneOp::kMax},
      {"ex2", "approx ftz bf16|bf16x2", "=t t", decode_lane, LaneOp::kEx2},
      {"tanh", "approx bf16|bf16x2", "=t t", decode_lane, LaneOp::kTanh},
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

      {"setp", "@cmp bf16", "=pred t t", decode_lane, LaneOp::kSetp},
      {"setp", "@cmp @bool bf16", "=pred t t pred", decode_lane, LaneOp::kSetp},
      {"setp", "@cmp bf16x2", "=pred|pred t t", decode_lane, LaneOp::kSetp},
      {"setp", "@cmp @bool bf16x2", "=pred|pred t t pred", decode_lane, LaneOp::kSetp},
      {"set", "@cmp u16|s16|u32|s32|bf16 bf16", "=t s s", decode_lane, LaneOp::kSet},
      {"set", "@cmp @bool u16|s16|u32|s32|bf16 bf16", "=t s s pred", decode_lane, LaneOp::kSet},
      {"set", "@cmp u32|s32|bf16x2 bf16x2", "=t s s", decode_lane, LaneOp::kSet},
      {"set", "@cmp @bool u32|s32|bf16x2 bf16x2", "=t s s pred", decode_lane, LaneOp::kSet},

      {"cvt", "rnd=rn|rz f16x2 f32", "=t s s", decode_lane, LaneOp::kCvtF16x2},
      {"cvt", "rnd=rn|rz relu? satfinite? f16x2|bf16x2 f32", "=t s s", decode_lane, LaneOp::kCvtPair},
      {"cvt", "rnd=rn satfinite relu? e4m3x2|e5m2x2 f32", "=t s s", decode_lane, LaneOp::kCvtPair},
      {"cvt", "rnd=rn satfinite relu? e4m3x2|e5m2x2 f16x2", "=t s", decode_cvt, LaneOp::kCvt},
      {"cvt", "rnd=rn relu? f16x2 e4m3x2|e5m2x2", "=t s", decode_cvt, LaneOp::kCvt},
  };
  return forms;
}

}  // namespace heddle::ptx
