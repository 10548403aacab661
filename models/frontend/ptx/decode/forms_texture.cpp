// Forms of textures and surfaces: what compilers make of objects. Sparse residency, independent samplers and formatted surface
// stores are not among it. Offsets and depth comparisons are read, and refused by name.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

const std::vector<Form>& texture_forms() {
  static const std::vector<Form> forms = {
      {"tex", "level|grad? 1d|2d|3d|a1d|a2d|cube|acube vec=v4 f32|s32|u32 f32|s32", "=t t t? t? t? t?",
       decode_texture},
      {"tld4", "r|g|b|a 2d|a2d vec=v4 f32|s32|u32 f32", "=t t t? t?", decode_texture},
      {"txq", "width|height|depth|array_size|num_mipmap_levels|num_samples|normalized_coords b32", "=t t",
       decode_texture_query},
      {"suq", "width|height|depth|array_size b32", "=t t", decode_texture_query},
      {"suld", "b 1d|2d|3d|a1d|a2d cache=ca|cg|cs|cv? vec=v2|v4? b8|b16|b32|b64 trap|clamp|zero", "=t t",
       decode_surface},
      {"sust", "b 1d|2d|3d|a1d|a2d cache=wb|cg|cs|wt? vec=v2|v4? b8|b16|b32|b64 trap|clamp|zero", "t t",
       decode_surface},
  };
  return forms;
}

}  // namespace heddle::ptx
