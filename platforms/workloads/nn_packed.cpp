#include "workloads/half.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::nn_packed {

namespace {

struct Shape {
  std::uint32_t records, features;  // features: a multiple of 4
};

/// Word w of record i at w * records + i; `value(i, f)` has `bits` bits.
template <class F>
std::vector<std::uint32_t> pack(std::uint32_t records, std::uint32_t features, unsigned bits, F&& value) {
  const std::uint32_t in_word = 32 / bits;
  std::vector<std::uint32_t> words(std::size_t{records} * features / in_word, 0);
  for (std::uint32_t i = 0; i < records; ++i)
    for (std::uint32_t f = 0; f < features; ++f)
      words[std::size_t{f / in_word} * records + i] |= std::uint32_t{value(i, f)} << f % in_word * bits;
  return words;
}

Verdict run(host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{700, 16}, Shape{30'000, 32}, Shape{1'000'000, 64});
  Random random(options.seed);
  // Integers from -64 to 63; as f16 in units of 2^-5, so that the sum of a record's squares stays in range.
  std::vector<std::int8_t> value(std::size_t{s.records + 1} * s.features);  // the query is the last record
  for (std::int8_t& v : value)
    v = static_cast<std::int8_t>(static_cast<std::int32_t>(random.below(128)) - 64);
  const auto at = [&](std::uint32_t i, std::uint32_t f) { return value[std::size_t{i} * s.features + f]; };
  const auto as_byte = [&](std::uint32_t i, std::uint32_t f) { return static_cast<std::uint8_t>(at(i, f)); };
  const auto as_half = [&](std::uint32_t i, std::uint32_t f) { return to_half(at(i, f) / 32.0); };
  const auto query = [&](auto&& of) {
    return [&](std::uint32_t, std::uint32_t f) { return of(s.records, f); };
  };

  const auto module = device.load_ptx_file(module_path("nn_packed", options));
  const auto bytes_d = device.upload(pack(s.records, s.features, 8, as_byte), "bytes"),
             byte_query_d = device.upload(pack(1, s.features, 8, query(as_byte)), "byte_query"),
             halves_d = device.upload(pack(s.records, s.features, 16, as_half), "halves"),
             half_query_d = device.upload(pack(1, s.features, 16, query(as_half)), "half_query");
  const auto dot_d = device.allocate(s.records * sizeof(std::int32_t), "dot");
  const auto square_d = device.allocate(s.records * sizeof(float), "square");
  device.launch(module, "nn_dots_int8", cover(s.records, 128),
                host::Args().add(bytes_d).add(byte_query_d).add(s.features / 4).add(s.records).add(dot_d));
  device.launch(
      module, "nn_squares_half", cover(s.records, 128),
      host::Args().add(halves_d).add(half_query_d).add(s.features / 2).add(s.records).add(square_d));

  std::vector<std::int32_t> dot(s.records, 0);
  std::vector<float> square(s.records);
  for (std::uint32_t i = 0; i < s.records; ++i) {
    float sum[2] = {};
    for (std::uint32_t f = 0; f < s.features; ++f) {
      dot[i] += at(i, f) * at(s.records, f);
      const double difference = (at(i, f) - at(s.records, f)) / 32.0;  // exact in f16
      sum[f % 2] = from_half(to_half(difference * difference + double{sum[f % 2]}));
    }
    square[i] = sum[0] + sum[1];
  }
  return combine({compare("dot", device.download<std::int32_t>(dot_d, s.records), dot),
                  compare("square", device.download<float>(square_d, s.records), square)});
}

}  // namespace

Workload nn_packed() {
  return {.name = "nn-packed",
          .description = "distances of records with 8-bit and with f16 features to one of them",
          .stresses = "packed arithmetic: dp4a on bytes, f16 pairs; streaming with a broadcast operand",
          .source = "nn_packed.cu",
          .run = run};
}

}  // namespace heddle::workloads::nn_packed
