#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::task_queue {

namespace {

struct Shape {
  std::uint32_t queues, length, limit, ctas, threads;
};

Verdict run(host::Device& device, const Options& options) {
  // Threads may take more tasks than there are, so that every queue is eventually found empty.
  const Shape s =
      pick(options.size, Shape{4, 50, 6, 2, 48}, Shape{8, 300, 6, 15, 64}, Shape{64, 8'192, 24, 96, 256});
  Random random(options.seed);
  const std::size_t count = std::size_t{s.queues} * s.length;
  std::vector<std::uint32_t> tasks(count);
  std::vector<std::int32_t> result(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    tasks[i] = 1 + random.below(200);
    for (std::uint32_t x = tasks[i]; x != 1; x = x % 2 == 0 ? x / 2 : 3 * x + 1) ++result[i];
  }
  const auto module = device.load_ptx_file(module_path("task_queue", options));
  const auto tasks_d = device.upload(tasks, "tasks");
  const auto per_queue = [&](const char* name) {
    return device.allocate(s.queues * sizeof(std::int32_t), name);
  };
  const auto next_d = per_queue("next"), closed_d = per_queue("closed"), locks_d = per_queue("locks");
  const auto result_d = device.allocate(count * sizeof(std::int32_t), "result");
  device.launch(module, "task_drain", grid(s.ctas, s.threads),
                host::Args()
                    .add(tasks_d)
                    .add(s.queues)
                    .add(s.length)
                    .add(s.limit)
                    .add(next_d)
                    .add(closed_d)
                    .add(locks_d)
                    .add(result_d));
  const auto all = [&](const char* name, std::uint64_t address, std::int32_t value) {
    return compare(name, device.download<std::int32_t>(address, s.queues),
                   std::vector<std::int32_t>(s.queues, value));
  };
  return combine({compare("result", device.download<std::int32_t>(result_d, count), result),
                  all("next", next_d, static_cast<std::int32_t>(s.length)), all("closed", closed_d, 1),
                  all("locks", locks_d, 0)});
}

}  // namespace

Workload task_queue() {
  return {
      .name = "task-queue",
      .description = "task queues under locks, a loop that is left within its critical section",
      .stresses = "forward progress of diverged lanes: a lock loop in a loop with two exits, uneven tasks",
      .source = "task_queue.cu",
      .needs_simt_progress = true,
      .run = run};
}

}  // namespace heddle::workloads::task_queue
