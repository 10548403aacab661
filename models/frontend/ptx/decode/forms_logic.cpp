// Forms of logic, shifts, bit fields, comparison and selection.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

using isa::LaneOp;

const std::vector<Form>& logic_forms() {
  static const std::vector<Form> forms = {
      {"and", "pred|b16|b32|b64", "=t t t", decode_lane, LaneOp::kAnd},
      {"or", "pred|b16|b32|b64", "=t t t", decode_lane, LaneOp::kOr},
      {"xor", "pred|b16|b32|b64", "=t t t", decode_lane, LaneOp::kXor},
      {"not", "pred|b16|b32|b64", "=t t", decode_lane, LaneOp::kNot},
      {"cnot", "@bits", "=t t", decode_lane, LaneOp::kCnot},
      {"shl", "@bits", "=t t u32", decode_lane, LaneOp::kShl},
      {"shr", "b16|b32|b64|u16|u32|u64|s16|s32|s64", "=t t u32", decode_lane, LaneOp::kShr},
      {"shf", "l clamp|wrap b32", "=t t t u32", decode_lane, LaneOp::kShfL},
      {"shf", "r clamp|wrap b32", "=t t t u32", decode_lane, LaneOp::kShfR},
      {"popc", "b32|b64", "=u32 t", decode_lane, LaneOp::kPopc},
      {"clz", "b32|b64", "=u32 t", decode_lane, LaneOp::kClz},
      {"bfind", "u32|u64|s32|s64", "=u32 t", decode_lane, LaneOp::kBfind},
      {"bfind", "shiftamt u32|u64|s32|s64", "=u32 t", decode_lane, LaneOp::kBfindShift},
      {"brev", "b32|b64", "=t t", decode_lane, LaneOp::kBrev},
      {"bfe", "u32|u64|s32|s64", "=t t u32 u32", decode_lane, LaneOp::kBfe},
      {"bfi", "b32|b64", "=t t t u32 u32", decode_lane, LaneOp::kBfi},
      {"fns", "b32", "=t t b32 s32", decode_lane, LaneOp::kFns},
      {"szext", "clamp|wrap u32|s32", "=t t u32", decode_lane, LaneOp::kSzext},
      {"bmsk", "clamp|wrap b32", "=t u32 u32", decode_lane, LaneOp::kBmsk},
      {"lop3", "b32", "=t t t t i", decode_lane, LaneOp::kLop3},
      {"lop3", "bool=and|or b32", "=t|pred t t t i pred", decode_lane, LaneOp::kLop3Pred},
      {"prmt", "b32", "=t t t t", decode_lane, LaneOp::kPrmt},
      {"prmt", "b32 f4e", "=t t t t", decode_lane, LaneOp::kPrmtF4e},
      {"prmt", "b32 b4e", "=t t t t", decode_lane, LaneOp::kPrmtB4e},
      {"prmt", "b32 rc8", "=t t t t", decode_lane, LaneOp::kPrmtRc8},
      {"prmt", "b32 ecl", "=t t t t", decode_lane, LaneOp::kPrmtEcl},
      {"prmt", "b32 ecr", "=t t t t", decode_lane, LaneOp::kPrmtEcr},
      {"prmt", "b32 rc16", "=t t t t", decode_lane, LaneOp::kPrmtRc16},

      {"setp", "@cmp ftz? @compared", "=pred|pred t t", decode_lane, LaneOp::kSetp},
      {"setp", "@cmp @bool ftz? @compared", "=pred|pred t t pred", decode_lane, LaneOp::kSetp},
      {"set", "@cmp ftz? u32|s32|f32 @compared", "=t s s", decode_lane, LaneOp::kSet},
      {"set", "@cmp @bool ftz? u32|s32|f32 @compared", "=t s s pred", decode_lane, LaneOp::kSet},
      {"selp", "@compared", "=t t t pred", decode_lane, LaneOp::kSelp},
      {"slct", "ftz? @compared s32|f32", "=t t t s", decode_lane, LaneOp::kSlct},
      {"testp", "prop=finite|infinite|number|notanumber|normal|subnormal f32|f64", "=pred t", decode_lane,
       LaneOp::kTestp},
  };
  return forms;
}

}  // namespace heddle::ptx
