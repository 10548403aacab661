#include "kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

namespace heddle::litmus {

namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kWordBytes = 4;
constexpr unsigned kSpacing = 384;      ///< of locations: in other lines, and mostly at other partitions
constexpr unsigned kLineSpacing = 256;  ///< of instances whose locations share a line
constexpr unsigned kSharing = 32;       ///< of their locations: in other sectors
constexpr unsigned kNoiseWords = 8;
constexpr unsigned kFirstWarmBit = 12;  ///< of a hash
constexpr unsigned kNoiseTurns = 4;     ///< of each round

/// Lanes of a warp that execute anything.
unsigned active_lanes(const Program& program, const Trial& trial) {
  return program.same_warp ? trial.lanes * static_cast<unsigned>(program.threads.size()) : trial.lanes;
}
std::uint64_t offset_of(const Program& program, const Trial& trial, std::uint64_t instance,
                        unsigned location) {
  return trial.one_line ? instance * kLineSpacing + std::uint64_t{location} * kSharing
                        : (instance * program.locations + location) * kSpacing;
}

unsigned ctas(const Program& program) {
  unsigned last = 0;
  for (const Thread& thread : program.threads) last = std::max(last, thread.cta);
  return last + 1;
}
/// Threads of the program that come before this one in its CTA: the number of its warp.
unsigned warp_of(const Program& program, std::size_t thread) {
  return static_cast<unsigned>(
      std::count_if(program.threads.begin(), program.threads.begin() + static_cast<std::ptrdiff_t>(thread),
                    [&](const Thread& before) { return before.cta == program.threads[thread].cta; }));
}
unsigned warps(const Program& program) {
  if (program.same_warp) return 1;
  unsigned most = 0;
  for (std::size_t t = 0; t < program.threads.size(); ++t) most = std::max(most, warp_of(program, t) + 1);
  return most;
}

class Text {
 public:
  Text(const Program& program, const Trial& trial) : program_(program), trial_(trial) {}

  std::string kernel() {
    text_ =
        ".version 8.6\n.target sm_75\n.address_size 64\n"
        ".visible .entry litmus(.param .u64 memory, .param .u64 results, .param .u64 meet, .param .u64 "
        "noise)\n{\n"
        "  .reg .b32 %r<16>, %hash, %round, %lane, %instance, %warm<4>, %t<4>;\n"
        "  .reg .b64 %memory, %results, %meet, %noise, %a<4>, %w<4>;\n  .reg .pred %p, %q;\n"
        "  ld.param.u64 %memory, [memory];\n  ld.param.u64 %results, [results];\n"
        "  ld.param.u64 %meet, [meet];\n  ld.param.u64 %noise, [noise];\n"
        "  mov.u32 %t0, %ctaid.x;\n  mov.u32 %t1, %tid.x;\n  shr.u32 %t2, %t1, 5;\n  and.b32 %lane, %t1, "
        "31;\n";
    line("setp.ge.u32 %p, %lane, {};", active_lanes(program_, trial_));
    line("@%p exit;");
    line("setp.ge.u32 %p, %t0, {};", ctas(program_));
    line("@%p bra NOISE;");
    if (program_.same_warp) {
      // Lane 3 of three threads' program is instance 1 of the first thread.
      const std::size_t threads = program_.threads.size();
      line("rem.u32 %t3, %lane, {};", threads);
      line("div.u32 %lane, %lane, {};", threads);
    }
    for (std::size_t t = 0; t < program_.threads.size(); ++t) {
      if (program_.same_warp) {
        line("setp.eq.u32 %p, %t3, {};", t);
      } else {
        line("setp.eq.u32 %p, %t0, {};", program_.threads[t].cta);
        line("setp.eq.and.u32 %p, %t2, {}, %p;", warp_of(program_, t));
      }
      line("@%p bra THREAD{};", t);
    }
    line("bra DONE;");
    for (std::size_t t = 0; t < program_.threads.size(); ++t) thread(t);
    noise();
    text_ += "DONE:\n  ret;\n}\n";
    return text_;
  }

