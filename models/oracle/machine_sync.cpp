#include "oracle/machine_sync.h"

#include <algorithm>
#include <bit>

#include "oracle/bits.h"
#include "oracle/machine_memory.h"

namespace heddle::oracle::mimd {

// A barrier counts threads, in units of a warp as the PTX ISA states them: a warp with at least one thread
// that arrived counts its arrived and its exited threads. If the barrier is for the whole CTA, warps that
// have exited count too.
void Meetings::arrive_at_barrier(Cta& cta, Thread& thread, const Step& step) {
  const std::uint64_t number = operands_.value(cta, thread, step.source[0]);
  const std::uint64_t count = operands_.value(cta, thread, step.source[1]);
  if (number >= cta.barriers.size())
    operands_.fault(cta, thread, step, "barrier " + std::to_string(number) + " does not exist; there are 16");
  if (count % 32 != 0 || count > 1024)
    operands_.fault(
        cta, thread, step,
        "a barrier for " + std::to_string(count) + " threads; the count must be a multiple of 32 up to 1024");
  Barrier& barrier = cta.barriers[number];
  const std::uint64_t expected = count == 0 ? cta.warps.size() * 32 : count;
  if (barrier.arrived.empty()) {
    barrier.arrived.assign(cta.warps.size(), 0);
    barrier.expected = expected;
  } else if (barrier.expected != expected) {
    operands_.fault(cta, thread, step,
                    "barrier " + std::to_string(number) + " for " + std::to_string(expected) +
                        " threads, but others wait at it for " + std::to_string(barrier.expected));
  }
  const std::uint32_t lane = 1u << (thread.index % 32);
  std::uint32_t& arrived = barrier.arrived[thread.index / 32];
  if (arrived & lane)
    operands_.fault(cta, thread, step,
                    "arrives twice at barrier " + std::to_string(number) + " before it completes");
  arrived |= lane;
  ++barrier.arrivals;
  if (step.sources > 2 && operands_.value(cta, thread, step.source[2]) != 0) ++barrier.predicates;
  if (step.barrier == BarrierOp::kArrive) {
    ++thread.pc;
  } else {
    thread.state = State::kAtBarrier;
    thread.barrier = static_cast<std::uint8_t>(number);
  }
  release_if_complete(cta, static_cast<std::uint8_t>(number));
}

void Meetings::release_if_complete(Cta& cta, std::uint8_t number) {
  Barrier& barrier = cta.barriers[number];
  if (barrier.arrived.empty()) return;
  const bool whole_cta = barrier.expected == cta.warps.size() * 32;
  std::uint64_t count = 0;
  for (std::size_t w = 0; w < cta.warps.size(); ++w) {
    const std::uint32_t gone = cta.warps[w].gone;
    if (barrier.arrived[w] != 0 || (whole_cta && gone == ~0u))
      count += static_cast<std::uint64_t>(std::popcount(barrier.arrived[w] | gone));
  }
  if (count < barrier.expected) return;
  for (Thread& thread : cta.threads) {
    if (thread.state != State::kAtBarrier || thread.barrier != number) continue;
    const Step& step = program_.steps[thread.pc];
    if (step.barrier == BarrierOp::kRedPopc) operands_.assign(thread, step.target[0], barrier.predicates);
    if (step.barrier == BarrierOp::kRedAnd)
      operands_.assign(thread, step.target[0], barrier.predicates == barrier.arrivals ? 1 : 0);
    if (step.barrier == BarrierOp::kRedOr)
      operands_.assign(thread, step.target[0], barrier.predicates != 0 ? 1 : 0);
    thread.state = State::kReady;
    ++thread.pc;
  }
  barrier = Barrier{};
}

void Meetings::arrive_in_warp(Cta& cta, Thread& thread, const Step& step) {
  Warp& warp = cta.warps[thread.index / 32];
  const unsigned lane = thread.index % 32;
  Arrival& arrival = warp.arrivals[lane];
  arrival.step = &step;
  arrival.members = static_cast<std::uint32_t>(operands_.value(cta, thread, step.source[0]));
  for (unsigned i = 1; i < step.sources; ++i)
    arrival.in[i - 1] = operands_.value(cta, thread, step.source[i]);
  if (!((arrival.members >> lane) & 1))
    operands_.fault(cta, thread, step, "the member mask does not contain the thread itself");
  warp.waiting |= 1u << lane;
  thread.state = State::kInWarp;
  meet_if_complete(cta, thread.index / 32);
}

// A rendezvous is complete when all threads of its member mask that have not exited wait at the same
// instruction (operation and type; the PTX ISA allows different program locations) with the same mask.
void Meetings::meet_if_complete(Cta& cta, std::size_t index) {
  Warp& warp = cta.warps[index];
  std::uint32_t unseen = warp.waiting;
  while (unseen != 0) {
    const Arrival& head = warp.arrivals[static_cast<unsigned>(std::countr_zero(unseen))];
    std::uint32_t alike = 0;
    for (std::uint32_t rest = warp.waiting; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const Arrival& other = warp.arrivals[lane];
      if (other.members == head.members && other.step->warp == head.step->warp &&
          other.step->type == head.step->type && other.step->atomic == head.step->atomic)
        alike |= 1u << lane;
    }
    unseen &= ~alike;
    if ((head.members & ~warp.gone & ~alike) == 0) finish_meeting(cta, index, alike);
  }
}

// Votes and shuffles without .sync include the threads that execute them together. Threads of the oracle run
// separately, so they wait here until no other thread of their warp can arrive: all others have exited, wait
// elsewhere, or have run for long. Where all threads of the warp pass, this is the whole warp.
void Meetings::arrive_loosely(Cta& cta, Thread& thread, const Step& step) {
  Warp& warp = cta.warps[thread.index / 32];
  const unsigned lane = thread.index % 32;
  Arrival& arrival = warp.arrivals[lane];
  arrival.step = &step;
  arrival.members = ~0u;
  for (unsigned i = 1; i < step.sources; ++i)
    arrival.in[i - 1] = operands_.value(cta, thread, step.source[i]);
  constexpr std::uint32_t kPatientInstructions = 65536;
  if (warp.loose == 0) warp.patience = std::max(64u, kPatientInstructions / std::max(1u, slice_));
  warp.loose |= 1u << lane;
  thread.state = State::kTogether;
}

bool Meetings::meet_loosely(Cta& cta) {
  bool any = false;
  for (std::size_t w = 0; w < cta.warps.size(); ++w) {
    Warp& warp = cta.warps[w];
    if (warp.loose == 0) continue;
    const auto first = cta.threads.begin() + static_cast<std::ptrdiff_t>(w * 32);
    const auto last =
        cta.threads.begin() + static_cast<std::ptrdiff_t>(std::min(w * 32 + 32, cta.threads.size()));
    const bool others_run =
        std::any_of(first, last, [](const Thread& thread) { return thread.state == State::kReady; });
    if (others_run && warp.patience > 0) {
      --warp.patience;
      continue;
    }
    for (std::uint32_t unseen = warp.loose; unseen != 0;) {
      const Step* step = warp.arrivals[static_cast<unsigned>(std::countr_zero(unseen))].step;
      std::uint32_t alike = 0;
      for (std::uint32_t rest = unseen; rest != 0; rest &= rest - 1)
        if (warp.arrivals[static_cast<unsigned>(std::countr_zero(rest))].step == step) alike |= rest & -rest;
      unseen &= ~alike;
      finish_meeting(cta, w, alike);
    }
    any = true;
  }
  return any;
}

namespace {

/// redux.sync over the values of `lanes`.
std::uint64_t reduced(const Step& step, std::uint32_t lanes, const std::array<std::uint64_t, 32>& values) {
  std::uint64_t result = 0;
  bool first = true;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t next = values[static_cast<unsigned>(std::countr_zero(rest))];
    result = first
                 ? next
                 : atomic_result(step.atomic, step.type, StateSpace::kShared, result, next, 0) & low_bits(32);
    first = false;
  }
  return result;
}

struct ShuffleSource {
  unsigned lane = 0;
  bool in_range = false;
};

/// PTX ISA, shfl: lane to read from, for lane `own` with operands b and c.
ShuffleSource shuffle_source(WarpOp op, int own, std::uint64_t b, std::uint64_t c) {
  const int offset = static_cast<int>(b & 31);
  const int clamp = static_cast<int>(c & 31);
  const int segment = static_cast<int>((c >> 8) & 31);
  const int most = (own & segment) | (clamp & ~segment);
  const int least = own & segment;
  int from = own;
  bool in_range = false;
  switch (op) {
    case WarpOp::kShflUp:
      from = own - offset, in_range = from >= most;
      break;
    case WarpOp::kShflDown:
      from = own + offset, in_range = from <= most;
      break;
    case WarpOp::kShflBfly:
      from = own ^ offset, in_range = from <= most;
      break;
    default:
      from = least | (offset & ~segment), in_range = from <= most;
      break;
  }
  return {static_cast<unsigned>(in_range ? from : own), in_range};
}

}  // namespace

