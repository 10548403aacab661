#include <fmt/format.h>

#include "workloads/parameters.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::racey {

namespace {

constexpr std::uint32_t kValueBits = 27;
constexpr std::uint32_t kModulus = 103072243;  // of racey_mix in racey.cu

/// As racey_seal in racey.cu: any wrong bit of the word shows.
std::uint32_t seal(std::uint32_t value) {
  std::uint32_t fold = 0;
  for (std::uint32_t bits = value; bits != 0; bits >>= 5) fold ^= bits & 31u;
  return value | fold << kValueBits;
}

/// Any value may come out of the race; it is one that a thread has computed.
Verdict check_sealed(const char* name, const std::vector<std::uint32_t>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t value = words[i] & ((1u << kValueBits) - 1);
    if (value >= kModulus || seal(value) != words[i])
      return {false, fmt::format("{}[{}] = 0x{:08x}, which no thread has written", name, i, words[i])};
  }
  return {true, fmt::format("{} {} match their check bits", words.size(), name)};
}

struct Shape {
  std::uint32_t words, rounds, ctas, threads;
};

Verdict run(host::Device& device, const Options& options) {
  Shape s = pick(options.size, Shape{64, 12, 4, 64}, Shape{256, 40, 30, 192}, Shape{1024, 400, 90, 256});
  s = {chosen(options, "words", s.words), chosen(options, "rounds", s.rounds),
       chosen(options, "ctas", s.ctas), chosen(options, "threads", s.threads)};
  Random random(options.seed);
  std::vector<std::uint32_t> words(s.words);
  for (std::uint32_t& word : words) word = seal(random.below(kModulus));
  const std::uint32_t threads = s.ctas * s.threads;

  const auto module = device.load_ptx_file(module_path("racey", options));
  const auto words_d = device.upload(words, "words");
  const auto signature_d = device.upload(std::vector<std::uint32_t>(threads, ~0u), "signature");
  device.launch(module, "racey", grid(s.ctas, s.threads),
                host::Args().add(words_d).add(s.words).add(s.rounds).add(signature_d));
  const auto signature = device.download<std::uint32_t>(signature_d, threads);
  std::uint32_t all = 0;
  for (const std::uint32_t each : signature) all = (all ^ each) * 16777619u;
  return combine({check_sealed("signatures", signature),
                  check_sealed("words", device.download<std::uint32_t>(words_d, s.words)),
                  {true, fmt::format("signature {:08x}", all)}});
}

}  // namespace

Workload racey() {
  return {.name = "racey",
          .description = "threads mix a shared array with their signatures, racing (GPU-Racey)",
          .stresses = "races on hot words: any other order of two accesses gives another signature",
          .source = "racey.cu",
          .racy = true,
          .parameters = {{"words", "of the shared array", 1, 1u << 20},
                         {"rounds", "of each thread", 1, 1u << 20},
                         {"ctas", "of the grid", 1, 1u << 16},
                         {"threads", "of a CTA", 1, 1024}},
          .run = run};
}

}  // namespace heddle::workloads::racey
