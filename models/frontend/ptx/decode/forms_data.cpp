// Forms that move and convert data, and access memory.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

using isa::LaneOp;

const std::vector<Form>& data_forms() {
  static const std::vector<Form> forms = {
      {"mov", "vec=v2|v4 b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "=t t", decode_mov_vector},
      {"mov", "b128", "=t t", decode_mov_128},
      {"mov", "pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "=t t", decode_mov},
      {"cvt", "@allrnd? ftz? sat? @converted @converted", "=~t ~s", decode_cvt, LaneOp::kCvt},
      {"cvt", "rnd=rn|rz relu? satfinite? f16|bf16 f32", "=~t ~s", decode_cvt, LaneOp::kCvt},
      {"cvt", "rnd=rna|rn|rz relu? satfinite? tf32 f32", "=t s", decode_cvt, LaneOp::kCvt},
      {"cvt", "pack sat u16|s16 s32", "=b32 s s", decode_lane, LaneOp::kCvtPack},
      {"cvt", "pack sat u8|s8 s32 word=b32", "=b32 s s b32", decode_lane, LaneOp::kCvtPack8},
      {"cvt", "pack sat word=u4 s32 word=b32", "=b32 t t b32", decode_lane, LaneOp::kCvtPackU4},
      {"cvt", "pack sat word=s4 s32 word=b32", "=b32 t t b32", decode_lane, LaneOp::kCvtPackS4},
      {"cvt", "pack sat word=u2 s32 word=b32", "=b32 t t b32", decode_lane, LaneOp::kCvtPackU2},
      {"cvt", "pack sat word=s2 s32 word=b32", "=b32 t t b32", decode_lane, LaneOp::kCvtPackS2},
      {"cvta", "space=global|shared|shared::cta|local|const u64", "=t t", decode_cvta},
      {"cvta", "to space=global|shared|shared::cta|local|const u64", "=t t", decode_cvta_to},
      {"cvta", "space=param|param::entry u64", "=t t", decode_cvta_param, LaneOp::kAdd},
      {"cvta", "to space=param|param::entry u64", "=t t", decode_cvta_param, LaneOp::kSub},
      {"isspacep", "space=global|shared|shared::cta|local|const|param|param::entry", "=pred u64",
       decode_isspacep},

      // Weak accesses, and what the memory consistency model calls strong ones: these name a scope (volatile: the
      // system's), have no cache operator and do not go to local memory, constants or parameters.
      {"ld",
       "order=weak? space=param|param::entry|global|shared|shared::cta|local|const? cache=ca|cg|cs|lu|cv? "
       "cache=nc? @evict? L2::cache_hint? @fetched? vec=v2|v4? @data",
       "=t t u64?", decode_load},
      {"ld", "order=volatile space=global|shared|shared::cta? @fetched? vec=v2|v4? @data", "=t t",
       decode_load},
      {"ld",
       "order=relaxed|acquire @scope space=global|shared|shared::cta? @evict? L2::cache_hint? @fetched? "
       "vec=v2|v4? @data",
       "=t t u64?", decode_load},
      {"ld", "mmio order=relaxed scope=sys space=global? @data", "=t t", decode_load},
      {"ld", "space=global|shared|shared::cta|local? cache=nc? @evict? L2::cache_hint? @fetched? b128",
       "=t t u64?", decode_load},
      {"st", "space=global|shared|shared::cta|local? @evict? L2::cache_hint? b128", "t t u64?", decode_store},
      {"ld", "order=relaxed|acquire @scope space=global|shared|shared::cta? b128", "=t t", decode_load},
      {"st", "order=relaxed|release @scope space=global|shared|shared::cta? b128", "t t", decode_wide_atomic},
      {"ld", "space=global? cache=nc? @evict? L2::cache_hint? @fetched? vec=v8 b32|u32|s32|f32", "=t t u64?",
       decode_load},
      {"st", "space=global? @evict? L2::cache_hint? vec=v8 b32|u32|s32|f32", "t t u64?", decode_store},
      {"ldu", "space=global? vec=v2|v4? @data", "=t t", decode_load},
      {"st",
       "order=weak? space=global|shared|shared::cta|local? cache=wb|cg|cs|wt? @evict? L2::cache_hint? "
       "vec=v2|v4? @data",
       "t t u64?", decode_store},
      {"st", "order=volatile space=global|shared|shared::cta? vec=v2|v4? @data", "t t", decode_store},
      {"st",
       "order=relaxed|release @scope space=global|shared|shared::cta? @evict? L2::cache_hint? vec=v2|v4? "
       "@data",
       "t t u64?", decode_store},
      {"st", "mmio order=relaxed scope=sys space=global? @data", "t t", decode_store},

      // What each operation takes is a line of its own: there is no .add.s64, since .add.u64 gives the same sum.
      {"atom", "@atom_order? @scope? @atom_space? atomic=add u32|s32|u64|f32|f64 L2::cache_hint?",
       "=t t t u64?", decode_atomic},
      {"atom", "@atom_order? @scope? @atom_space? atomic=add noftz f16|f16x2|bf16|bf16x2 L2::cache_hint?",
       "=t t t u64?", decode_atomic},
      {"atom", "@atom_order? @scope? @atom_space? atomic=min|max u32|s32|u64|s64 L2::cache_hint?",
       "=t t t u64?", decode_atomic},
      {"atom", "@atom_order? @scope? @atom_space? atomic=and|or|xor|exch b32|b64 L2::cache_hint?",
       "=t t t u64?", decode_atomic},
      {"atom", "@atom_order? @scope? @atom_space? atomic=inc|dec u32 L2::cache_hint?", "=t t t u64?",
       decode_atomic},
      {"atom", "@atom_order? @scope? @atom_space? atomic=cas b16|b32|b64 L2::cache_hint?", "=t t t t u64?",
       decode_atomic},
      {"atom", "@atom_order? @scope? @atom_space? atomic=exch b128 L2::cache_hint?", "=t t t u64?",
       decode_wide_atomic},
      {"atom", "@atom_order? @scope? @atom_space? atomic=cas b128", "=t t t t", decode_wide_atomic},
      // sm_90: an operation for each element.
      {"atom", "@atom_order? @scope? space=global? atomic=add vec=v2|v4 f32 L2::cache_hint?", "=t t t u64?",
       decode_atomic},
      {"atom", "@atom_order? @scope? space=global? atomic=add noftz vec=v2|v4|v8 f16|bf16 L2::cache_hint?",
       "=t t t u64?", decode_atomic},
      {"atom", "@atom_order? @scope? space=global? atomic=add noftz vec=v2|v4 f16x2|bf16x2 L2::cache_hint?",
       "=t t t u64?", decode_atomic},
      {"red", "@red_order? @scope? space=global? atomic=add vec=v2|v4 f32 L2::cache_hint?", "t t u64?",
       decode_reduction},
      {"red", "@red_order? @scope? space=global? atomic=add noftz vec=v2|v4|v8 f16|bf16 L2::cache_hint?",
       "t t u64?", decode_reduction},
      {"red", "@red_order? @scope? space=global? atomic=add noftz vec=v2|v4 f16x2|bf16x2 L2::cache_hint?",
       "t t u64?", decode_reduction},
      {"red", "@red_order? @scope? @atom_space? atomic=add u32|s32|u64|f32|f64 L2::cache_hint?", "t t u64?",
       decode_reduction},
      {"red", "@red_order? @scope? @atom_space? atomic=add noftz f16|f16x2|bf16|bf16x2 L2::cache_hint?",
       "t t u64?", decode_reduction},
      {"red", "@red_order? @scope? @atom_space? atomic=min|max u32|s32|u64|s64 L2::cache_hint?", "t t u64?",
       decode_reduction},
      {"red", "@red_order? @scope? @atom_space? atomic=and|or|xor b32|b64 L2::cache_hint?", "t t u64?",
       decode_reduction},
      {"red", "@red_order? @scope? @atom_space? atomic=inc|dec u32 L2::cache_hint?", "t t u64?",
       decode_reduction},

      // Hints: their addresses are checked as operands; they have no other effect.
      {"prefetch", "space=global|local? L1|L2|L2::evict_last|L2::evict_normal", "t", decode_prefetch},
      {"prefetchu", "L1", "t", decode_prefetch},
      {"applypriority", "space=global? L2::evict_normal", "t u32", decode_prefetch},
      {"discard", "space=global? L2", "t u32", decode_prefetch},
  };
  return forms;
}

}  // namespace heddle::ptx
