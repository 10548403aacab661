// Forms of matrix instructions.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

const std::vector<Form>& matrix_forms() {
  static const std::vector<Form> forms = {
      {"mma", "sync aligned m16n8k8|m16n8k16 row col f16 f16 f16 f16", "t t t t", decode_mma},
      {"mma", "sync aligned m16n8k8|m16n8k16 row col f32 f16 f16 f32", "t t t t", decode_mma},
      {"mma", "sync aligned m16n8k8|m16n8k16 row col f32 bf16 bf16 f32", "t t t t", decode_mma},
      {"mma", "sync aligned m16n8k4|m16n8k8 row col f32 tf32 tf32 f32", "t t t t", decode_mma},
      {"mma", "sync aligned m16n8k32 row col f32 e4m3|e5m2 e4m3|e5m2 f32", "t t t t", decode_mma},
      {"mma", "sync aligned m8n8k16|m16n8k16|m16n8k32 row col satfinite? s32 s8|u8 s8|u8 s32", "t t t t",
       decode_mma},
      {"mma", "sync aligned m8n8k4|m16n8k4|m16n8k8|m16n8k16 row col rnd=rn? f64 f64 f64 f64", "t t t t",
       decode_mma},

      {"ldmatrix", "sync aligned m8n8 vec=x1|x2|x4 trans? space=shared|shared::cta? b16", "=t t",
       decode_ldmatrix},
      {"stmatrix", "sync aligned m8n8 vec=x1|x2|x4 trans? space=shared|shared::cta? b16", "t t",
       decode_stmatrix},
      {"movmatrix", "sync aligned m8n8 trans b16", "=b32 b32", decode_movmatrix},

      {"wmma", "load a|b sync aligned row|col m16n16k16|m32n8k16|m8n32k16 @wmma_space? f16|bf16|s8|u8",
       "=t t u32?", decode_wmma_load},
      {"wmma", "load c sync aligned row|col m16n16k16|m32n8k16|m8n32k16 @wmma_space? f16|f32|s32",
       "=t t u32?", decode_wmma_load},
      {"wmma", "load a|b sync aligned row|col m16n16k8 @wmma_space? tf32", "=t t u32?", decode_wmma_load},
      {"wmma", "load c sync aligned row|col m16n16k8 @wmma_space? f32", "=t t u32?", decode_wmma_load},
      {"wmma", "load a|b|c sync aligned row|col m8n8k4 @wmma_space? f64", "=t t u32?", decode_wmma_load},
      {"wmma", "store d sync aligned row|col m16n16k16|m32n8k16|m8n32k16 @wmma_space? f16|f32|s32",
       "t t u32?", decode_wmma_store},
      {"wmma", "store d sync aligned row|col m16n16k8 @wmma_space? f32", "t t u32?", decode_wmma_store},
      {"wmma", "store d sync aligned row|col m8n8k4 @wmma_space? f64", "t t u32?", decode_wmma_store},
      {"wmma", "mma sync aligned row|col row|col m16n16k16|m32n8k16|m8n32k16 f16|f32 f16|f32", "t t t t",
       decode_wmma_mma},
      {"wmma", "mma sync aligned row|col row|col m16n16k16|m32n8k16|m8n32k16 f32 bf16 bf16 f32", "t t t t",
       decode_wmma_mma},
      {"wmma", "mma sync aligned row|col row|col m16n16k16|m32n8k16|m8n32k16 satfinite? s32 s8|u8 s8|u8 s32",
       "t t t t", decode_wmma_mma},
      {"wmma", "mma sync aligned row|col row|col m16n16k8 f32 tf32 tf32 f32", "t t t t", decode_wmma_mma},
      {"wmma", "mma sync aligned row|col row|col m8n8k4 rnd=rn? f64 f64 f64 f64", "t t t t", decode_wmma_mma},
  };
  return forms;
}

}  // namespace heddle::ptx
