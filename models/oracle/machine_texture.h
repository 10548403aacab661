// Textures and surfaces as the threads of a PTX kernel access them (oracle/texture.h).
#pragma once

#include "oracle/machine_memory.h"
#include "oracle/machine_operands.h"

namespace heddle::oracle::mimd {

/// A step of Kind::kTexture.
void access_texture(Accesses& accesses, const Operands& operands, Cta& cta, Thread& thread, const Step& step);

}  // namespace heddle::oracle::mimd
