#include "microbench/throughput.h"

#include <algorithm>
#include <cmath>

#include "microbench/core_timing.h"

namespace heddle::microbench {

TimedKernel repeating(const std::string& name, const std::function<void(TimedKernel&)>& setup,
                      const std::function<void(TimedKernel&)>& body) {
  TimedKernel kernel(name);
  const std::string duration = kernel.parameter("u32");
  const std::string count = kernel.reg("b32"), passed = kernel.reg("b32"), word = kernel.reg("b32");
  const std::string more = kernel.reg("pred"), loop = kernel.label();
  setup(kernel);
  // A common start time for all warps: a starved warp must not run its time later.
  const std::uint32_t at = kernel.shared_bytes();
  kernel.use_shared(at + 4);
  kernel.line("mov.u32 {}, 0", count);
  kernel.line("mov.u32 {}, {}", passed, duration);  // waits for the parameter
  kernel.start_clock();
  kernel.line("mov.u32 {}, {}", word, at);
  kernel.line("st.shared.u32 [{}], {}", word, kernel.start_register());
  kernel.line("bar.sync 0");
  kernel.line("ld.shared.u32 {}, [{}]", kernel.start_register(), word);
  kernel.place(loop);
  body(kernel);
  kernel.stop_clock();
  kernel.line("add.u32 {0}, {0}, 1", count);
  kernel.line("sub.u32 {}, {}, {}", passed, kernel.stop_register(), kernel.start_register());
  kernel.line("setp.lt.u32 {}, {}, {}", more, passed, duration);
  kernel.line("@{} bra {}", more, loop);
  kernel.keep(count);
  return kernel;
}

double bodies(const TimedRun& run) {
  double sum = 0;
  for (const WarpRecord& warp : run.warps) sum += warp.words.front() - 1.0;  // the last one exceeded the time
  return sum;
}

double loop_interval(const gpu::GpuConfig& config, std::uint32_t loads, double passes, std::uint32_t others) {
  const double instructions = loads + others + kLoopArithmetic + kLoopBranches;
  const double replays = config.core.lsu.replay_issue ? loads * (passes - 1) : 0;
  return std::max(fetch_cycles(config, instructions),
                  (instructions + replays) / config.core.scheduler.count) /
         loads;
}

}  // namespace heddle::microbench
