// Instructions that threads of a warp execute together (PTX ISA "Parallel Synchronization and Communication
// Instructions").
#include "oracle/bits.h"
#include "oracle/builder.h"

namespace heddle::oracle {

namespace {

/// .sync: the threads of a member mask wait for each other (kWarp). Without it, the threads that arrive
/// together (kTogether).
bool take_sync(Builder& b) {
  const bool sync = b.take("sync");
  b.step.kind = sync ? Kind::kWarp : Kind::kTogether;
  return sync;
}

/// The member mask is always source 0.
void member_mask(Builder& b, bool sync, std::size_t operand) {
  if (sync)
    b.source(operand, Type::kB32);
  else
    b.constant_source(low_bits(32));
}

/// vote{.sync}.mode d, p{, membermask}.
void vote(Builder& b) {
  const auto op = b.take_choice<WarpOp>({{"all", WarpOp::kVoteAll},
                                         {"any", WarpOp::kVoteAny},
                                         {"uni", WarpOp::kVoteUni},
                                         {"ballot", WarpOp::kVoteBallot}});
  if (!op) b.refuse();
  const bool sync = take_sync(b);
  b.step.warp = *op;
  b.step.type = b.take_type();
  if (b.step.type != (*op == WarpOp::kVoteBallot ? Type::kB32 : Type::kPred)) b.refuse();
  b.expect_operands(sync ? 3 : 2, sync ? 3 : 2);
  b.target(0, b.step.type);
  member_mask(b, sync, 2);
  b.source(1, Type::kPred);
}

/// shfl{.sync}.mode.b32 d|p, a, b, c{, membermask}.
void shuffle(Builder& b) {
  const auto op = b.take_choice<WarpOp>({{"up", WarpOp::kShflUp},
                                         {"down", WarpOp::kShflDown},
                                         {"bfly", WarpOp::kShflBfly},
                                         {"idx", WarpOp::kShflIdx}});
  if (!op) b.refuse();
  const bool sync = take_sync(b);
  b.step.warp = *op;
  b.step.type = b.take_type();
  if (b.step.type != Type::kB32) b.refuse();
  b.expect_operands(sync ? 5 : 4, sync ? 5 : 4);
  b.target(0, Type::kB32);
  b.second_target(0, Type::kPred);
  member_mask(b, sync, 4);
  for (std::size_t i = 1; i <= 3; ++i) b.source(i, Type::kB32);
}

/// match.any.sync.b32 d, a, membermask; match.all.sync.b32 d|p, a, membermask.
void match(Builder& b) {
  const auto op = b.take_choice<WarpOp>({{"any", WarpOp::kMatchAny}, {"all", WarpOp::kMatchAll}});
  if (!op || !take_sync(b)) b.refuse();
  b.step.warp = *op;
  b.step.type = b.take_type();
  if (b.step.type != Type::kB32 && b.step.type != Type::kB64) b.refuse();
  b.expect_operands(3, 3);
  b.target(0, Type::kB32);
  if (*op == WarpOp::kMatchAll) b.second_target(0, Type::kPred);
  b.source(2, Type::kB32);
  b.source(1, b.step.type);
}

void active_mask(Builder& b) {
  b.step.kind = Kind::kTogether;
  b.step.warp = WarpOp::kActive;
  b.step.type = b.take_type();
  if (b.step.type != Type::kB32) b.refuse();
  b.expect_operands(1, 1);
  b.target(0, Type::kB32);
  b.constant_source(low_bits(32));
}

/// redux.sync.op.type d, a, membermask.
void reduce(Builder& b) {
  const auto op = b.take_choice<Atomic>({{"add", Atomic::kAdd},
                                         {"min", Atomic::kMin},
                                         {"max", Atomic::kMax},
                                         {"and", Atomic::kAnd},
                                         {"or", Atomic::kOr},
                                         {"xor", Atomic::kXor}});
  if (!op || !take_sync(b)) b.refuse();
  b.step.warp = WarpOp::kReduce;
  b.step.atomic = *op;
  b.step.type = b.take_type();
  const bool logic = *op == Atomic::kAnd || *op == Atomic::kOr || *op == Atomic::kXor;
  const bool number = b.step.type == Type::kU32 || b.step.type == Type::kS32;
  if (logic ? b.step.type != Type::kB32 : !number) b.refuse();
  b.expect_operands(3, 3);
  b.target(0, b.step.type);
  b.source(2, Type::kB32);
  b.source(1, b.step.type);
}

}  // namespace

Handlers warp_handlers() {
  return {
      {"vote", vote}, {"shfl", shuffle}, {"match", match}, {"activemask", active_mask}, {"redux", reduce}};
}

}  // namespace heddle::oracle
