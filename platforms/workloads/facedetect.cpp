#include <algorithm>

#include "workloads/parameters.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::facedetect {
namespace {

struct Shape {
  std::uint32_t windows_x, windows_y, stages;
};
constexpr std::uint32_t kWindow = 20;

struct Cascade {
  std::vector<std::int32_t> boxes, cuts, votes, stages{0}, least;
};

Cascade cascade(std::uint32_t stages, Random& random) {
  Cascade made;
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    const std::uint32_t features = 3 + 2 * stage;
    for (std::uint32_t f = 0; f < features; ++f) {
      // Two boxes of one size, side by side.
      const std::uint32_t w = 2 + random.below(8), h = 2 + random.below(8);
      const std::uint32_t x = random.below(kWindow - 2 * w + 1), y = random.below(kWindow - h + 1);
      for (const std::uint32_t word : {x, y, w, h, x + w, y, w, h})
        made.boxes.push_back(static_cast<std::int32_t>(word));
      made.cuts.push_back(static_cast<std::int32_t>(random.below(40 * w * h)) -
                          static_cast<std::int32_t>(20 * w * h));
      made.votes.push_back(10);
    }
    made.stages.push_back(made.stages.back() + static_cast<std::int32_t>(features));
    // Somewhat more than half of the windows are turned down at each stage.
    made.least.push_back(static_cast<std::int32_t>(features * 5));
  }
  return made;
}

std::int32_t depth_of(const std::vector<std::int32_t>& sums, std::uint32_t stride, const Cascade& c,
                      std::uint32_t x, std::uint32_t y) {
  const auto box = [&](std::size_t first) {
    const auto at = [&](std::int32_t dx, std::int32_t dy) {
      return sums[(y + static_cast<std::uint32_t>(c.boxes[first + 1] + dy)) * stride + x +
                  static_cast<std::uint32_t>(c.boxes[first] + dx)];
    };
    const std::int32_t w = c.boxes[first + 2], h = c.boxes[first + 3];
    return at(w, h) - at(0, h) - at(w, 0) + at(0, 0);
  };
  for (std::size_t stage = 0; stage < c.least.size(); ++stage) {
    std::int32_t score = 0;
    for (auto f = static_cast<std::size_t>(c.stages[stage]);
         f < static_cast<std::size_t>(c.stages[stage + 1]); ++f) {
      const std::int32_t contrast = box(f * 8) - box(f * 8 + 4);
      score = contrast > c.cuts[f] ? score + c.votes[f] : score - (contrast >> 8);
    }
    if (score < c.least[stage]) return static_cast<std::int32_t>(stage);
  }
  return static_cast<std::int32_t>(c.least.size());
}

Verdict run(host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{52, 20, 4}, Shape{128, 84, 4}, Shape{1024, 768, 14});
  const std::uint32_t step = chosen(options, "step", 1);
  const std::uint32_t width = s.windows_x * step + kWindow, height = s.windows_y * step + kWindow;
  Random random(options.seed);
  const std::uint32_t stride = width + 1;
  std::vector<std::int32_t> sums(std::size_t{stride} * (height + 1), 0);
  // Coarse patches with noise: neighbouring windows are alike, but not equal.
  std::vector<std::uint32_t> patches((width / 3 + 1) * (height / 3 + 1));
  for (std::uint32_t& patch : patches) patch = random.below(160);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const auto grey =
          static_cast<std::int32_t>(patches[y / 3 * (width / 3 + 1) + x / 3] + random.below(96));
      sums[(y + 1) * stride + x + 1] =
          grey + sums[y * stride + x + 1] + sums[(y + 1) * stride + x] - sums[y * stride + x];
    }
  const Cascade c = cascade(s.stages, random);
  std::vector<std::int32_t> expected;
  for (std::uint32_t y = 0; y < s.windows_y; ++y)
    for (std::uint32_t x = 0; x < s.windows_x; ++x)
      expected.push_back(depth_of(sums, stride, c, x * step, y * step));

  const auto module = device.load_ptx_file(module_path("facedetect", options));
  const auto sums_d = device.upload(sums, "sums"), boxes_d = device.upload(c.boxes, "boxes");
  const auto cuts_d = device.upload(c.cuts, "cuts"), votes_d = device.upload(c.votes, "votes");
  const auto stages_d = device.upload(c.stages, "stages"), least_d = device.upload(c.least, "least");
  const auto depth_d = device.allocate(expected.size() * sizeof(std::int32_t), "depth");
  const host::Dim3 block{32, 6, 1};  // as FCDT's
  const host::Launch shape{{(s.windows_x + block.x - 1) / block.x, (s.windows_y + block.y - 1) / block.y, 1},
                           block};
  device.launch(module, "cascade_detect", shape,
                host::Args()
                    .add(sums_d)
                    .add(stride)
                    .add(s.windows_x)
                    .add(s.windows_y)
                    .add(boxes_d)
                    .add(cuts_d)
                    .add(votes_d)
                    .add(stages_d)
                    .add(least_d)
                    .add(s.stages)
                    .add(step)
                    .add(depth_d));
  return compare("depth", device.download<std::int32_t>(depth_d, expected.size()), expected);
}

}  // namespace

Workload facedetect() {
  return {.name = "facedetect",
          .description = "a cascade of classifiers over the windows of an image, a thread a window",
          .stresses =
              "loops that lanes leave one after the other, early and late; gathers from an integral image",
          .source = "facedetect.cu",
          .parameters = {{"step", "pixels between windows", 1, 16}},
          .run = run};
}

}  // namespace heddle::workloads::facedetect
