// Asynchronous copies and mbarriers (PTX ISA, Data Movement and Conversion Instructions: Asynchronous copy; mbarrier).
//
// A copy is made at once: PTX lets it be made at any time before a wait, so a program whose result that changes has a race.
#include <memory>

#include "oracle/bits.h"
#include "oracle/builder.h"

namespace heddle::oracle {

namespace {

bool is_predicate(Builder& b, const ptx::Operand& operand) {
  const auto found = b.register_of(operand);
  return found && found->type == Type::kPred;
}

void hint_of(Builder& b, std::size_t& operands) {
  if (!b.take("L2::cache_hint")) return;
  --operands;
}

/// Keeps the step so far for the one that is begun; returns where it is.
const Step* set_aside(Builder& b) {
  b.around().program.places.push_back(std::make_unique<const Step>(b.step));
  const isa::SourceLoc where = b.step.where;
  const std::int32_t guard = b.step.guard;
  const bool negated = b.step.guard_negated;
  b.step = Step{};
  b.step.where = where;
  b.step.guard = guard;
  b.step.guard_negated = negated;
  return b.around().program.places.back().get();
}

/// cp.async.{ca,cg}.shared.global [dst], [src], size{, src-size or ignore-src}{, policy}.
void copy(Builder& b) {
  const bool all_sizes = b.take("ca");
  if (!all_sizes && !b.take("cg")) b.refuse();
  if ((!b.take("shared") && !b.take("shared::cta")) || !b.take("global")) b.refuse();
  b.take_prefixed("L2::64B") || b.take_prefixed("L2::128B") || b.take_prefixed("L2::256B");
  std::size_t operands = b.operands();
  hint_of(b, operands);
  if (operands < 3 || operands > 4) b.fail("'cp' has the wrong number of operands");
  const auto* size = std::get_if<ptx::IntegerLiteral>(&b.operand(2).value);
  if (size == nullptr || (size->bits != 16 && (!all_sizes || (size->bits != 4 && size->bits != 8))))
    b.refuse();
  b.address(0, StateSpace::kShared);
  b.step.other = set_aside(b);
  b.step.selector = static_cast<std::uint8_t>(size->bits);
  b.step.kind = Kind::kAsyncCopy;
  b.step.type = Type::kB8;
  b.address(1, StateSpace::kGlobal);
  if (operands == 4) {
    b.step.flag = is_predicate(b, b.operand(3));
    b.source(3, b.step.flag ? Type::kPred : Type::kU32);
  } else {
    b.constant_source(size->bits);
  }
}

/// cp.async.bulk.shared.global [to], [from], size, [mbarrier]; .global.shared [to], [from], size; each with a policy at the end. Groups
/// have nothing to wait for.
void bulk(Builder& b) {
  b.step.kind = Kind::kNothing;
  if (b.take("commit_group")) return b.expect_operands(0, 0);
  if (b.take("wait_group")) {
    b.take("read");
    return b.expect_operands(1, 1);
  }
  std::size_t operands = b.operands();
  hint_of(b, operands);
  if (b.take("prefetch")) {
    if (!b.take("L2") || !b.take("global") || operands != 2) b.refuse();
    return;
  }
  if (!b.take("shared::cta") || !b.take("global")) b.refuse();
  const bool into_shared = b.take("mbarrier::complete_tx::bytes");
  if (!into_shared && !b.take("bulk_group")) b.refuse();
  if (operands != (into_shared ? 4u : 3u)) b.fail("'cp' has the wrong number of operands");
  const Step* barrier = nullptr;
  if (into_shared) {
    b.step.kind = Kind::kBarrierObject;
    b.step.object = BarrierObject::kComplete;
    b.step.type = Type::kB64;
    b.address(3, StateSpace::kShared);
    b.source(2, Type::kU32);
    barrier = set_aside(b);
  }
  b.address(0, into_shared ? StateSpace::kShared : StateSpace::kGlobal);
  b.step.other = barrier;
  b.step.other = set_aside(b);
  b.step.kind = Kind::kAsyncCopy;  // with selector 0
  b.step.type = Type::kB8;
  b.address(1, into_shared ? StateSpace::kGlobal : StateSpace::kShared);
  b.source(2, Type::kU32);
}

/// cp.async.mbarrier.arrive{.noinc}: without .noinc the copies' arrival is one that is added to those that are pending, and
/// here they are done: nothing changes.
void arrive_with_copies(Builder& b) {
  if (!b.take("arrive")) b.refuse();
  const bool counted = b.take("noinc");
  const bool shared = b.take("shared") || b.take("shared::cta");
  if (b.take_type() != Type::kB64) b.refuse();
  b.expect_operands(1, 1);
  b.address(0, shared ? StateSpace::kShared : StateSpace::kGeneric);
  b.step.type = Type::kB64;
  b.step.kind = counted ? Kind::kBarrierObject : Kind::kNothing;
  b.step.object = BarrierObject::kArrive;
  b.constant_source(1);
}

void asynchronous(Builder& b) {
  if (!b.take("async")) b.refuse();
  if (b.take("mbarrier")) return arrive_with_copies(b);
  if (b.take("bulk")) return bulk(b);
  b.step.kind = Kind::kNothing;
  if (b.take("commit_group") || b.take("wait_all")) return b.expect_operands(0, 0);
  if (b.take("wait_group")) return b.expect_operands(1, 1);
  copy(b);
}

void barrier_object(Builder& b) {
  if (b.take("pending_count")) {
    if (b.take_type() != Type::kB64) b.refuse();
    b.step.type = Type::kU32;
    b.expect_operands(2, 2);
    b.target(0, Type::kU32);
    b.source(1, Type::kB64);
    b.step.eval = [](const Step&, Inputs in) { return in[0] >> 1 & low_bits(20); };
    return;
  }
  b.step.kind = Kind::kBarrierObject;
  const bool initialises = b.take("init");
  const bool ends = !initialises && b.take("inval");
  const bool tests = b.take("test_wait") || b.take("try_wait");
  const bool drops = b.take("arrive_drop");
  const bool arrives = drops || b.take("arrive");
  const bool expects = b.take("expect_tx");
  const bool parity = tests && b.take("parity");
  if (arrives) b.take("noComplete");
  b.take(tests ? "acquire" : "release") || b.take("relaxed");
  b.take("cta") || b.take("cluster");
  const bool shared = b.take("shared") || b.take("shared::cta");
  if (b.take_type() != Type::kB64) b.refuse();
  const StateSpace space = shared ? StateSpace::kShared : StateSpace::kGeneric;
  b.step.type = Type::kB64;
  if (initialises) {
    b.expect_operands(2, 2);
    b.address(0, space);
    b.source(1, Type::kU32);
    b.step.object = BarrierObject::kInitialise;
  } else if (ends) {
    b.expect_operands(1, 1);
    b.address(0, space);
    b.step.kind = Kind::kNothing;
  } else if (tests) {
    b.expect_operands(3, 4);
    b.target(0, Type::kPred);
    b.address(1, space);
    b.source(2, parity ? Type::kU32 : Type::kB64);
    b.step.object = parity ? BarrierObject::kTestParity : BarrierObject::kTest;
  } else if (arrives) {
    b.expect_operands(2, 3);
    b.target(0, Type::kB64);
    b.address(1, space);
    if (b.operands() == 3)
      b.source(2, Type::kU32);
    else if (expects)
      b.fail("'mbarrier.arrive.expect_tx' needs a number of bytes");
    else
      b.constant_source(1);
    b.step.object = drops && expects ? BarrierObject::kDropExpect
                    : drops          ? BarrierObject::kDrop
                    : expects        ? BarrierObject::kArriveExpect
                                     : BarrierObject::kArrive;
  } else if (expects) {
    b.expect_operands(2, 2);
    b.address(0, space);
    b.source(1, Type::kU32);
    b.step.object = BarrierObject::kExpect;
  } else {
    b.refuse();
  }
}

/// createpolicy: the caches that it is for are not there.
void policy(Builder& b) {
  b.take("fractional") || b.take("range") || b.take("cvt");
  b.take("global");
  b.take("L2");
  while (b.take_prefixed("L2::evict_")) continue;
  b.step.type = b.take_type();
  if (b.step.type != Type::kB64) b.refuse();
  b.target(0, Type::kB64);
  b.constant_source(0);
  b.step.eval = [](const Step&, Inputs in) { return in[0]; };
}

/// Of clusters and dependent grids, where a CTA is a cluster of its own and nothing is launched behind it.
void dependent_grid(Builder& b) {
  b.step.kind = Kind::kNothing;
  b.take("launch_dependents") || b.take("wait");
  b.expect_operands(0, 0);
}
/// mapa: the only CTA's own address.
void map_address(Builder& b) {
  b.take("shared::cta");
  b.step.type = b.take_type();
  if (b.step.type != Type::kU32 && b.step.type != Type::kU64) b.refuse();
  b.expect_operands(3, 3);
  b.target(0, b.step.type);
  b.source(1, b.step.type);
  b.source(2, Type::kU32);
  b.step.eval = [](const Step&, Inputs in) { return in[0]; };
}
void rank_of_address(Builder& b) {
  b.take("shared::cta");
  b.step.type = b.take_type();
  if (b.step.type != Type::kU32 && b.step.type != Type::kU64) b.refuse();
  b.expect_operands(2, 2);
  b.target(0, Type::kU32);
  b.constant_source(0);
  b.step.eval = [](const Step&, Inputs in) { return in[0]; };
}
void register_limit(Builder& b) {
  b.step.kind = Kind::kNothing;
  if ((!b.take("inc") && !b.take("dec")) || !b.take("sync") || !b.take("aligned") ||
      b.take_type() != Type::kU32)
    b.refuse();
  b.expect_operands(1, 1);
}

}  // namespace

Handlers async_handlers() {
  return {{"cp", asynchronous},          {"mbarrier", barrier_object},    {"createpolicy", policy},
          {"mapa", map_address},         {"getctarank", rank_of_address}, {"griddepcontrol", dependent_grid},
          {"setmaxnreg", register_limit}};
}

}  // namespace heddle::oracle
