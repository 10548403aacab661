#include <algorithm>

#include "generator/random_source.h"
#include "waiting/program.h"

namespace heddle::waiting {
namespace {

using generator::RandomSource;

constexpr unsigned kFlags = 5;
constexpr unsigned kLocks = 3;
constexpr unsigned kCounters = 3;
constexpr unsigned kTickets = 2;
constexpr unsigned kChains = 2;

struct Context {
  unsigned depth = 0;
  bool in_loop = false;
  bool in_lock = false;
  unsigned first_lock = 0;             ///< locks from here on may be taken
  bool all = true;                     ///< all threads of the CTA come here, equally often
  bool known = true;                   ///< it is known which threads come here, and they come equally often
  std::vector<std::uint32_t> members;  ///< these, by warp
};

class Generator {
 public:
  Generator(std::uint64_t seed, const Choices& choices) : random_(seed * 2 + 1), choices_(choices) {
    program_.seed = seed;
  }

  Program run() {
    program_.shared = random_.chance(60);
    const unsigned shape = random_.below(10);
    program_.threads = random_.pick({2u, 3u, 4u, 4u, 5u, 8u});
    if (shape == 0) program_.threads = 32;
    if (shape == 1) program_.threads = 32 + random_.between(1, 4);
    if (!program_.shared && shape > 6) program_.ctas = 2;
    for (const Kind kind : {Kind::kSet, Kind::kWait, Kind::kIncrement, Kind::kWaitCount, Kind::kChain,
                            Kind::kLock, Kind::kRetry, Kind::kTicket, Kind::kIf, Kind::kLoop, Kind::kSwitch,
                            Kind::kShared, Kind::kGraph, Kind::kTogether, Kind::kBarrier})
      add(kind);
    if (random_.chance(15) && !wants(Kind::kTogether) && !wants(Kind::kBarrier))
      kinds_.push_back(Kind::kExit);
    Context top;
    top.members = everybody();
    program_.body = block(random_.between(2, 5), top);
    make_it_end();
    return std::move(program_);
  }

 private:
  [[nodiscard]] bool wants(Kind kind) const {
    return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end();
  }

  /// Each program has a few of the kinds.
  void add(Kind kind) {
    unsigned chance = 40;
    if (kind == Kind::kIf) chance = 100;
    if (kind == Kind::kSet || kind == Kind::kWait) chance = 80;
    if (kind == Kind::kTogether) chance = choices_.together && program_.ctas == 1 ? 15 : 0;
    if (kind == Kind::kBarrier) chance = choices_.divergent_barriers ? 50 : 10;
    if (kind == Kind::kGraph || kind == Kind::kShared) chance = 15;
    if (kind == Kind::kWaitCount && !wants(Kind::kIncrement)) chance = 0;
    if (!random_.chance(chance)) return;
    kinds_.push_back(kind);
    if (kind == Kind::kIf || kind == Kind::kWait) kinds_.push_back(kind);
  }

  [[nodiscard]] std::vector<std::uint32_t> everybody() const {
    std::vector<std::uint32_t> all;
    for (std::uint32_t first = 0; first < program_.threads; first += 32) {
      const std::uint32_t count = std::min(32u, program_.threads - first);
      all.push_back(count == 32 ? ~0u : (1u << count) - 1);
    }
    return all;
  }

  Condition condition(const Context& context) {
    Condition c;
    c.negated = random_.chance(50);
    const std::uint32_t threads = program_.all_threads();
    switch (random_.below(context.in_loop ? 8 : 5)) {
      case 0:
        c.kind = Condition::Kind::kBelow;
        c.number = random_.between(1, threads - 1);
        break;
      case 1:
      case 2:
        c.kind = Condition::Kind::kEqual;
        c.number = random_.below(threads);
        break;
      case 5:
        c.kind = Condition::Kind::kTurn;
        break;
      case 6:
        c.kind = Condition::Kind::kParity;
        break;
      case 7:
        c.kind = Condition::Kind::kHash;
        c.number = random_.below(64);
        break;
      default:
        c.kind = Condition::Kind::kBit;
        c.number = random_.below(threads > 4 ? 3 : 2);
    }
    return c;
  }

  /// Of those that come here.
  static Context those(const Context& all, const Condition& c, bool holds) {
    Context part = all;
    part.all = false;
    ++part.depth;
    if (c.depends_on_counter()) part.known = false;
    for (std::size_t warp = 0; warp < part.members.size(); ++warp)
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        if (c.holds(static_cast<std::uint32_t>(32 * warp) + lane, 0) != holds)
          part.members[warp] &= ~(1u << lane);
    return part;
  }
  static Context deeper(Context context) {
    ++context.depth;
    return context;
  }
  static Context anybody(Context context) {
    ++context.depth;
    context.all = context.known = false;
    return context;
  }

