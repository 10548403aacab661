// Memory pools (api_memory.cpp).
#pragma once

namespace heddle::runtime {

/// The device and its memory are gone: made pools are empty, and the device's is the first one again.
void forget_pools();

}  // namespace heddle::runtime
