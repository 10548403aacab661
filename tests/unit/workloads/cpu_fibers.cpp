#include "unit/workloads/cpu_fibers.h"

#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace heddle::workloads::testing {

namespace {

constexpr std::size_t kStackBytes = 65'536;

struct Block {
  struct Fiber {
    ucontext_t context;
    std::vector<std::byte> stack;
    bool finished = true;
  };
  struct Warp {
    unsigned arrived = 0;
    unsigned generation = 0;  // votes taken
    bool all = true;
    bool answer = true;  // of the last vote
  };
  std::vector<Fiber> fibers;
  std::vector<Warp> warps;
  ucontext_t scheduler;
  const std::function<void()>* body = nullptr;
  unsigned current = 0;
  unsigned live = 0;
  unsigned threads = 0;
  unsigned arrived = 0;     // at the barrier
  unsigned generation = 0;  // barriers passed

  void open_barrier_if_full() {
    if (arrived == live && arrived > 0) {
      arrived = 0;
      ++generation;
    }
  }
};

Block& block() {
  static Block b;  // kept, so that stacks are allocated once
  return b;
}

void enter() {
  (*block().body)();
  block().fibers[block().current].finished = true;
}

}  // namespace

void run_block(unsigned threads, const std::function<void()>& body,
               const std::function<void(unsigned)>& select) {
  Block& b = block();
  b.fibers.resize(std::max<std::size_t>(b.fibers.size(), threads));
  b.body = &body;
  b.live = b.threads = threads;
  b.warps.assign((threads + 31) / 32, {});
  b.arrived = 0;
  for (unsigned i = 0; i < threads; ++i) {
    Block::Fiber& fiber = b.fibers[i];
    fiber.stack.resize(kStackBytes);
    fiber.finished = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = &b.scheduler;
    makecontext(&fiber.context, enter, 0);
  }
  while (b.live > 0) {
    for (unsigned i = 0; i < threads; ++i) {
      if (b.fibers[i].finished) continue;
      b.current = i;
      select(i);
      swapcontext(&b.scheduler, &b.fibers[i].context);
      if (!b.fibers[i].finished) continue;
      --b.live;
      b.open_barrier_if_full();
    }
  }
}

void give_way() {
  Block& b = block();
  swapcontext(&b.fibers[b.current].context, &b.scheduler);
}

void wait_for_block() {
  Block& b = block();
  const unsigned mine = b.generation;
  ++b.arrived;
  b.open_barrier_if_full();
  while (b.generation == mine) give_way();
}

bool all_of_warp(bool mine) {
  Block& b = block();
  const unsigned index = b.current / 32, members = std::min(32u, b.threads - 32 * index);
  Block::Warp& warp = b.warps[index];
  const unsigned vote = warp.generation;
  warp.all &= mine;
  if (++warp.arrived == members) {
    warp = {.arrived = 0, .generation = vote + 1, .all = true, .answer = warp.all};
  }
  while (warp.generation == vote) give_way();
  return warp.answer;
}

}  // namespace heddle::workloads::testing
