#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::histogram256 {

namespace {

constexpr std::uint32_t kBins = 256, kThreads = 128;  // kBinsOfBytes, 32 * kHistogramWarps

struct Shape {
  std::uint32_t words, ctas;
};

Verdict run(host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{600, 2}, Shape{20'000, 30}, Shape{4'194'304, 240});
  Random random(options.seed);
  std::vector<std::uint32_t> words(s.words), bins(kBins, 0);
  for (std::uint32_t& word : words)
    for (int byte = 0; byte < 4; ++byte) {
      // The smaller of two draws: bytes that are often the same in two lanes.
      const std::uint32_t a = random.below(kBins), b = random.below(kBins), value = a < b ? a : b;
      word = word << 8 | value;
      ++bins[value];
    }
  const auto module = device.load_ptx_file(module_path("histogram256", options));
  const auto words_d = device.upload(words, "words");
  const auto bins_d = device.allocate(kBins * sizeof(std::uint32_t), "bins");
  device.launch(module, "histogram_bytes", grid(s.ctas, kThreads),
                host::Args().add(words_d).add(s.words).add(bins_d));
  return compare("bins", device.download<std::uint32_t>(bins_d, kBins), bins);
}

}  // namespace

Workload histogram256() {
  return {
      .name = "histogram256",
      .description = "histogram of bytes by tagged stores instead of atomics, a table a warp",
      .stresses = "implicit warp synchrony: lanes that store to one address, retry loops in shared memory",
      .source = "histogram256.cu",
      .needs_lockstep = true,
      .run = run};
}

}  // namespace heddle::workloads::histogram256
