#include "shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "regression/generator/random_source.h"

namespace heddle::litmus {

namespace {

constexpr Scope kScopes[] = {Scope::kCta, Scope::kGpu, Scope::kSystem};

Operation fence(What what, Order order, Scope scope) {
  Operation out;
  out.what = what;
  out.order = order;
  out.scope = scope;
  return out;
}

/// Of an access beside `between`.
void order_flag(Operation& access, Between between, Scope scope) {
  if (between != Between::kReleaseAcquire && between != Between::kAtomics) return;
  const bool read = access.before_edge && access.reads();
  const bool write = access.behind_edge && access.writes();
  if (!read && !write) return;
  if (access.what == What::kReduce && !write) return;  // red does not acquire
  access.scope = scope;
  access.order = access.is_atomic() && access.what != What::kReduce && read && write ? Order::kAcquireRelease
                 : read                                                              ? Order::kAcquire
                                                                                     : Order::kRelease;
  if (between != Between::kAtomics) return;
  if (access.what == What::kLoad) access.what = What::kAdd;  // of 0
  if (access.what == What::kStore) access.what = What::kExchange;
}

/// What `between` puts between two accesses.
std::vector<Operation> fences(Between between, Scope scope, const Operation& before,
                              const Operation& behind) {
  switch (between) {
    case Between::kNothing:
    case Between::kReleaseAcquire:
    case Between::kAtomics:
      return {};
    case Between::kFenceAcqRel:
      return {fence(What::kFence, Order::kAcquireRelease, scope)};
    case Between::kFenceSc:
      return {fence(What::kFence, Order::kSequential, scope)};
    case Between::kMembar:
      return {fence(What::kMembar, Order::kSequential, scope)};
    case Between::kFenceHalves:
      break;
  }
  std::vector<Operation> halves;
  if (before.reads()) halves.push_back(fence(What::kFence, Order::kAcquire, scope));
  if (behind.writes()) halves.push_back(fence(What::kFence, Order::kRelease, scope));
  return halves;
}

/// Atomics and reductions are never weak.
void set_order(Operation& access, Order order, Scope scope) {
  if (access.what == What::kBarrier) return;
  access.order = access.is_atomic() ? Order::kRelaxed : order;
  access.scope = scope;
}

void place(Program& program, const std::vector<unsigned>& placement) {
  program.same_warp = placement.empty();
  for (std::size_t t = 0; t < program.threads.size(); ++t)
    program.threads[t].cta = placement.empty() ? 0 : placement[t];
}

std::string name_of(const std::vector<unsigned>& placement) {
  std::string text;
  for (const unsigned cta : placement) text += std::to_string(cta);
  return text.empty() ? "warp" : text;
}

/// All threads of a CTA come to as many barriers.
bool completes(const Program& program, const std::vector<unsigned>& placement) {
  std::map<unsigned, std::set<std::ptrdiff_t>> barriers;
  for (std::size_t t = 0; t < placement.size(); ++t)
    barriers[placement[t]].insert(
        std::ranges::count(program.threads[t].operations, What::kBarrier, &Operation::what));
  return std::ranges::all_of(barriers, [](const auto& of_cta) { return of_cta.second.size() == 1; });
}

}  // namespace

bool has_barriers(const Shape& shape) { return shape.text.find('B') != std::string::npos; }

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{
      {"MP", "Wx1 - Wy1 | Ry - Rx"},
      {"SB", "Wx1 - Ry | Wy1 - Rx"},
      {"LB", "Rx - Wy1 | Ry - Wx1"},
      {"LB+data", "Rx - Wy1+0 | Ry - Wx1+0"},
      {"S", "Wx2 - Wy1 | Ry - Wx1"},
      {"R", "Wx1 - Wy1 | Wy2 - Rx"},
      {"2+2W", "Wx1 - Wy2 | Wy1 - Wx2"},
      {"WRC", "Wx1 | Rx - Wy1 | Ry - Rx"},
      {"RWC", "Wx1 | Rx - Ry | Wy1 - Rx"},
      {"ISA2", "Wx1 - Wy1 | Ry - Wz1 | Rz - Rx"},
      {"Z6.3", "Wx1 - Wy1 | Wy2 - Wz1 | Rz - Rx"},
      {"IRIW", "Wx1 | Wy1 | Rx - Ry | Ry - Rx"},
      {"MP+rmw", "Wx1 - Wy1 | Ay1 | Ry - Rx"},
      {"MP+red", "Wx1 - Wy1 | Dy1 - Rx"},
      {"CoRR", "Wx1 | Rx Rx"},
      {"CoRR2", "Wx1 | Wx2 | Rx Rx | Rx Rx"},
      {"CoRW", "Rx Wx1 | Wx2"},
      {"CoWR", "Wx1 Rx | Wx2"},
      {"CoWW", "Wx1 Wx2 | Rx Rx"},
      {"CoAtomics", "Ax1 Rx | Ax2 Rx"},
      // Through a barrier of the CTA of the second and third thread.
      {"MP+bar", "Wx1 B | B Rx"},
      {"WRC+bar", "Wx1 | Rx B | B Rx"},
      {"ISA2+bar", "Wx1 B | B - Wy1 | Ry - Rx"},
      {"MP+acq+bar", "Wx1 - Wy1 | Ry - B | B Rx"},
  };
  return all;
}

