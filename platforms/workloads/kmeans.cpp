#include <array>
#include <cmath>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::kmeans {

namespace {

struct Shape {
  std::uint32_t points, coordinates, centres, rounds;  // centres * coordinates: at most 256
};

/// As the kernels: sums of integers, distances in the order of the coordinates.
class Reference {
 public:
  Reference(const Shape& s, const std::vector<float>& coordinate, std::vector<float> centre)
      : s_(s), coordinate_(coordinate), centre_(std::move(centre)), member_(s.points, 0) {}

  /// False if no point changed its centre.
  bool round() {
    std::vector<std::int32_t> sum(centre_.size(), 0), count(s_.centres, 0);
    bool moved = false;
    for (std::size_t i = 0; i < s_.points; ++i) {
      const std::size_t k = nearest(i);
      moved |= member_[i] != static_cast<std::int32_t>(k);
      member_[i] = static_cast<std::int32_t>(k);
      ++count[k];
      for (std::size_t c = 0; c < s_.coordinates; ++c)
        sum[k * s_.coordinates + c] += static_cast<std::int32_t>(coordinate_[c * s_.points + i] * 256.0f);
    }
    for (std::size_t i = 0; i < centre_.size(); ++i) {
      const std::int32_t points = count[i / s_.coordinates];
      if (points > 0) centre_[i] = static_cast<float>(sum[i]) / static_cast<float>(points) * 0.00390625f;
    }
    return moved;
  }
  [[nodiscard]] const std::vector<float>& centre() const { return centre_; }
  [[nodiscard]] const std::vector<std::int32_t>& member() const { return member_; }

 private:
  [[nodiscard]] std::size_t nearest(std::size_t i) const {
    std::size_t nearest = 0;
    float least = 0.0f;
    for (std::size_t k = 0; k < s_.centres; ++k) {
      float distance = 0.0f;
      for (std::size_t c = 0; c < s_.coordinates; ++c) {
        const float d = coordinate_[c * s_.points + i] - centre_[k * s_.coordinates + c];
        distance = std::fmaf(d, d, distance);
      }
      if (k == 0 || distance < least) least = distance, nearest = k;
    }
    return nearest;
  }

  Shape s_;
  const std::vector<float>& coordinate_;
  std::vector<float> centre_;
  std::vector<std::int32_t> member_;
};

Verdict run(host::Device& device, const Options& options) {
  // Paper: the size of Rodinia's kdd_cup input.
  const Shape s = pick(options.size, Shape{500, 4, 5, 5}, Shape{12'000, 8, 8, 6}, Shape{494'020, 34, 5, 20});
  Random random(options.seed);
  // Clouds around as many points as there are centres, all multiples of 1/256.
  std::vector<float> cloud(std::size_t{s.centres} * s.coordinates),
      coordinate(std::size_t{s.points} * s.coordinates);
  const auto coarse = [&](std::uint32_t range) {
    return (static_cast<float>(random.below(2 * range)) - static_cast<float>(range)) / 256.0f;
  };
  for (float& place : cloud) place = coarse(1024);
  for (std::size_t i = 0; i < s.points; ++i) {
    const std::size_t k = random.below(s.centres);
    for (std::size_t c = 0; c < s.coordinates; ++c)
      coordinate[c * s.points + i] = cloud[k * s.coordinates + c] + coarse(512);
  }
  std::vector<float> centre(cloud.size());  // the first points
  for (std::size_t i = 0; i < centre.size(); ++i)
    centre[i] = coordinate[i % s.coordinates * s.points + i / s.coordinates];

  const auto module = device.load_ptx_file(module_path("kmeans", options));
  const auto moved_d = device.symbol(module, "kmeans_moved");
  const auto coordinate_d = device.upload(coordinate, "coordinate"),
             centre_d = device.upload(centre, "centre");
  const auto member_d = device.allocate(s.points * sizeof(std::int32_t), "member");
  const auto sum_d = device.allocate(centre.size() * sizeof(std::int32_t), "sum");
  const auto count_d = device.allocate(s.centres * sizeof(std::int32_t), "count");
  Reference reference(s, coordinate, centre);
  for (std::uint32_t round = 0; round < s.rounds; ++round) {
    std::array<std::int32_t, 1> moved{0};
    device.write(moved_d, std::as_bytes(std::span(moved)));
    device.launch(module, "kmeans_assign", cover(s.points, 128),
                  host::Args()
                      .add(coordinate_d)
                      .add(s.points)
                      .add(s.coordinates)
                      .add(centre_d)
                      .add(s.centres)
                      .add(member_d)
                      .add(sum_d)
                      .add(count_d));
    device.launch(module, "kmeans_update", grid(1, 32),
                  host::Args().add(centre_d).add(s.centres).add(s.coordinates).add(sum_d).add(count_d));
    device.read(moved_d, std::as_writable_bytes(std::span(moved)));
    if (!reference.round() && moved[0] == 0) break;
  }
  return combine({compare("member", device.download<std::int32_t>(member_d, s.points), reference.member()),
                  compare("centre", device.download<float>(centre_d, centre.size()), reference.centre())});
}

}  // namespace

Workload kmeans() {
  return {.name = "kmeans",
          .description = "k-means clustering, two launches a round, until no point moves",
          .stresses = "strided and broadcast loads, shared-memory atomics on few addresses, a one-CTA kernel",
          .source = "kmeans.cu",
          .run = run};
}

}  // namespace heddle::workloads::kmeans