 private:
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    text_ += "  " + fmt::format(format, std::forward<Values>(values)...) + "\n";
  }
  void next_hash() { line("mad.lo.u32 %hash, %hash, 1664525, 1013904223;"); }
  /// Up to `most` turns of a short loop, and none half of the time.
  void delay(unsigned most) {
    const unsigned label = labels_++;
    next_hash();
    line("shr.u32 %t3, %hash, 8;");
    line("and.b32 %t2, %t3, 1;");
    line("shr.u32 %t3, %t3, 4;");
    line("rem.u32 %t3, %t3, {};", most);
    line("mul.lo.u32 %t3, %t3, %t2;");
    text_ += fmt::format("DELAY{}:\n", label);
    line("setp.eq.u32 %p, %t3, 0;");
    line("@%p bra READY{};", label);
    line("sub.u32 %t3, %t3, 1;");
    line("bra DELAY{};", label);
    text_ += fmt::format("READY{}:\n", label);
  }
  /// The threads of a round begin together. Relaxed accesses synchronise nothing but with fences of other rounds.
  void meet(std::size_t t) {
    if (program_.same_warp) return;
    line("mul.wide.u32 %w0, %round, {};", kWordBytes);
    line("add.u64 %w0, %w0, %meet;");
    line("setp.eq.u32 %p, %lane, 0;");
    line("@%p red.relaxed.gpu.global.add.u32 [%w0], 1;");
    text_ += fmt::format("MEET{}:\n", t);
    line("ld.relaxed.gpu.global.u32 %t3, [%w0];");
    line("setp.lt.u32 %p, %t3, {};", program_.threads.size());
    line("@%p bra MEET{};", t);
  }
  void addresses() {
    line("mad.lo.u32 %instance, %round, {}, %lane;", trial_.lanes);
    const std::uint64_t stride = offset_of(program_, trial_, 1, 0);
    line("mul.wide.u32 %w1, %instance, {};", stride);
    line("add.u64 %w1, %w1, %memory;");
    for (unsigned location = 0; location < program_.locations; ++location)
      line("add.u64 %a{}, %w1, {};", location, offset_of(program_, trial_, 0, location));
  }
  /// Each location that the thread uses may be in L1 or in L2 before, or on its way there.
  void warm(std::size_t t) {
    next_hash();
    std::string sum;
    for (unsigned location = 0; location < program_.locations; ++location) {
      if (std::ranges::none_of(program_.threads[t].operations, [&](const Operation& each) {
            return (each.reads() || each.writes()) && each.location == location;
          }))
        continue;
      line("bfe.u32 %t3, %hash, {}, 2;", kFirstWarmBit + 2 * location);
      line("setp.eq.u32 %p, %t3, 0;");
      line("setp.eq.u32 %q, %t3, 1;");
      line("@%p ld.weak.global.u32 %warm{}, [%a{}];", location, location);
      line("@%q ld.global.cg.u32 %warm{}, [%a{}];", location, location);
      sum += fmt::format("  add.u32 %t2, %t2, %warm{};\n", location);
    }
    // Who uses the values waits for them.
    const unsigned label = labels_++;
    line("bfe.u32 %t3, %hash, {}, 1;", kFirstWarmBit - 1);
    line("setp.eq.u32 %p, %t3, 0;");
    line("@%p bra WARM{};", label);
    text_ += sum + fmt::format("WARM{}:\n", label);
  }
  void thread(std::size_t t) {
    text_ += fmt::format("THREAD{}:\n", t);
    line("mov.u32 %hash, {};", static_cast<std::uint32_t>(trial_.seed * 2654435761u + t * 40503u + 1));
    line("mov.u32 %round, 0;");
    text_ += fmt::format("ROUND{}:\n", t);
    addresses();
    meet(t);
    delay(4);
    warm(t);
    delay(8);
    bool first = true;
    for (const Operation& each : program_.threads[t].operations) {
      if (!first) delay(3);
      first = false;
      operation(each);
    }
    for (const Operation& each : program_.threads[t].operations) {
      if (each.reg == kNone) continue;
      line("mad.lo.u32 %t3, %instance, {}, {};", program_.registers, each.reg);
      line("mul.wide.u32 %w2, %t3, {};", kWordBytes);
      line("add.u64 %w2, %w2, %results;");
      line("st.weak.global.u32 [%w2], %r{};", each.reg);
    }
    line("add.u32 %round, %round, 1;");
    line("setp.lt.u32 %p, %round, {};", trial_.rounds);
    line("@%p bra ROUND{};", t);
    line("bra DONE;");
  }
  void operation(const Operation& each) {
    line("mov.u32 %t3, {};", each.value);
    if (each.plus != kNone) line("add.u32 %t3, %t3, %r{};", each.plus);
    const std::string result = each.reg == kNone ? "%t2" : fmt::format("%r{}", each.reg);
    text_ += "  " + instruction(each, fmt::format("%a{}", each.location), result, "%t3") + "\n";
  }
  /// Atomics of all lanes to one word keep a partition busy.
  void noise() {
    text_ += "NOISE:\n";
    line("mov.u32 %hash, {};", static_cast<std::uint32_t>(trial_.seed * 97 + 5));
    line("mad.lo.u32 %hash, %t0, 7919, %hash;");
    line("mov.u32 %round, 0;");
    text_ += "AGAIN:\n";
    next_hash();
    line("shr.u32 %t3, %round, 3;");
    line("add.u32 %t3, %t3, %t0;");
    line("and.b32 %t3, %t3, {};", kNoiseWords - 1);
    line("mul.wide.u32 %w0, %t3, {};", kSpacing);
    line("add.u64 %w0, %w0, %noise;");
    line("red.relaxed.gpu.global.add.u32 [%w0], 1;");
    delay(2);
    line("add.u32 %round, %round, 1;");
    line("setp.lt.u32 %p, %round, {};", trial_.rounds * kNoiseTurns);
    line("@%p bra AGAIN;");
  }