  Block block(unsigned statements, const Context& context) {
    Block out;
    for (unsigned i = 0; i < statements; ++i) out.push_back(statement(context));
    return out;
  }
  Block some(const Context& context) { return block(random_.below(context.depth > 2 ? 2 : 3), context); }

  [[nodiscard]] bool fits(Kind kind, const Context& context) const {
    switch (kind) {
      case Kind::kWait:
      case Kind::kWaitCount:
        return !context.in_lock;
      case Kind::kChain:
        return !context.in_lock && !context.in_loop && program_.all_threads() <= 8;
      case Kind::kTicket:
        return !context.in_lock && program_.all_threads() <= 8;
      case Kind::kLock:
      case Kind::kRetry:
        return context.first_lock < kLocks && program_.threads <= 8;
      case Kind::kIf:
        return context.depth < 4;
      case Kind::kSwitch:
      case Kind::kShared:
      case Kind::kLoop:
        return context.depth < 3;
      case Kind::kGraph:
        return context.depth < 2;
      case Kind::kExit:
        return !context.in_lock;
      case Kind::kBarrier:
        return context.all && !context.in_lock;
      case Kind::kTogether:
        return context.known && !context.in_lock &&
               std::any_of(context.members.begin(), context.members.end(), [](auto m) { return m != 0; });
      default:
        return true;
    }
  }

  Statement statement(const Context& context) {
    Statement s;
    const Kind kind = kinds_[random_.below(static_cast<std::uint32_t>(kinds_.size()))];
    s.kind = fits(kind, context) ? kind : Kind::kWork;
    s.form = random_.below(12);
    s.poll = random_.below(5);
    s.release = random_.below(3);
    s.amount = random_.between(1, 9);
    s.condition = condition(context);
    s.other = condition(context);
    fill(s, context);
    return s;
  }

  void fill(Statement& s, const Context& context) {
    switch (s.kind) {
      case Kind::kSet:
      case Kind::kWait:
        s.variable = random_.below(kFlags);
        s.second = random_.below(kFlags);
        break;
      case Kind::kIncrement:
        s.variable = random_.below(kCounters);
        break;
      case Kind::kWaitCount:
        s.variable = random_.below(kCounters);
        s.amount = random_.between(1, 2 * program_.all_threads());
        s.second = context.in_loop ? random_.below(4) : 0;
        break;
      case Kind::kChain:
        // Once each: a second one finds its flags set.
        s.variable = chains_++ % kChains;
        break;
      case Kind::kLock:
      case Kind::kRetry:
      case Kind::kTicket: {
        const bool ticket = s.kind == Kind::kTicket;
        s.variable = ticket ? random_.below(kTickets)
                            : context.first_lock + random_.below(kLocks - context.first_lock);
        Context inside = anybody(context);
        inside.in_lock = true;
        if (!ticket) inside.first_lock = s.variable + 1;
        if (ticket) s.variable += kLocks;
        s.varies = s.kind == Kind::kRetry && random_.chance(40);
        s.blocks.push_back(some(inside));
        break;
      }
      case Kind::kIf:
        branch(s, context);
        break;
      case Kind::kLoop: {
        s.amount = random_.between(1, 3);
        s.varies = random_.chance(30);
        s.form = random_.below(4);
        Context inside = s.varies || s.form >= 2 ? anybody(context) : deeper(context);
        inside.in_loop = true;
        s.condition = condition(inside);
        s.blocks.push_back(some(inside));
        s.blocks.push_back(some(inside));
        break;
      }
      case Kind::kSwitch:
        for (unsigned i = random_.between(2, 4); i > 0; --i) s.blocks.push_back(some(anybody(context)));
        break;
      case Kind::kShared:
        for (unsigned i = 0; i < 4; ++i) s.blocks.push_back(some(anybody(context)));
        break;
      case Kind::kGraph: {
        Context inside = anybody(context);
        inside.in_loop = true;
        s.amount = random_.between(2, 6);
        s.variable = random_.below(1000);
        const unsigned count = random_.between(2, 5);
        for (unsigned i = 0; i < count; ++i) {
          s.blocks.push_back(some(inside));
          s.targets.push_back(random_.below(count));
          s.targets.push_back(random_.below(count));
        }
        break;
      }
      case Kind::kTogether:
        s.members = context.members;
        s.variable = random_.below(kFlags);
        s.form = random_.below(7);
        break;
      default:
        break;
    }
  }

