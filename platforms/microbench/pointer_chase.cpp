#include "microbench/pointer_chase.h"

#include <algorithm>

#include "microbench/core_timing.h"

namespace heddle::microbench {
namespace {

TimedRun chase(Session& session, const Chain& chain, const char* load, std::uint32_t loads, bool each) {
  TimedKernel kernel("chase");
  const std::string pointer = kernel.parameter("u64"), last = kernel.reg("b64");
  kernel.begin_rounds();
  kernel.start_clock();
  for (std::uint32_t i = 0; i < loads; ++i) {
    kernel.line("{0} {1}, [{1}]", load, pointer);
    if (!each) continue;
    const std::string clock = kernel.reg("b32");
    kernel.line("mov.u32 {}, %clock", clock);
    kernel.keep(clock);
  }
  kernel.line("mov.b64 {}, {}", last, pointer);
  kernel.stop_clock();
  kernel.end_rounds(kChaseRounds);
  kernel.keep_lanes("b64", last);
  TimedRun run = session.run(kernel, 1, 1, chain.at(0));
  session.check_values("chase", {run.lane_values.front()}, chain.at(std::uint64_t{kChaseRounds} * loads));
  return run;
}

}  // namespace

Chain make_chain(Session& session, std::vector<std::uint64_t> addresses) {
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::uint64_t next = addresses[(i + 1) % addresses.size()];
    session.device().write(addresses[i], std::as_bytes(std::span(&next, 1)));
  }
  return {std::move(addresses)};
}

std::vector<std::uint64_t> strided(std::uint64_t base, std::uint64_t count, std::uint64_t stride) {
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t i = 0; i < count; ++i) addresses.push_back(base + i * stride);
  return addresses;
}

double chase_cycles_per_load(Session& session, const Chain& chain, const char* load) {
  constexpr std::uint32_t kShort = 32, kLong = 64;
  const std::uint32_t shorter = chase(session, chain, load, kShort, false).span();
  const std::uint32_t longer = chase(session, chain, load, kLong, false).span();
  return static_cast<double>(longer - shorter) / (kLong - kShort);
}

double chase_count_per_load(Session& session, const Chain& chain, const char* load, std::uint32_t loads,
                            const std::string& counter) {
  (void)chase(session, chain, load, loads, false);
  return static_cast<double>(session.count(counter)) / (kChaseRounds * loads);
}

std::vector<TimedLoad> chase_each_load(Session& session, const Chain& chain, const char* load,
                                       std::uint32_t loads) {
  const WarpRecord record = chase(session, chain, load, loads, true).warps.front();
  // Instruction 0 of the round reads the first clock, 1 + 2 i is load i, and the clock read after it issues
  // immediately. Load i + 1 waits for load i.
  const auto issued = [&](std::uint32_t i) {
    return record.words[i] - cycles_to_instruction(session.config(), 2 + 2 * i);
  };
  std::vector<TimedLoad> timed;
  for (std::uint32_t i = 0; i + 1 < loads; ++i)
    timed.push_back({chain.at(first_timed(loads) + i), issued(i), issued(i + 1) - issued(i)});
  return timed;
}

}  // namespace heddle::microbench
