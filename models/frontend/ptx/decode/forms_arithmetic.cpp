// Forms of integer and floating-point arithmetic.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

using isa::LaneOp;

const std::vector<Form>& arithmetic_forms() {
  static const std::vector<Form> forms = {
      // Integer
      {"add", "sat? @int", "=t t t", decode_lane, LaneOp::kAdd},
      {"sub", "sat? @int", "=t t t", decode_lane, LaneOp::kSub},
      {"mul", "lo @int", "=t t t", decode_lane, LaneOp::kMul},
      {"mul", "hi @int", "=t t t", decode_lane, LaneOp::kMulHi},
      {"mul", "wide u16|s16|u32|s32", "=w t t", decode_lane, LaneOp::kMulWide},
      {"mad", "lo @int", "=t t t t", decode_lane, LaneOp::kMad},
      {"mad", "hi sat? @int", "=t t t t", decode_lane, LaneOp::kMadHi},
      {"mad", "wide u16|s16|u32|s32", "=w t t w", decode_lane, LaneOp::kMadWide},
      {"mul24", "lo u32|s32", "=t t t", decode_lane, LaneOp::kMul24},
      {"mul24", "hi u32|s32", "=t t t", decode_lane, LaneOp::kMul24Hi},
      {"mad24", "lo u32|s32", "=t t t t", decode_lane, LaneOp::kMad24},
      {"mad24", "hi sat? u32|s32", "=t t t t", decode_lane, LaneOp::kMad24Hi},
      {"div", "@int", "=t t t", decode_lane, LaneOp::kDiv},
      {"rem", "@int", "=t t t", decode_lane, LaneOp::kRem},
      {"abs", "s16|s32|s64", "=t t", decode_lane, LaneOp::kAbs},
      {"neg", "s16|s32|s64", "=t t", decode_lane, LaneOp::kNeg},
      {"min", "@int", "=t t t", decode_lane, LaneOp::kMin},
      {"max", "@int", "=t t t", decode_lane, LaneOp::kMax},
      {"sad", "@int", "=t t t t", decode_lane, LaneOp::kSad},
      {"dp4a", "u32|s32 u32|s32", "=u32 u32 u32 u32", decode_lane, LaneOp::kDp4a},
      {"dp2a", "lo u32|s32 u32|s32", "=u32 u32 u32 u32", decode_lane, LaneOp::kDp2aLo},
      {"dp2a", "hi u32|s32 u32|s32", "=u32 u32 u32 u32", decode_lane, LaneOp::kDp2aHi},

      // Extended precision
      {"add", "cc @carried", "=t t t", decode_lane, LaneOp::kAdd},
      {"addc", "cc? @carried", "=t t t", decode_lane, LaneOp::kAddc},
      {"sub", "cc @carried", "=t t t", decode_lane, LaneOp::kSub},
      {"subc", "cc? @carried", "=t t t", decode_lane, LaneOp::kSubc},
      {"mad", "lo cc @carried", "=t t t t", decode_lane, LaneOp::kMad},
      {"mad", "hi cc @carried", "=t t t t", decode_lane, LaneOp::kMadHi},
      {"madc", "lo cc? @carried", "=t t t t", decode_lane, LaneOp::kMadc},
      {"madc", "hi cc? @carried", "=t t t t", decode_lane, LaneOp::kMadcHi},

      // Floating point
      {"add", "@rnd? ftz? sat? f32|f64", "=t t t", decode_lane, LaneOp::kAdd},
      {"sub", "@rnd? ftz? sat? f32|f64", "=t t t", decode_lane, LaneOp::kSub},
      {"mul", "@rnd? ftz? sat? f32|f64", "=t t t", decode_lane, LaneOp::kMul},
      {"fma", "@rnd ftz? sat? f32|f64", "=t t t t", decode_lane, LaneOp::kFma},
      {"mad", "@rnd ftz? sat? f32|f64", "=t t t t", decode_lane,
       LaneOp::kFma},  // PTX: same as fma on sm_20 and later
      {"div", "@rnd ftz? f32|f64", "=t t t", decode_lane, LaneOp::kDiv},
      {"div", "approx|full ftz? f32", "=t t t", decode_lane, LaneOp::kDiv},
      {"abs", "ftz? f32|f64", "=t t", decode_lane, LaneOp::kAbs},
      {"neg", "ftz? f32|f64", "=t t", decode_lane, LaneOp::kNeg},
      {"min", "ftz? NaN f32", "=t t t", decode_lane, LaneOp::kMin},
      {"max", "ftz? NaN f32", "=t t t", decode_lane, LaneOp::kMax},
      {"min", "ftz? NaN? xorsign abs f32", "=t t t", decode_lane, LaneOp::kMin},
      {"max", "ftz? NaN? xorsign abs f32", "=t t t", decode_lane, LaneOp::kMax},
      {"min", "ftz? f32|f64", "=t t t", decode_lane, LaneOp::kMin},
      {"max", "ftz? f32|f64", "=t t t", decode_lane, LaneOp::kMax},
      {"copysign", "f32|f64", "=t t t", decode_lane, LaneOp::kCopysign},
      {"rcp", "@rnd ftz? f32|f64", "=t t", decode_lane, LaneOp::kRcp},
      {"rcp", "approx ftz? f32|f64", "=t t", decode_lane, LaneOp::kRcp},
      {"sqrt", "@rnd ftz? f32|f64", "=t t", decode_lane, LaneOp::kSqrt},
      {"sqrt", "approx ftz? f32", "=t t", decode_lane, LaneOp::kSqrt},
      {"rsqrt", "approx ftz? f32|f64", "=t t", decode_lane, LaneOp::kRsqrt},
      {"sin", "approx ftz? f32", "=t t", decode_lane, LaneOp::kSin},
      {"cos", "approx ftz? f32", "=t t", decode_lane, LaneOp::kCos},
      {"lg2", "approx ftz? f32", "=t t", decode_lane, LaneOp::kLg2},
      {"ex2", "approx ftz? f32", "=t t", decode_lane, LaneOp::kEx2},
      {"tanh", "approx f32", "=t t", decode_lane, LaneOp::kTanh},
  };
  return forms;
}

}  // namespace heddle::ptx
