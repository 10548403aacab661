#include "axioms.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <stdexcept>

namespace heddle::litmus {

namespace {

constexpr unsigned kMostEvents = 32;

/// A relation on events: row a, bit b.
class Relation {
 public:
  [[nodiscard]] bool operator()(unsigned a, unsigned b) const { return (rows_[a] >> b & 1u) != 0; }
  void add(unsigned a, unsigned b) { rows_[a] |= 1u << b; }
  void add(const Relation& other) {
    for (unsigned a = 0; a < kMostEvents; ++a) rows_[a] |= other.rows_[a];
  }
  void close() {
    for (unsigned via = 0; via < kMostEvents; ++via) close_over(via);
  }
  /// Pairs (a, via), (via, b) make (a, b).
  void close_over(unsigned via) {
    for (unsigned a = 0; a < kMostEvents; ++a)
      if ((*this)(a, via)) rows_[a] |= rows_[via];
  }
  [[nodiscard]] bool acyclic() const {
    Relation closed = *this;
    closed.close();
    for (unsigned a = 0; a < kMostEvents; ++a)
      if (closed(a, a)) return false;
    return true;
  }
  [[nodiscard]] bool empty_row(unsigned a) const { return rows_[a] == 0; }
  /// a R via and via S b.
  [[nodiscard]] friend Relation operator*(const Relation& r, const Relation& s) {
    Relation product;
    for (unsigned a = 0; a < kMostEvents; ++a)
      for (unsigned via = 0; via < kMostEvents; ++via)
        if (r(a, via)) product.rows_[a] |= s.rows_[via];
    return product;
  }

 private:
  std::array<std::uint32_t, kMostEvents> rows_{};
};

constexpr unsigned kInitial = ~0u;  ///< the "thread" of the initial writes

struct Event {
  unsigned thread = kInitial;
  unsigned cta = 0;
  unsigned barrier = 0;  ///< of its thread: how many came before
  Operation operation;
};

class Enumeration {
 public:
  explicit Enumeration(const Program& program) : program_(program) {
    for (unsigned location = 0; location < program.locations; ++location) {
      Event initial;
      initial.operation.what = What::kStore;
      initial.operation.location = location;
      events_.push_back(initial);
    }
    for (unsigned t = 0; t < program.threads.size(); ++t) {
      unsigned barriers = 0;
      for (const Operation& operation : program.threads[t].operations) {
        if (events_.size() == kMostEvents) throw std::invalid_argument("litmus test too long");
        events_.push_back({t, program.threads[t].cta, barriers, operation});
        if (operation.what == What::kBarrier) ++barriers;
      }
    }
    find_fixed();
  }

  std::set<Outcome> run() {
    std::sort(fences_.begin(), fences_.end());
    do {
      choose_reads(0);
    } while (std::next_permutation(fences_.begin(), fences_.end()));
    return outcomes_;
  }

 private:
  [[nodiscard]] const Operation& op(unsigned e) const { return events_[e].operation; }
  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(events_.size()); }
  [[nodiscard]] bool overlap(unsigned a, unsigned b) const {
    return is_access(a) && is_access(b) && op(a).location == op(b).location;
  }
  [[nodiscard]] bool is_access(unsigned e) const { return op(e).reads() || op(e).writes(); }
  /// The scope of a contains the thread of b.
  [[nodiscard]] bool includes(unsigned a, unsigned b) const {
    return !op(a).of_cta() || events_[a].cta == events_[b].cta;
  }
  /// "Morally strong operations".
  [[nodiscard]] bool morally_strong(unsigned a, unsigned b) const {
    if (is_access(a) && is_access(b) && !overlap(a, b)) return false;
    if (events_[a].thread == kInitial || events_[b].thread == kInitial) return false;
    if (events_[a].thread == events_[b].thread) return true;
    return op(a).strong() && op(b).strong() && includes(a, b) && includes(b, a);
  }

  void find_fixed() {
    for (unsigned a = 0; a < count(); ++a) {
      for (unsigned b = 0; b < count(); ++b) {
        const bool initial = events_[a].thread == kInitial && events_[b].thread != kInitial;
        const bool in_order = events_[a].thread == events_[b].thread && a < b && !initial;
        if (in_order && events_[a].thread != kInitial) {
          program_order_.add(a, b);
          if (overlap(a, b)) program_order_here_.add(a, b);
        }
        const bool meet = a != b && op(a).what == What::kBarrier && op(b).what == What::kBarrier &&
                          events_[a].cta == events_[b].cta && events_[a].barrier == events_[b].barrier;
        // The start of a kernel synchronises with the start of its threads.
        if (initial || meet) fixed_.add(a, b);
      }
      if (op(a).reads()) reads_.push_back(a);
      if (op(a).writes()) writes_[op(a).location].push_back(a);
      const bool sequential = op(a).is_fence() && op(a).order == Order::kSequential;
      if (sequential) fences_.push_back(a);
    }
    fixed_.add(program_order_);
  }

