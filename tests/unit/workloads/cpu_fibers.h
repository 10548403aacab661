// The threads of one CTA as fibers (ucontext), scheduled round robin.
#pragma once

#include <functional>

namespace heddle::workloads::testing {

struct CudaIndex {
  unsigned x = 0, y = 0, z = 0;
};

/// Runs `body` once per thread of the block; `select(i)` is called whenever thread i is about to run.
void run_block(unsigned threads, const std::function<void()>& body,
               const std::function<void(unsigned)>& select);
/// Within a body: lets the other threads of the block run.
void give_way();
/// Within a body: waits for all threads of the block that have not returned.
void wait_for_block();

/// Within a body: waits for the other threads of the same 32, none of which has returned. True if all of them
/// said `mine`.
bool all_of_warp(bool mine);

}  // namespace heddle::workloads::testing