  const Program& program_;
  const Trial& trial_;
  std::string text_;
  unsigned labels_ = 0;
};

}  // namespace

std::string kernel_text(const Program& program, const Trial& trial) { return Text(program, trial).kernel(); }

std::map<Outcome, std::uint64_t> run(host::Device& device, const Program& program, const Trial& trial) {
  const auto module = device.load_ptx_text(kernel_text(program, trial), program.name);
  const std::uint64_t count = std::uint64_t{trial.rounds} * trial.lanes;
  const std::uint64_t words = offset_of(program, trial, count, 0) / kWordBytes;
  const std::uint64_t result_words = std::max<std::uint64_t>(1, count * program.registers);
  const std::uint64_t memory = device.allocate(words * kWordBytes, "locations");
  const std::uint64_t results = device.allocate(result_words * kWordBytes, "results");
  const std::uint64_t meet = device.allocate(std::uint64_t{trial.rounds} * kWordBytes, "meet");
  const std::uint64_t noise = device.allocate(std::uint64_t{kNoiseWords} * kSpacing, "noise");
  const host::Launch shape{{ctas(program) + trial.noise_ctas, 1, 1}, {warps(program) * kWarp, 1, 1}, 0};
  device.launch(module, "litmus", shape, host::Args().add(memory).add(results).add(meet).add(noise));
  const auto read = device.download<std::uint32_t>(results, result_words);
  const auto locations = device.download<std::uint32_t>(memory, words);
  std::map<Outcome, std::uint64_t> outcomes;
  for (std::uint64_t instance = 0; instance < count; ++instance) {
    Outcome outcome(read.begin() + static_cast<std::ptrdiff_t>(instance * program.registers),
                    read.begin() + static_cast<std::ptrdiff_t>((instance + 1) * program.registers));
    for (unsigned location = 0; location < program.locations; ++location)
      outcome.push_back(locations[offset_of(program, trial, instance, location) / kWordBytes]);
    ++outcomes[outcome];
  }
  for (const std::uint64_t buffer : {memory, results, meet, noise}) device.free(buffer);
  device.unload(module);
  return outcomes;
}

}  // namespace heddle::litmus
