#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "workloads/parameters.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::apriori {

namespace {

constexpr std::uint32_t kItems = 6, kPairs = 15;  // of a record, at most: as in apriori.cu
using Records = std::vector<std::vector<std::uint32_t>>;

struct Shape {
  std::uint32_t records, items, buckets, ctas, threads;  // buckets: a power of two
};

// Paper: AP of [WarpTM] Tab 6.2.
constexpr std::array<Shape, 3> kShapes{
    {{80, 100, 256, 2, 64}, {1'000, 300, 4'096, 28, 64}, {4'000, 600, 16'384, 112, 64}}};
// One lock: a turn takes as long whatever the size is.
constexpr std::array<Shape, 3> kCoarseShapes{
    {{40, 100, 256, 1, 64}, {250, 300, 4'096, 8, 64}, {4'000, 600, 16'384, 112, 64}}};

struct Candidate {  // AprioriCandidate in apriori.cu
  std::uint32_t pair, count, next;
};
static_assert(sizeof(Candidate) == 12);

/// Two to kItems different items of each record in ascending order, low ones more often; few records have many.
Records random_records(const Shape& s, Random& random) {
  Records records(s.records);
  for (std::vector<std::uint32_t>& items : records) {
    const std::uint32_t more = std::min(random.below(kItems - 1), random.below(kItems - 1));
    const std::uint32_t wanted = 2 + std::min(more, random.below(kItems - 1));
    while (items.size() < wanted) {
      const std::uint32_t item = std::min(random.below(s.items), random.below(s.items));
      if (std::ranges::find(items, item) == items.end()) items.push_back(item);
    }
    std::ranges::sort(items);
  }
  return records;
}

/// The kernels' form.
std::vector<std::uint64_t> packed(const Records& records) {
  std::vector<std::uint64_t> words;
  for (const std::vector<std::uint32_t>& items : records) {
    std::uint64_t word = std::uint64_t{items.size()} << 60;
    for (std::size_t i = 0; i < items.size(); ++i) word |= std::uint64_t{items[i]} << (10 * i);
    words.push_back(word);
  }
  return words;
}

/// Who finds a pair first depends on the order of the threads: each pair must have one candidate, in the right chain, with
/// the right count, and nothing else is written.
Verdict check(const Records& records, const std::vector<Candidate>& candidates,
              const std::vector<std::uint32_t>& heads, std::uint32_t shift) {
  std::map<std::uint32_t, std::uint32_t> expected;
  for (const std::vector<std::uint32_t>& items : records)
    for (std::size_t i = 0; i < items.size(); ++i)
      for (std::size_t j = i + 1; j < items.size(); ++j) ++expected[(items[i] << 16) + items[j]];
  const std::size_t pairs = expected.size();
  std::vector<bool> seen(candidates.size(), false);
  for (std::uint32_t bucket = 0; bucket < heads.size(); ++bucket)
    for (std::uint32_t link = heads[bucket]; link != 0; link = candidates[link - 1].next) {
      if (link > candidates.size() || seen[link - 1])
        return {false,
                fmt::format("chain {} leads to candidate {}, which is not there or twice", bucket, link - 1)};
      seen[link - 1] = true;
      const Candidate& candidate = candidates[link - 1];
      const auto found = expected.find(candidate.pair);
      if (found == expected.end() || found->second != candidate.count ||
          (candidate.pair * 2654435761u) >> shift != bucket)
        return {false, fmt::format("pair {:#x} has count {} in chain {}, expected {}", candidate.pair,
                                   candidate.count, bucket, found == expected.end() ? 0 : found->second)};
      expected.erase(found);
    }
  if (!expected.empty())
    return {false, fmt::format("pair {:#x} was not counted ({} of {} are missing)", expected.begin()->first,
                               expected.size(), pairs)};
  for (std::size_t c = 0; c < candidates.size(); ++c)
    if (!seen[c] && (candidates[c].pair | candidates[c].count | candidates[c].next) != 0)
      return {false, fmt::format("candidate {} is written and in no chain", c)};
  return {true, fmt::format("{} pairs match, each once", pairs)};
}

Verdict run(const char* kernel, host::Device& device, const Options& options,
            const std::array<Shape, 3>& shapes = kShapes) {
  Shape s = pick(options.size, shapes[0], shapes[1], shapes[2]);
  s = {chosen(options, "records", s.records), chosen(options, "items", s.items),
       chosen(options, "buckets", s.buckets), chosen(options, "ctas", s.ctas),
       chosen(options, "threads", s.threads)};
  Random random(options.seed);
  const Records records = random_records(s, random);
  const auto shift = static_cast<std::uint32_t>(32 - std::countr_zero(s.buckets));
  const std::size_t most = std::size_t{s.records} * kPairs;

  const auto module = device.load_ptx_file(module_path("apriori", options));
  const auto records_d = device.upload(packed(records), "records"),
             candidates_d = device.allocate(most * sizeof(Candidate), "candidates"),
             heads_d = device.allocate(s.buckets * sizeof(std::uint32_t), "heads"),
             locks_d = device.allocate(s.buckets * sizeof(std::int32_t), "locks");
  device.launch(
      module, kernel, grid(s.ctas, s.threads),
      host::Args().add(records_d).add(s.records).add(candidates_d).add(heads_d).add(locks_d).add(shift));
  return combine({check(records, device.download<Candidate>(candidates_d, most),
                        device.download<std::uint32_t>(heads_d, s.buckets), shift),
                  compare("locks", device.download<std::int32_t>(locks_d, s.buckets),
                          std::vector<std::int32_t>(s.buckets, 0))});
}

std::vector<Parameter> parameters() {
  return {{"records", "of items, a thread each", 1, 1u << 22},
          {"items", "that there are", 6, 1023},
          {"buckets", "of the table of candidates", 2, 1u << 24, true},
          {"ctas", "of the grid", 1, 1u << 20},
          {"threads", "of a CTA", 1, 1024}};
}

}  // namespace

Workload apriori() {
  return {.name = "apriori",
          .description = "pairs of items counted in a hash table that grows, one lock per bucket (AP)",
          .stresses = "locks around pointer chasing, in uneven nested loops",
          .source = "apriori.cu",
          .racy = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("apriori_fine", d, o); }};
}

Workload apriori_coarse() {
  return {
      .name = "apriori-coarse",
      .description = "pairs of items counted in a hash table that grows, one lock",
      .stresses = "one lock that all threads want, held for long",
      .source = "apriori.cu",
      .racy = true,
      .parameters = parameters(),
      .run = [](host::Device& d, const Options& o) { return run("apriori_coarse", d, o, kCoarseShapes); }};
}

Workload apriori_tx() {
  return {.name = "apriori-tx",
          .description = "pairs of items counted in a hash table that grows, a transaction a record (AP)",
          .stresses = "long transactions of uneven length, frequent pairs that many want",
          .source = "apriori.cu",
          .racy = true,
          .needs_transactions = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("apriori_tx", d, o); }};
}

}  // namespace heddle::workloads::apriori
