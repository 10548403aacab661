#include "microbench/pointer_chase.h"

#include <algorithm>

namespace heddle::microbench {

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

ChaseResult run_chase(Session& session, const Chain& chain, const char* load, std::uint32_t loads) {
  TimedKernel kernel("chase");
  const std::string pointer = kernel.parameter("u64"), last = kernel.reg("b64");
  kernel.begin_rounds();
  kernel.start_clock();
  for (std::uint32_t i = 0; i < loads; ++i) kernel.line("{0} {1}, [{1}]", load, pointer);
  kernel.line("mov.b64 {}, {}", last, pointer);
  kernel.stop_clock();
  kernel.end_rounds(kChaseRounds);
  kernel.keep_lanes("b64", last);
  const TimedRun run = session.run(kernel, 1, 1, chain.at(0));
  const std::uint64_t end = chain.at(std::uint64_t{kChaseRounds} * loads);
  session.check_values("chase", {run.lane_values.front()}, end);
  return {std::uint64_t{kChaseRounds - 1} * loads, loads, run.warps.front().start,
          run.warps.front().cycles()};
}

double cycles_per_load(const ChaseResult& shorter, const ChaseResult& longer) {
  return (static_cast<double>(longer.cycles) - shorter.cycles) /
         (static_cast<double>(longer.loads) - shorter.loads);
}

}  // namespace heddle::microbench
