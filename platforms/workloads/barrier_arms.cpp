#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::barrier_arms {

namespace {

struct Shape {
  std::uint32_t ctas, threads;
};

/// `arm`: threads with this bit set in their index take the first arm.
Verdict run(const char* kernel, std::uint32_t arm, host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{3, 128}, Shape{60, 256}, Shape{960, 256});
  Random random(options.seed);
  std::vector<std::int32_t> in(std::size_t{s.ctas} * s.threads);
  for (std::int32_t& value : in) value = static_cast<std::int32_t>(random.below(1'000'000));
  std::vector<std::int32_t> expected(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto t = static_cast<std::uint32_t>(i % s.threads), neighbour = (t + s.threads - 1) % s.threads;
    expected[i] = (in[i] + ((neighbour & arm) != 0 ? 1 : -1)) * ((t & arm) != 0 ? 3 : 5);
  }
  const auto module = device.load_ptx_file(module_path("barrier_arms", options));
  const auto in_d = device.upload(in, "in");
  const auto out_d = device.allocate(in.size() * sizeof(std::int32_t), "out");
  device.launch(module, kernel, grid(s.ctas, s.threads), host::Args().add(in_d).add(out_d));
  return compare("out", device.download<std::int32_t>(out_d, in.size()), expected);
}

/// [AWARE:G7]: CTAs of one warp.
Verdict run_divergent(host::Device& device, const Options& options) {
  const std::uint32_t ctas = pick(options.size, 4u, 240u, 3840u);
  Random random(options.seed);
  std::vector<std::int32_t> element(std::size_t{ctas} * 32);
  for (std::int32_t& value : element) value = static_cast<std::int32_t>(random.below(1'000'000));
  const auto module = device.load_ptx_file(module_path("barrier_arms", options));
  const auto element_d = device.upload(element, "element");
  device.launch(module, "barrier_divergent", grid(ctas, 32), host::Args().add(element_d));
  for (std::size_t i = 0; i < element.size();
       ++i)  // the odd neighbour adds 1, the element's own lane -3 or 3
    element[i] += i % 2 == 0 ? 1 - 3 : -1 + 3;
  return compare("element", device.download<std::int32_t>(element_d, element.size()), element);
}

}  // namespace

Workload barrier_arms() {
  return {.name = "barrier-arms",
          .description = "a barrier in each arm of a branch that no warp diverges on",
          .stresses = "a barrier that warps reach at different instructions",
          .source = "barrier_arms.cu",
          .run = [](host::Device& d, const Options& o) { return run("barrier_arms", 32, d, o); }};
}

Workload barrier_arms_mimd() {
  return {.name = "barrier-arms-mimd",
          .description = "divergent barrier: a barrier in each arm of a branch that warps diverge on",
          .stresses = "barriers counted in threads under divergence",
          .source = "barrier_arms.cu",
          .needs_simt_progress = true,
          .run = [](host::Device& d, const Options& o) { return run("barrier_arms_mimd", 1, d, o); }};
}

Workload barrier_divergent() {
  return {.name = "barrier-divergent",
          .description = "divergent barrier of one warp, odd lanes in one arm and even ones in the other",
          .stresses = "a barrier in each arm of a branch that splits the only warp of a CTA",
          .source = "barrier_arms.cu",
          .needs_simt_progress = true,
          .run = run_divergent};
}

}  // namespace heddle::workloads::barrier_arms