  void choose_reads(std::size_t next) {
    if (next == reads_.size()) return check_reads();
    const unsigned read = reads_[next];
    for (const unsigned write : writes_[op(read).location]) {
      if (write == read) continue;
      source_[read] = write;
      choose_reads(next + 1);
    }
  }

  void check_reads() {
    Relation reads_from, dependences;
    for (const unsigned read : reads_) reads_from.add(source_[read], read);
    // No thin air: what is stored may depend on what its thread has read before.
    for (unsigned e = 0; e < count(); ++e) {
      if (op(e).plus == kNone) continue;
      for (const unsigned read : reads_)
        if (op(read).reg == op(e).plus) dependences.add(read, e);
    }
    dependences.add(reads_from);
    if (!dependences.acyclic()) return;
    relate(reads_from);
    choose_orders(writes_.begin());
  }

  /// Observation, synchronisation, causality: they do not depend on the orders of writes.
  void relate(const Relation& reads_from) {
    reads_from_ = reads_from;
    observation_ = {};
    for (const unsigned read : reads_)
      if (morally_strong(source_[read], read)) observation_.add(source_[read], read);
    for (const unsigned via : reads_)
      if (op(via).is_atomic()) observation_.close_over(via);
    fence_order_ = {};
    for (std::size_t i = 0; i < fences_.size(); ++i)
      for (std::size_t j = i + 1; j < fences_.size(); ++j)
        if (morally_strong(fences_[i], fences_[j])) fence_order_.add(fences_[i], fences_[j]);
    fence_order_.close();
    base_ = fixed_;
    base_.add(fence_order_);
    for (unsigned first = 0; first < count(); ++first)
      for (unsigned write = 0; write < count(); ++write)
        if (release_pattern(first, write)) synchronise(first, write);
    base_.close();
    causality_ = observation_ * base_;
    causality_.add(base_);
  }

  [[nodiscard]] bool release_pattern(unsigned first, unsigned write) const {
    if (!op(write).writes() || !op(write).strong() || !op(first).releases()) return false;
    if (first == write) return true;
    if (!program_order_(first, write)) return false;
    return op(first).is_fence() || (op(first).writes() && overlap(first, write));
  }
  [[nodiscard]] bool acquire_pattern(unsigned read, unsigned last) const {
    if (!op(read).reads() || !op(read).strong() || !op(last).acquires()) return false;
    if (op(read).what == What::kReduce) return false;  // "Reductions do not form acquire patterns"
    if (read == last) return true;
    if (!program_order_(read, last)) return false;
    return op(last).is_fence() || (op(last).reads() && overlap(read, last));
  }
  void synchronise(unsigned first, unsigned write) {
    for (const unsigned read : reads_) {
      if (!observation_(write, read)) continue;
      for (unsigned last = 0; last < count(); ++last)
        if (acquire_pattern(read, last) && morally_strong(first, last)) base_.add(first, last);
    }
  }

  using Writes = std::map<unsigned, std::vector<unsigned>>;
  void choose_orders(Writes::iterator at) {
    if (at == writes_.end()) return check();
    std::vector<unsigned>& order = at->second;
    std::sort(order.begin(), order.end());
    do {
      if (coherent(order)) choose_orders(std::next(at));
    } while (std::next_permutation(order.begin() + 1, order.end()));  // the initial write is first
    std::sort(order.begin(), order.end());
  }
  /// Axiom Coherence.
  [[nodiscard]] bool coherent(const std::vector<unsigned>& order) const {
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t j = i + 1; j < order.size(); ++j)
        if (causality_(order[j], order[i])) return false;
    return true;
  }

