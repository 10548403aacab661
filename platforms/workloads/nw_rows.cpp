#include "workloads/alignment.h"
#include "workloads/parameters.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::nw_rows {

namespace {

struct Shape {
  std::uint32_t rows, cols, threads;
};

Verdict run(const char* kernel, host::Device& device, const Options& options) {
  Shape s = pick(options.size, Shape{100, 24, 64}, Shape{1'000, 200, 128}, Shape{4'096, 2'048, 256});
  s = {chosen(options, "rows", s.rows), chosen(options, "cols", s.cols),
       chosen(options, "threads", s.threads)};
  Random random(options.seed);
  const Sequences sequences = random_sequences(random, s.rows, s.cols);
  const std::size_t width = s.cols + 1;
  std::vector<std::int32_t> score((s.rows + 1) * width, 0), progress(s.rows + 1, 0);
  for (std::size_t j = 0; j <= s.cols; ++j) score[j] = static_cast<std::int32_t>(j) * kAlignGap;
  for (std::size_t i = 0; i <= s.rows; ++i) score[i * width] = static_cast<std::int32_t>(i) * kAlignGap;
  progress[0] = static_cast<std::int32_t>(s.cols);

  const auto module = device.load_ptx_file(module_path("nw_rows", options));
  const auto a_d = device.upload(sequences.a, "a"), b_d = device.upload(sequences.b, "b"),
             score_d = device.upload(score, "score"), progress_d = device.upload(progress, "progress");
  device.launch(module, kernel, cover(s.rows, s.threads),
                host::Args().add(a_d).add(b_d).add(s.rows).add(s.cols).add(score_d).add(progress_d));

  for (std::size_t i = 1; i <= s.rows; ++i)
    for (std::size_t j = 1; j <= s.cols; ++j)
      score[i * width + j] = align_best(score[(i - 1) * width + j - 1], score[(i - 1) * width + j],
                                        score[i * width + j - 1], sequences.a[i - 1], sequences.b[j - 1]);
  return combine({compare("score", device.download<std::int32_t>(score_d, score.size()), score),
                  compare("progress", device.download<std::int32_t>(progress_d, s.rows + 1),
                          std::vector<std::int32_t>(s.rows + 1, progress[0]))});
}

std::vector<Parameter> parameters() {
  return {{"rows", "of the score matrix, a thread each", 1, 1u << 20},
          {"cols", "of the score matrix", 1, 1u << 16},
          {"threads", "of a CTA", 1, 1024}};
}

}  // namespace

Workload nw_rows() {
  return {.name = "nw-rows",
          .description = "Needleman-Wunsch, a thread a row, each waits for the row above, SIMT-safe (NW1)",
          .stresses = "a wavefront between the lanes of a warp and between warps: signals, fences, polling",
          .source = "nw_rows.cu",
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("nw_rows", d, o); }};
}

Workload nw_rows_mimd() {
  return {.name = "nw-rows-mimd",
          .description = "Needleman-Wunsch, a thread a row, with a waiting loop in MIMD form (NW1)",
          .stresses = "forward progress of diverged lanes: every lane waits for its neighbour",
          .source = "nw_rows.cu",
          .needs_simt_progress = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("nw_rows_mimd", d, o); }};
}

}  // namespace heddle::workloads::nw_rows