void Meetings::finish_meeting(Cta& cta, std::size_t index, std::uint32_t lanes) {
  Warp& warp = cta.warps[index];
  const auto for_each = [lanes](auto&& fn) {
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      fn(static_cast<unsigned>(std::countr_zero(rest)));
  };
  std::uint32_t truths = 0;
  for_each([&](unsigned lane) { truths |= warp.arrivals[lane].in[0] != 0 ? 1u << lane : 0u; });
  std::uint64_t reduction = 0;
  const Step& first = *warp.arrivals[static_cast<unsigned>(std::countr_zero(lanes))].step;
  const bool of_matrices = first.warp == WarpOp::kMultiply || first.warp == WarpOp::kLoadMatrix ||
                           first.warp == WarpOp::kStoreMatrix;
  if ((of_matrices || first.warp == WarpOp::kTranspose) && lanes != ~0u)
    operands_.fault(cta, cta.threads[index * 32 + static_cast<unsigned>(std::countr_zero(lanes))], first,
                    "matrix instructions take all 32 threads of a warp");
  if (of_matrices) matrices_.execute(cta, index, first);
  if (const Step& step = *warp.arrivals[static_cast<unsigned>(std::countr_zero(lanes))].step;
      step.warp == WarpOp::kReduce) {
    std::array<std::uint64_t, 32> values{};
    for_each([&](unsigned lane) { values[lane] = warp.arrivals[lane].in[0]; });
    reduction = reduced(step, lanes, values);
  }
  for_each([&](unsigned lane) {
    Thread& thread = cta.threads[index * 32 + lane];
    const Arrival& own = warp.arrivals[lane];
    const Step& step = *own.step;
    std::uint32_t equal = 0;
    for_each([&](unsigned other) { equal |= warp.arrivals[other].in[0] == own.in[0] ? 1u << other : 0u; });
    switch (step.warp) {
      case WarpOp::kSync:
      case WarpOp::kMultiply:
      case WarpOp::kLoadMatrix:
      case WarpOp::kStoreMatrix:
        break;
      case WarpOp::kTranspose: {
        // Element (row, column) of the result is (column, row) of the operand; row r is in lanes 4r to 4r + 3.
        const unsigned row = lane / 4;
        const auto at = [&](unsigned r, unsigned c) {
          return warp.arrivals[4 * r + c / 2].in[0] >> (16 * (c % 2)) & 0xffff;
        };
        const unsigned column = 2 * (lane % 4);
        operands_.assign(thread, step.target[0], at(column, row) | at(column + 1, row) << 16);
        break;
      }
      case WarpOp::kElect: {
        const auto chosen = static_cast<unsigned>(std::countr_zero(lanes));
        operands_.assign(thread, step.target[0], chosen);
        operands_.assign(thread, step.target[1], chosen == lane ? 1 : 0);
        break;
      }
      case WarpOp::kVoteAll:
        operands_.assign(thread, step.target[0], truths == lanes ? 1 : 0);
        break;
      case WarpOp::kVoteAny:
        operands_.assign(thread, step.target[0], truths != 0 ? 1 : 0);
        break;
      case WarpOp::kVoteUni:
        operands_.assign(thread, step.target[0], truths == 0 || truths == lanes ? 1 : 0);
        break;
      case WarpOp::kVoteBallot:
        operands_.assign(thread, step.target[0], truths);
        break;
      case WarpOp::kActive:
        operands_.assign(thread, step.target[0], lanes);
        break;
      case WarpOp::kReduce:
        operands_.assign(thread, step.target[0], reduction);
        break;
      case WarpOp::kMatchAny:
        operands_.assign(thread, step.target[0], equal);
        break;
      case WarpOp::kMatchAll:
        operands_.assign(thread, step.target[0], equal == lanes ? lanes : 0);
        operands_.assign(thread, step.target[1], equal == lanes ? 1 : 0);
        break;
      default: {
        const auto [from, in_range] = shuffle_source(step.warp, static_cast<int>(lane), own.in[1], own.in[2]);
        // Reading from a thread that does not take part is undefined in PTX: here it reads its own value.
        const bool there = (lanes >> from) & 1;
        operands_.assign(thread, step.target[0], warp.arrivals[there ? from : lane].in[0]);
        operands_.assign(thread, step.target[1], in_range ? 1 : 0);
      }
    }
  });
  warp.waiting &= ~lanes;
  warp.loose &= ~lanes;
  for_each([&](unsigned lane) {
    Thread& thread = cta.threads[index * 32 + lane];
    thread.state = State::kReady;
    ++thread.pc;
  });
}

void Meetings::leave(Cta& cta, Thread& thread) {
  thread.state = State::kExited;
  --cta.live;
  Warp& warp = cta.warps[thread.index / 32];
  warp.gone |= 1u << (thread.index % 32);
  if (warp.waiting != 0) meet_if_complete(cta, thread.index / 32);
  for (std::size_t i = 0; i < cta.barriers.size(); ++i)
    release_if_complete(cta, static_cast<std::uint8_t>(i));
}

}  // namespace heddle::oracle::mimd
