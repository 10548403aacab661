#include "frontend/sass/lower/rows.h"

namespace heddle::sass {

bool lower_lane(const Instruction& /*instruction*/, KernelRows& /*rows*/, isa::Instruction& /*out*/) { return false; }

}  // namespace heddle::sass