  void branch(Statement& s, const Context& context) {
    for (const bool holds : {true, false}) s.blocks.push_back(some(those(context, s.condition, holds)));
    if (s.blocks[0].empty()) s.blocks[0] = block(1, those(context, s.condition, true));
    if (!choices_.divergent_barriers || !context.all || context.in_lock || !random_.chance(50)) return;
    Statement barrier;
    barrier.kind = Kind::kBarrier;
    for (Block& side : s.blocks)
      side.insert(side.begin() + random_.below(static_cast<std::uint32_t>(side.size()) + 1), barrier);
  }

  static Statement* find(Block& block, const Statement* sought) {
    for (Statement& s : block) {
      if (&s == sought) return &s;
      for (Block& inner : s.blocks)
        if (Statement* const found = find(inner, sought); found != nullptr) return found;
    }
    return nullptr;
  }

  /// Takes away what threads wait for in vain.
  void make_it_end() {
    for (std::vector<const Statement*> stuck; !ends(program_, &stuck); stuck.clear()) {
      std::vector<const Statement*> waiting;
      for (const Statement* s : stuck)
        if (s->kind != Kind::kBarrier && (s->kind != Kind::kTogether || s->form < 2)) waiting.push_back(s);
      if (waiting.empty()) waiting = stuck;
      Statement& s = *find(program_.body, waiting[random_.below(static_cast<std::uint32_t>(waiting.size()))]);
      if (s.kind == Kind::kWaitCount && s.second > 0)
        s.second = 0;
      else if (s.kind == Kind::kWaitCount && s.amount > 1)
        s.amount = (s.amount + 1) / 2;
      else
        s.kind = Kind::kWork;
    }
  }

  RandomSource random_;
  Choices choices_;
  Program program_;
  std::vector<Kind> kinds_{Kind::kWork};
  unsigned chains_ = 0;
};

/// Each program that `change` makes of a copy.
template <class Change>
void offer(const Program& whole, Statement& s, const Change& change, std::vector<Program>& out) {
  const Statement before = s;
  change(s);
  out.push_back(whole);
  s = before;
}

void reduce_statement(Statement& s, const Program& whole, std::vector<Program>& out) {
  if (s.kind != Kind::kWork && s.form != 0 && s.kind != Kind::kTogether)
    offer(
        whole, s, [](Statement& x) { x.form = 0; }, out);
  if (s.poll != 0 && s.poll < 3)
    offer(
        whole, s, [](Statement& x) { x.poll = 0; }, out);
  if (s.poll >= 3 && s.kind == Kind::kWait)
    offer(
        whole, s, [](Statement& x) { x.poll = 0; }, out);
  if (s.release != 0)
    offer(
        whole, s, [](Statement& x) { x.release = 0; }, out);
  if (s.varies)
    offer(
        whole, s, [](Statement& x) { x.varies = false; }, out);
  if (s.amount > 1 && (s.kind == Kind::kLoop || s.kind == Kind::kGraph || s.kind == Kind::kWaitCount))
    offer(
        whole, s, [](Statement& x) { --x.amount; }, out);
}

void reduce(Block& block, const Program& whole, std::vector<Program>& out) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    const Statement before = block[i];
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
    out.push_back(whole);
    // In its place what is in it.
    for (const Block& inner : before.blocks) {
      const auto at =
          block.insert(block.begin() + static_cast<std::ptrdiff_t>(i), inner.begin(), inner.end());
      out.push_back(whole);
      block.erase(at, at + static_cast<std::ptrdiff_t>(inner.size()));
    }
    block.insert(block.begin() + static_cast<std::ptrdiff_t>(i), before);
    reduce_statement(block[i], whole, out);
    for (Block& inner : block[i].blocks) reduce(inner, whole, out);
  }
}

void forget_lane(Block& block, std::uint32_t thread) {
  for (Statement& s : block) {
    if (thread / 32 < s.members.size()) s.members[thread / 32] &= ~(1u << thread % 32);
    for (Block& inner : s.blocks) forget_lane(inner, thread);
  }
}

}  // namespace

Program generate(std::uint64_t seed, const Choices& choices) { return Generator(seed, choices).run(); }

std::size_t size_of(const Block& block) {
  std::size_t size = 0;
  for (const Statement& s : block) {
    ++size;
    for (const Block& inner : s.blocks) size += size_of(inner);
  }
  return size;
}

std::vector<Program> reductions(const Program& program) {
  std::vector<Program> all;
  Program changed = program;
  reduce(changed.body, changed, all);
  if (program.ctas > 1) {
    all.push_back(program);
    all.back().ctas = 1;
  }
  if (program.threads > 2) {
    all.push_back(program);
    --all.back().threads;
    forget_lane(all.back().body, all.back().threads);
  }
  std::erase_if(all, [](const Program& p) { return !ends(p); });
  std::stable_sort(all.begin(), all.end(),
                   [](const Program& a, const Program& b) { return size_of(a.body) < size_of(b.body); });
  return all;
}

}  // namespace heddle::waiting
