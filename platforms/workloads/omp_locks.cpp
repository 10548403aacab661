#include <algorithm>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::omp_locks {

namespace {

constexpr std::uint32_t kSpin = 50;  // clock cycles of delay per CTA with a lower index

struct LockTest {
  std::uint32_t iterations, counters, ctas, threads;
};

Verdict run_lock_test(bool fine, host::Device& device, const Options& options) {
  // Paper: TL, 3K threads ([SSDE] Tab 4.3).
  LockTest s = pick(options.size, LockTest{200, 16, 2, 48}, LockTest{3'000, 256, 15, 64},
                    LockTest{98'304, 1'024, 48, 64});
  if (!fine) s.counters = 1;
  const auto module = device.load_ptx_file(module_path("omp_locks", options));
  const auto locks_d = device.allocate(s.counters * sizeof(std::int32_t), "locks");
  const auto counter_d = device.allocate(s.counters * sizeof(std::int32_t), "counter");
  device.launch(module, "omp_lock_test", grid(s.ctas, s.threads),
                host::Args().add(s.iterations).add(s.counters).add(locks_d).add(counter_d).add(kSpin));
  std::vector<std::int32_t> expected(s.counters, 0);
  for (std::uint32_t i = 0; i < s.iterations; ++i) ++expected[i % s.counters];
  return combine({compare("counter", device.download<std::int32_t>(counter_d, s.counters), expected),
                  compare("locks", device.download<std::int32_t>(locks_d, s.counters),
                          std::vector<std::int32_t>(s.counters, 0))});
}

struct FindMax {
  std::uint32_t elements, vector, ctas, threads;
};

Verdict run_find_max(bool fine, host::Device& device, const Options& options) {
  const FindMax s = pick(options.size, FindMax{300, 60, 2, 64}, FindMax{20'000, 400, 15, 128},
                         FindMax{1'048'576, 4'096, 96, 256});
  Random random(options.seed);
  std::vector<std::int32_t> a(s.elements);
  for (std::int32_t& value : a) value = 1 + static_cast<std::int32_t>(random.below(1'000'000));
  const std::uint32_t maxima = (s.elements + s.vector - 1) / s.vector;
  const auto module = device.load_ptx_file(module_path("omp_locks", options));
  const auto a_d = device.upload(a, "a");
  const std::uint32_t locks = fine ? maxima : 1;
  const auto locks_d = device.allocate(locks * sizeof(std::int32_t), "locks");
  const auto max_d = device.allocate(maxima * sizeof(std::int32_t), "max");
  device.launch(module, "omp_find_max", grid(s.ctas, s.threads),
                host::Args()
                    .add(a_d)
                    .add(s.elements)
                    .add(s.vector)
                    .add(fine ? 1u : 0u)
                    .add(locks_d)
                    .add(max_d)
                    .add(kSpin));
  std::vector<std::int32_t> expected(maxima, 0);
  for (std::size_t i = 0; i < a.size(); ++i) expected[i / s.vector] = std::max(expected[i / s.vector], a[i]);
  return combine(
      {compare("max", device.download<std::int32_t>(max_d, maxima), expected),
       compare("locks", device.download<std::int32_t>(locks_d, locks), std::vector<std::int32_t>(locks, 0))});
}

Workload workload(const char* name, const char* description, const char* stresses,
                  std::function<Verdict(host::Device&, const Options&)> run) {
  return {.name = name,
          .description = description,
          .stresses = stresses,
          .source = "omp_locks.cu",
          .needs_simt_progress = true,
          .run = std::move(run)};
}

}  // namespace

Workload omp_lock_fine() {
  return workload("omp-lock-fine", "counters under OpenMP locks that wait by the clock, a lock each (TL-FG)",
                  "forward progress of diverged lanes: a delay loop within a waiting loop",
                  [](host::Device& d, const Options& o) { return run_lock_test(true, d, o); });
}

Workload omp_lock_coarse() {
  return workload("omp-lock-coarse", "a counter under one OpenMP lock that waits by the clock (TL-CG)",
                  "forward progress of diverged lanes: the whole grid wants one lock",
                  [](host::Device& d, const Options& o) { return run_lock_test(false, d, o); });
}

Workload omp_max_fine() {
  return workload("omp-max-fine", "maxima of parts of an array, an OpenMP lock each (AM-FG)",
                  "forward progress of diverged lanes: a lock behind a check that soon fails",
                  [](host::Device& d, const Options& o) { return run_find_max(true, d, o); });
}

Workload omp_max_coarse() {
  return workload("omp-max-coarse", "maxima of parts of an array under one OpenMP lock (AM-CG)",
                  "forward progress of diverged lanes: one lock behind a check that soon fails",
                  [](host::Device& d, const Options& o) { return run_find_max(false, d, o); });
}

}  // namespace heddle::workloads::omp_locks
