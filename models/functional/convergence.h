// Convergence instructions without time ([Hanoi] Tab I): a lane has barrier registers of its own, which name the lanes that it waits for.
// A YIELD, or a sleep, makes those that wait for its lanes go on without them, as a card does (simt/hanoi).
#pragma once

#include "functional/state.h"

namespace heddle::functional {

/// BSSY.
void begin_region(Warp& warp, unsigned barrier, LaneMask lanes);
/// BREAK: whoever is in the same region waits for them no longer.
void leave_region(Warp& warp, unsigned barrier, LaneMask lanes);
/// YIELD.
void stop_waiting_for(Warp& warp, LaneMask lanes);
/// Lets groups go on whose lanes are all there, or have exited. Which lanes.
LaneMask release_complete(Warp& warp);
/// Lets all lanes at a BSYNC go on: nobody else of the CTA can. Which lanes.
LaneMask release_all(Warp& warp);

}  // namespace heddle::functional