std::vector<Style> styles() {
  std::vector<Style> all;
  constexpr Order kStrengths[] = {Order::kWeak, Order::kRelaxed, Order::kVolatile, Order::kMmio};
  constexpr Between kBetween[] = {Between::kNothing,     Between::kReleaseAcquire, Between::kAtomics,
                                  Between::kFenceAcqRel, Between::kFenceSc,        Between::kMembar,
                                  Between::kFenceHalves};
  for (const Order data : kStrengths)
    for (const Order flag : kStrengths)
      for (const Scope strength : kScopes)
        for (const Between between : kBetween)
          for (const Scope scope : kScopes) {
            const bool relaxed = data == Order::kRelaxed || flag == Order::kRelaxed;
            if ((!relaxed && strength != Scope::kGpu) ||
                (between == Between::kNothing && scope != Scope::kGpu))
              continue;  // the same as another
            all.push_back({data, flag, strength, between, scope});
          }
  return all;
}

Program program_of(const Shape& shape, const Style& style, const std::vector<unsigned>& placement) {
  Program program = parse(shape.name, shape.text);
  place(program, placement);
  for (Thread& thread : program.threads) {
    std::vector<Operation> all;
    for (Operation access : thread.operations) {
      const bool flag = (access.before_edge && access.reads()) || (access.behind_edge && access.writes());
      set_order(access, flag ? style.flag : style.data, style.strength);
      order_flag(access, style.between, style.scope);
      if (access.behind_edge)
        for (const Operation& each : fences(style.between, style.scope, all.back(), access))
          all.push_back(each);
      all.push_back(access);
    }
    thread.operations = all;
  }
  program.name += "/" + name_of(placement);
  return program;
}

std::vector<std::vector<unsigned>> placements(const Shape& shape) {
  const Program program = parse(shape.name, shape.text);
  // Restricted growth strings: a thread joins the CTA of an earlier one, or begins the next.
  std::vector<std::vector<unsigned>> all{{}};
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    std::vector<std::vector<unsigned>> longer;
    for (const auto& placement : all) {
      const unsigned next = placement.empty() ? 0 : *std::max_element(placement.begin(), placement.end()) + 1;
      for (unsigned cta = 0; cta <= next; ++cta) {
        longer.push_back(placement);
        longer.back().push_back(cta);
      }
    }
    all = longer;
  }
  std::erase_if(all, [&](const auto& placement) { return !completes(program, placement); });
  return all;
}

Program random_program(const Shape& shape, std::uint64_t seed) {
  generator::RandomSource random(seed);
  Program program = parse(shape.name, shape.text);
  const auto all = placements(shape);
  const bool in_a_warp = !has_barriers(shape) && random.chance(15);
  place(program,
        in_a_warp ? std::vector<unsigned>{} : all[random.below(static_cast<std::uint32_t>(all.size()))]);
  const auto scope = [&] { return random.pick({Scope::kCta, Scope::kGpu, Scope::kGpu, Scope::kSystem}); };
  for (Thread& thread : program.threads) {
    std::vector<Operation> with_fences;
    for (Operation access : thread.operations) {
      set_order(access,
                random.pick({Order::kWeak, Order::kWeak, Order::kRelaxed, Order::kRelaxed, Order::kVolatile,
                             Order::kMmio}),
                scope());
      const Between between = random.pick({Between::kNothing, Between::kReleaseAcquire,
                                           Between::kReleaseAcquire, Between::kAtomics, Between::kFenceAcqRel,
                                           Between::kFenceSc, Between::kMembar, Between::kFenceHalves});
      order_flag(access, between, scope());
      if (access.what == What::kLoad && random.chance(10)) access.order = Order::kAcquire;
      if (access.what == What::kStore && random.chance(10)) access.order = Order::kRelease;
      if (access.behind_edge)
        for (const Operation& each : fences(between, scope(), with_fences.back(), access))
          with_fences.push_back(each);
      with_fences.push_back(access);
    }
    thread.operations = with_fences;
  }
  program.name += fmt::format("#{}", seed);
  return program;
}

}  // namespace heddle::litmus
