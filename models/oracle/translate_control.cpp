// Branches, barriers and what the threads of a warp do together.
#include "oracle/bits.h"
#include "oracle/builder.h"

namespace heddle::oracle {

namespace {

void branch(Builder& b) {
  b.step.kind = Kind::kBranch;
  b.take("uni");
  b.expect_operands(1, 1);
  b.branch_target(0);
}

void leave(Builder& b) {
  b.step.kind = Kind::kExit;
  b.take("uni");
  b.expect_operands(0, 0);
}

void trap(Builder& b) { b.step.kind = Kind::kTrap; }
void nothing(Builder& b) {
  b.step.kind = Kind::kNothing;
  b.take("u32");   // nanosleep
  b.take("mask");  // pmevent
}

void warp_barrier(Builder& b) {
  b.step.kind = Kind::kWarp;
  b.step.warp = WarpOp::kSync;
  if (!b.take("sync")) b.refuse();
  b.expect_operands(1, 1);
  b.source(0, Type::kB32);
}

/// bar{.cta}.sync a{, b}; .arrive a, b; .red.popc.u32 d, a{, b}, p; .red.and/or.pred; barrier spells the
/// same.
void barrier(Builder& b) {
  if (b.take("warp")) return warp_barrier(b);
  b.step.kind = Kind::kBarrier;
  b.take("cta");
  b.take("aligned");
  std::size_t first = 0;
  if (b.take("sync")) {
    b.step.barrier = BarrierOp::kSync;
    b.expect_operands(1, 2);
  } else if (b.take("arrive")) {
    b.step.barrier = BarrierOp::kArrive;
    b.expect_operands(2, 2);
  } else if (b.take("red")) {
    const auto op = b.take_choice<BarrierOp>(
        {{"popc", BarrierOp::kRedPopc}, {"and", BarrierOp::kRedAnd}, {"or", BarrierOp::kRedOr}});
    if (!op) b.refuse();
    b.step.barrier = *op;
    b.step.type = b.take_type();
    if (b.step.type != (*op == BarrierOp::kRedPopc ? Type::kU32 : Type::kPred)) b.refuse();
    b.expect_operands(3, 4);
    b.target(0, b.step.type);
    first = 1;
  } else {
    b.refuse();
  }
  // Sources: barrier, thread count (0: the whole CTA), predicate of a reduction.
  const bool reduces = first == 1;
  const bool counted = b.operands() - first == (reduces ? 3u : 2u);
  b.source(first, Type::kU32);
  if (counted)
    b.source(first + 1, Type::kU32);
  else
    b.constant_source(0);
  if (reduces) b.source(b.operands() - 1, Type::kPred);
}

/// vote.sync.mode d, p, membermask. Forms without .sync depend on which threads happen to be together:
/// refused.
void vote(Builder& b) {
  b.step.kind = Kind::kWarp;
  const auto op = b.take_choice<WarpOp>({{"all", WarpOp::kVoteAll},
                                         {"any", WarpOp::kVoteAny},
                                         {"uni", WarpOp::kVoteUni},
                                         {"ballot", WarpOp::kVoteBallot}});
  if (!op || !b.take("sync")) b.refuse();
  b.step.warp = *op;
  b.step.type = b.take_type();
  if (b.step.type != (*op == WarpOp::kVoteBallot ? Type::kB32 : Type::kPred)) b.refuse();
  b.expect_operands(3, 3);
  b.target(0, b.step.type);
  b.source(2, Type::kB32);  // the member mask is always source 0
  b.source(1, Type::kPred);
}

/// shfl.sync.mode.b32 d|p, a, b, c, membermask.
void shuffle(Builder& b) {
  b.step.kind = Kind::kWarp;
  const auto op = b.take_choice<WarpOp>({{"up", WarpOp::kShflUp},
                                         {"down", WarpOp::kShflDown},
                                         {"bfly", WarpOp::kShflBfly},
                                         {"idx", WarpOp::kShflIdx}});
  if (!op || !b.take("sync")) b.refuse();
  b.step.warp = *op;
  b.step.type = b.take_type();
  if (b.step.type != Type::kB32) b.refuse();
  b.expect_operands(5, 5);
  b.target(0, Type::kB32);
  b.second_target(0, Type::kPred);
  b.source(4, Type::kB32);
  for (std::size_t i = 1; i <= 3; ++i) b.source(i, Type::kB32);
}

/// match.any.sync.b32 d, a, membermask; match.all.sync.b32 d|p, a, membermask.
void match(Builder& b) {
  b.step.kind = Kind::kWarp;
  const auto op = b.take_choice<WarpOp>({{"any", WarpOp::kMatchAny}, {"all", WarpOp::kMatchAll}});
  if (!op || !b.take("sync")) b.refuse();
  b.step.warp = *op;
  b.step.type = b.take_type();
  if (b.step.type != Type::kB32 && b.step.type != Type::kB64) b.refuse();
  b.expect_operands(3, 3);
  b.target(0, Type::kB32);
  if (*op == WarpOp::kMatchAll) b.second_target(0, Type::kPred);
  b.source(2, Type::kB32);
  b.source(1, b.step.type);
}

}  // namespace

Handlers control_handlers() {
  return {{"bra", branch},  {"exit", leave},        {"ret", leave},      {"trap", trap},
          {"bar", barrier}, {"barrier", barrier},   {"vote", vote},      {"shfl", shuffle},
          {"match", match}, {"nanosleep", nothing}, {"pragma", nothing}, {"pmevent", nothing}};
}

}  // namespace heddle::oracle
