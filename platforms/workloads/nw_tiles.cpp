#include "workloads/alignment.h"
#include "workloads/parameters.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::nw_tiles {

namespace {

constexpr std::uint32_t kTile = 32;  // kNwTile in nw_tiles.cu

struct Shape {
  std::uint32_t rows, cols;  // multiples of kTile
};

Verdict run(host::Device& device, const Options& options) {
  Shape s = pick(options.size, Shape{96, 64}, Shape{512, 384}, Shape{2'048, 2'048});
  s = {chosen(options, "bands", s.rows / kTile) * kTile, chosen(options, "tiles", s.cols / kTile) * kTile};
  Random random(options.seed);
  const Sequences sequences = random_sequences(random, s.rows, s.cols);
  const std::size_t width = s.cols + 1;
  const std::uint32_t bands = s.rows / kTile;
  std::vector<std::int32_t> score((s.rows + 1) * width, 0);
  for (std::size_t j = 0; j <= s.cols; ++j)
    score[s.rows * width + j] = static_cast<std::int32_t>(s.cols - j) * kAlignGap;
  for (std::size_t i = 0; i <= s.rows; ++i)
    score[i * width + s.cols] = static_cast<std::int32_t>(s.rows - i) * kAlignGap;

  const auto module = device.load_ptx_file(module_path("nw_tiles", options));
  const auto a_d = device.upload(sequences.a, "a"), b_d = device.upload(sequences.b, "b"),
             score_d = device.upload(score, "score");
  const auto done_d = device.allocate(bands * sizeof(std::int32_t), "done");
  device.launch(module, "nw_tiles", grid(bands, 64),
                host::Args().add(a_d).add(b_d).add(s.rows).add(s.cols).add(score_d).add(done_d));

  for (std::size_t i = s.rows; i-- > 0;)
    for (std::size_t j = s.cols; j-- > 0;)
      score[i * width + j] = align_best(score[(i + 1) * width + j + 1], score[(i + 1) * width + j],
                                        score[i * width + j + 1], sequences.a[i], sequences.b[j]);
  return combine({compare("score", device.download<std::int32_t>(score_d, score.size()), score),
                  compare("done", device.download<std::int32_t>(done_d, bands),
                          std::vector<std::int32_t>(bands, static_cast<std::int32_t>(s.cols / kTile)))});
}

std::vector<Parameter> parameters() {
  return {{"bands", "of 32 rows, a CTA each", 1, 1u << 15},
          {"tiles", "of 32 columns in a band", 1, 1u << 11}};
}

}  // namespace

Workload nw_tiles() {
  return {
      .name = "nw-tiles",
      .description = "Needleman-Wunsch backward, a CTA a band of tiles, each waits for the band below (NW2)",
      .stresses = "signals between CTAs, one lane polls while its CTA waits at a barrier, shared memory",
      .source = "nw_tiles.cu",
      .parameters = parameters(),
      .run = run};
}

}  // namespace heddle::workloads::nw_tiles
