// Forms that move and convert data, and access memory.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

using isa::LaneOp;

const std::vector<Form>& data_forms() {
  static const std::vector<Form> forms = {
      {"mov", "pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "=t t", decode_mov},
      {"cvt", "@allrnd? ftz? sat? @converted @converted", "=~t ~s", decode_cvt, LaneOp::kCvt},
      {"cvta", "space=global|shared|shared::cta|local|const u64", "=t t", decode_cvta},
      {"cvta", "to space=global|shared|shared::cta|local|const u64", "=t t", decode_cvta_to},
      {"isspacep", "space=global|shared|shared::cta|local", "=pred u64", decode_isspacep},

      {"ld",
       "order=weak|volatile|relaxed|acquire? @scope? "
       "space=param|param::entry|global|shared|shared::cta|local|const? cache=ca|cg|cs|lu|cv? cache=nc? "
       "cache=L1::evict_normal|L1::evict_first|L1::no_allocate? L2::64B|L2::128B|L2::256B? vec=v2|v4? @data",
       "=t t", decode_load},
      {"ldu", "space=global? vec=v2|v4? @data", "=t t", decode_load},
      {"st",
       "order=weak|volatile|relaxed|release? @scope? space=global|shared|shared::cta|local? "
       "cache=wb|cg|cs|wt? cache=L1::evict_normal|L1::evict_first|L1::no_allocate? vec=v2|v4? @data",
       "t t", decode_store},

      {"atom",
       "order=relaxed|acquire|release|acq_rel? @scope? space=global|shared|shared::cta? "
       "atomic=add|min|max|and|or|xor|exch|cas|inc|dec b32|b64|u32|u64|s32|s64|f32|f64",
       "=t t t t?", decode_atomic},
      {"red",
       "order=relaxed|release? @scope? space=global|shared|shared::cta? "
       "atomic=add|min|max|and|or|xor|inc|dec b32|b64|u32|u64|s32|s64|f32|f64",
       "t t", decode_reduction},
  };
  return forms;
}

}  // namespace heddle::ptx
