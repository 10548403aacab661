// Branches, barriers and the end of threads.
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

void trap(Builder& b) {
  b.step.kind = Kind::kTrap;
  b.expect_operands(0, 0);
}

void breakpoint(Builder& b) {
  trap(b);
  b.step.flag = true;
}

void nothing(Builder& b) {
  b.step.kind = Kind::kNothing;
  b.expect_operands(0, 0);
}

/// Time is not modelled here.
void sleep(Builder& b) {
  b.step.kind = Kind::kNothing;
  if (b.take_type() != Type::kU32) b.refuse();
  b.expect_operands(1, 1);
  b.source(0, Type::kU32);
}

void performance_event(Builder& b) {
  b.step.kind = Kind::kNothing;
  b.take("mask");
  b.expect_operands(1, 1);
}

/// bar{.cta}.sync a{, b}; .arrive a, b; .red.popc.u32 d, a{, b}, p; .red.and/or.pred; barrier spells the
/// same.
void barrier(Builder& b) {
  if (b.take("warp")) {
    b.step.kind = Kind::kWarp;
    b.step.warp = WarpOp::kSync;
    if (!b.take("sync")) b.refuse();
    b.expect_operands(1, 1);
    b.source(0, Type::kB32);
    return;
  }
  if (b.take("cluster")) {  // a CTA is one: whoever waits for it waits at the CTA's barrier 0
    b.take("aligned");
    b.expect_operands(0, 0);
    b.step.kind = Kind::kNothing;
    if (b.take("arrive")) {
      b.take("release") || b.take("relaxed");
      return;
    }
    if (!b.take("wait")) b.refuse();
    b.take("acquire");
    b.step.kind = Kind::kBarrier;
    b.step.barrier = BarrierOp::kSync;
    b.constant_source(0);
    b.constant_source(0);
    return;
  }
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

}  // namespace

Handlers control_handlers() {
  return {{"bra", branch},       {"exit", leave},     {"trap", trap},
          {"brkpt", breakpoint}, {"bar", barrier},    {"barrier", barrier},
          {"nanosleep", sleep},  {"pragma", nothing}, {"pmevent", performance_event}};
}

}  // namespace heddle::oracle
