#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::histogram {

namespace {

constexpr std::uint32_t kBins = 256;  // kBins in histogram.cu

struct Shape {
  std::uint32_t words, ctas, threads;
};

Verdict run(host::Device& device, const Options& options) {
  const Shape s =
      pick(options.size, Shape{1'000, 3, 128}, Shape{50'000, 45, 256}, Shape{1'048'576, 240, 256});
  Random random(options.seed);
  std::vector<std::uint32_t> words(s.words);
  for (std::uint32_t& word : words) {
    for (unsigned byte = 0; byte < 4; ++byte) {
      // A quarter of the bytes fall into one bin, the rest anywhere: conflicts within warps and between them.
      const std::uint32_t value = random.below(4) == 0 ? 42 : random.below(kBins);
      word |= value << (8 * byte);
    }
  }
  std::vector<std::uint32_t> expected(kBins, 0);
  for (const std::uint32_t word : words)
    for (unsigned byte = 0; byte < 4; ++byte) ++expected[(word >> (8 * byte)) & 0xff];

  const auto module = device.load_ptx_file(module_path("histogram", options));
  const auto words_d = device.upload(words, "words");
  const auto shared_d = device.allocate(kBins * sizeof(std::uint32_t), "bins_shared");
  const auto global_d = device.allocate(kBins * sizeof(std::uint32_t), "bins_global");
  const host::Launch shape{.grid = {s.ctas, 1, 1}, .block = {s.threads, 1, 1}, .dynamic_shared_bytes = 0};
  device.launch(module, "histogram_shared", shape, host::Args().add(words_d).add(s.words).add(shared_d));
  device.launch(module, "histogram_global", shape, host::Args().add(words_d).add(s.words).add(global_d));
  return combine({compare("bins_shared", device.download<std::uint32_t>(shared_d, kBins), expected),
                  compare("bins_global", device.download<std::uint32_t>(global_d, kBins), expected)});
}

}  // namespace

Workload histogram() {
  return {.name = "histogram",
          .description =
              "256-bin histogram of bytes, once private to each CTA and merged, once straight to memory",
          .stresses = "shared-memory atomics with lane conflicts, the L2's atomic units under hot addresses",
          .source = "histogram.cu",
          .racy = false,
          .needs_simt_progress = false,
          .run = run};
}

}  // namespace heddle::workloads::histogram
