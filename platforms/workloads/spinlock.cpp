#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::spinlock {

namespace {

struct Shape {
  std::uint32_t ctas, threads;
};

Verdict run(host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{2, 48}, Shape{15, 64}, Shape{120, 64});
  const auto module = device.load_ptx_file(module_path("spinlock", options));
  const auto lock_d = device.allocate(sizeof(std::int32_t), "lock");
  const auto counter_d = device.allocate(sizeof(std::int32_t), "counter");
  const host::Launch shape{.grid = {s.ctas, 1, 1}, .block = {s.threads, 1, 1}, .dynamic_shared_bytes = 0};
  device.launch(module, "spin_increment", shape, host::Args().add(lock_d).add(counter_d));
  const auto threads = static_cast<std::int32_t>(s.ctas * s.threads);
  return combine({compare("counter", device.download<std::int32_t>(counter_d, 1), {threads}),
                  compare("lock", device.download<std::int32_t>(lock_d, 1), {0})});
}

}  // namespace

Workload spinlock() {
  return {.name = "spinlock",
          .description = "a counter under one spin lock in MIMD form: hangs on a plain SIMT stack",
          .stresses = "forward progress of diverged lanes: SIMT-induced deadlock and its diagnosis",
          .source = "spinlock.cu",
          .racy = false,
          .needs_simt_progress = true,
          .run = run};
}

}  // namespace heddle::workloads::spinlock