  void check() {
    // Writes in a data race are not related in coherence order.
    Relation coherence;
    for (const auto& [location, order] : writes_)
      for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = i + 1; j < order.size(); ++j)
          if (morally_strong(order[i], order[j]) || causality_(order[i], order[j]))
            coherence.add(order[i], order[j]);
    coherence.close();
    Relation from_reads;
    for (const unsigned read : reads_)
      for (const unsigned write : writes_[op(read).location])
        if (write != read && coherence(source_[read], write)) from_reads.add(read, write);
    Relation communication = reads_from_;
    communication.add(coherence);
    communication.add(from_reads);
    if (sequential_per_location(communication) && fences_agree() && causal(from_reads)) conclude(coherence);
  }
  /// Axioms SC-per-Location and, as an atomic is one event, Atomicity.
  [[nodiscard]] bool sequential_per_location(const Relation& communication) const {
    Relation order = program_order_here_;
    for (unsigned a = 0; a < count(); ++a)
      for (unsigned b = 0; b < count(); ++b)
        if (communication(a, b) && morally_strong(a, b)) order.add(a, b);
    return order.acyclic();
  }
  /// Axiom Fence-SC.
  [[nodiscard]] bool fences_agree() const {
    for (const unsigned a : fences_)
      for (const unsigned b : fences_)
        if (fence_order_(a, b) && causality_(b, a)) return false;
    return true;
  }
  /// Axiom Causality.
  [[nodiscard]] bool causal(const Relation& from_reads) const {
    for (unsigned a = 0; a < count(); ++a)
      for (unsigned b = 0; b < count(); ++b)
        if ((reads_from_(a, b) || from_reads(a, b)) && causality_(b, a)) return false;
    return true;
  }

  void conclude(const Relation& coherence) {
    std::map<unsigned, std::uint32_t> written;
    Outcome outcome(program_.registers);
    // No thin air: a value is known after as many steps as there are events.
    for (unsigned step = 0; step < count(); ++step)
      for (unsigned e = 0; e < count(); ++e) {
        const std::uint32_t read = op(e).reads() ? written[source_[e]] : 0;
        if (op(e).reg != kNone) outcome[op(e).reg] = read;
        const bool adds = op(e).what == What::kAdd || op(e).what == What::kReduce;
        written[e] = op(e).value + (adds ? read : 0) + (op(e).plus != kNone ? outcome[op(e).plus] : 0);
      }
    add_finals(coherence, written, 0, outcome);
  }
  void add_finals(const Relation& coherence, const std::map<unsigned, std::uint32_t>& written,
                  unsigned location, Outcome& outcome) {
    if (location == program_.locations) {
      outcomes_.insert(outcome);
      return;
    }
    for (const unsigned write : writes_[location]) {
      if (!coherence.empty_row(write)) continue;
      outcome.push_back(written.at(write));
      add_finals(coherence, written, location + 1, outcome);
      outcome.pop_back();
    }
  }

  const Program& program_;
  std::vector<Event> events_;
  std::vector<unsigned> reads_, fences_;
  Writes writes_;  ///< by location: in coherence order, where they are related
  Relation program_order_, program_order_here_;
  Relation fixed_;  ///< of base causality order: what is the same in all executions
  std::array<unsigned, kMostEvents> source_{};
  Relation reads_from_, observation_, fence_order_, base_, causality_;
  std::set<Outcome> outcomes_;
};

/// All interleavings.
class Interleaving {
 public:
  explicit Interleaving(const Program& program)
      : program_(program),
        at_(program.threads.size()),
        registers_(program.registers),
        memory_(program.locations) {}
  std::set<Outcome> run() {
    step();
    return outcomes_;
  }

 private:
  [[nodiscard]] const Operation* next(unsigned thread) const {
    const auto& operations = program_.threads[thread].operations;
    return at_[thread] < operations.size() ? &operations[at_[thread]] : nullptr;
  }
  /// The thread may pass its barrier: nobody of its CTA is still on the way to it.
  [[nodiscard]] bool together(unsigned thread) const {
    const auto barriers = [this](unsigned t) {
      unsigned passed = 0;
      for (std::size_t i = 0; i < at_[t]; ++i)
        passed += program_.threads[t].operations[i].what == What::kBarrier ? 1 : 0;
      return passed;
    };
    for (unsigned t = 0; t < at_.size(); ++t) {
      if (t == thread || program_.threads[t].cta != program_.threads[thread].cta) continue;
      const bool waits = next(t) != nullptr && next(t)->what == What::kBarrier;
      if (barriers(t) < barriers(thread) || (barriers(t) == barriers(thread) && !waits)) return false;
    }
    return true;
  }
  void step() {
    bool done = true;
    for (unsigned thread = 0; thread < at_.size(); ++thread) {
      const Operation* const operation = next(thread);
      if (operation == nullptr) continue;
      done = false;
      if (operation->what == What::kBarrier && !together(thread)) continue;
      const auto registers = registers_;
      const auto memory = memory_;
      perform(*operation);
      ++at_[thread];
      step();
      --at_[thread];
      registers_ = registers;
      memory_ = memory;
    }
    if (!done) return;
    Outcome outcome = registers_;
    outcome.insert(outcome.end(), memory_.begin(), memory_.end());
    outcomes_.insert(outcome);
  }
  void perform(const Operation& operation) {
    if (!operation.reads() && !operation.writes()) return;
    std::uint32_t& word = memory_[operation.location];
    const std::uint32_t old = word;
    const bool adds = operation.what == What::kAdd || operation.what == What::kReduce;
    if (operation.writes())
      word = operation.value + (adds ? old : 0) + (operation.plus != kNone ? registers_[operation.plus] : 0);
    if (operation.reg != kNone) registers_[operation.reg] = old;
  }

  const Program& program_;
  std::vector<std::size_t> at_;
  std::vector<std::uint32_t> registers_, memory_;
  std::set<Outcome> outcomes_;
};

}  // namespace

std::set<Outcome> allowed(const Program& program) { return Enumeration(program).run(); }

std::set<Outcome> sequential(const Program& program) { return Interleaving(program).run(); }

}  // namespace heddle::litmus
