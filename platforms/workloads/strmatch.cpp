#include <algorithm>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::strmatch {

namespace {

struct Shape {
  std::uint32_t length, pattern, letters, chunk;
};

Verdict run(host::Device& device, const Options& options) {
  const Shape s =
      pick(options.size, Shape{4'000, 5, 4, 25}, Shape{200'000, 8, 4, 40}, Shape{4'194'304, 12, 4, 128});
  Random random(options.seed);
  std::vector<std::uint8_t> text(s.length), pattern(64, 0);  // as large as match_pattern
  const auto letter = [&] { return static_cast<std::uint8_t>('a' + random.below(s.letters)); };
  for (std::uint8_t& c : text) c = letter();
  for (std::size_t i = 0; i < s.pattern; ++i) pattern[i] = letter();
  for (std::uint32_t copies = 0; copies < s.length / 200; ++copies)
    std::copy_n(pattern.begin(), s.pattern, text.begin() + random.below(s.length - s.pattern + 1));

  const auto module = device.load_ptx_file(module_path("strmatch", options));
  device.write(device.symbol(module, "match_pattern"), std::as_bytes(std::span(pattern)));
  const auto text_d = device.upload(text, "text");
  const std::size_t words = (s.length + 31) / 32;
  const auto matches_d = device.allocate(words * sizeof(std::uint32_t), "matches");
  const auto total_d = device.allocate(sizeof(std::int32_t), "total");
  const std::uint32_t starts = s.length - s.pattern + 1;
  device.launch(
      module, "match_horspool", cover((starts + s.chunk - 1) / s.chunk, 64),
      host::Args().add(text_d).add(s.length).add(s.pattern).add(s.chunk).add(matches_d).add(total_d));

  std::vector<std::uint32_t> matches(words, 0);
  std::int32_t total = 0;
  for (std::uint32_t at = 0; at < starts; ++at)
    if (std::equal(pattern.begin(), pattern.begin() + s.pattern, text.begin() + at)) {
      matches[at / 32] |= 1u << at % 32;
      ++total;
    }
  return combine({compare("matches", device.download<std::uint32_t>(matches_d, words), matches),
                  compare("total", device.download<std::int32_t>(total_d, 1), {total})});
}

}  // namespace

Workload strmatch() {
  return {
      .name = "strmatch",
      .description = "all places of a pattern in a text (Horspool), a thread a chunk",
      .stresses = "byte loads, nested loops with data-dependent exits and strides, constant memory by lane",
      .source = "strmatch.cu",
      .run = run};
}

}  // namespace heddle::workloads::strmatch
