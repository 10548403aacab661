#include <fmt/format.h>

#include <array>
#include <bit>

#include "workloads/parameters.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::hashtable {

namespace {

struct Shape {
  std::uint32_t keys, buckets, ctas, threads;  // buckets: a power of two, at least 2
};

struct Entry {  // HashEntry in hashtable.cu
  std::uint32_t key, value, next;
};
static_assert(sizeof(Entry) == 12);

std::uint32_t bucket_of(std::uint32_t key, std::uint32_t shift) { return (key * 2654435761u) >> shift; }

/// The order within a chain depends on who got the lock first, so the table is held against what must be true
/// of any order: every entry is in exactly one chain, that of its key's bucket, with its key and value, and
/// all locks are free.
Verdict check_table(const std::vector<std::uint32_t>& keys, const std::vector<Entry>& pool,
                    const std::vector<std::uint32_t>& heads, const std::vector<std::int32_t>& locks,
                    std::uint32_t shift) {
  std::vector<bool> seen(keys.size(), false);
  std::size_t found = 0;
  for (std::uint32_t bucket = 0; bucket < heads.size(); ++bucket) {
    if (locks[bucket] != 0)
      return {false, fmt::format("lock {} is {} at the end, expected 0", bucket, locks[bucket])};
    for (std::uint32_t link = heads[bucket]; link != 0; link = pool[link - 1].next) {
      const std::uint32_t i = link - 1;
      if (i >= keys.size())
        return {false, fmt::format("chain {} leads to entry {} of {}", bucket, i, keys.size())};
      if (seen[i]) return {false, fmt::format("entry {} is reached twice, again in chain {}", i, bucket)};
      seen[i] = true;
      ++found;
      if (pool[i].key != keys[i] || pool[i].value != ~keys[i])
        return {false, fmt::format("entry {} holds key {} and value {}, expected {} and {}", i, pool[i].key,
                                   pool[i].value, keys[i], ~keys[i])};
      if (bucket_of(keys[i], shift) != bucket)
        return {false, fmt::format("entry {} (key {}) is in chain {}, expected {}", i, keys[i], bucket,
                                   bucket_of(keys[i], shift))};
    }
  }
  if (found != keys.size()) {
    std::size_t first = 0;
    while (seen[first]) ++first;
    return {false,
            fmt::format("entry {} is in no chain ({} of {} lost)", first, keys.size() - found, keys.size())};
  }
  return {true, fmt::format("{} keys in {} chains, each once and in the right one", found, heads.size())};
}

struct Table {
  std::vector<std::uint32_t> keys;
  std::uint32_t shift;
  std::uint64_t keys_d, pool_d, heads_d, locks_d;
  std::uint32_t buckets;

  Table(const Shape& s, Random& random, host::Device& device)
      : keys(s.keys),
        shift(static_cast<std::uint32_t>(32 - std::countr_zero(s.buckets))),
        buckets(s.buckets) {
    for (std::uint32_t& key : keys) key = random.below(0xffff'ffff);
    keys_d = device.upload(keys, "keys");
    pool_d = device.allocate(s.keys * sizeof(Entry), "pool");
    heads_d = device.allocate(s.buckets * sizeof(std::uint32_t), "heads");
    locks_d = device.allocate(s.buckets * sizeof(std::int32_t), "locks");
  }
  [[nodiscard]] host::Args args() const {
    return host::Args()
        .add(keys_d)
        .add(static_cast<std::uint32_t>(keys.size()))
        .add(pool_d)
        .add(heads_d)
        .add(locks_d)
        .add(shift);
  }
  [[nodiscard]] Verdict check(host::Device& device) const {
    return check_table(keys, device.download<Entry>(pool_d, keys.size()),
                       device.download<std::uint32_t>(heads_d, buckets),
                       device.download<std::int32_t>(locks_d, buckets), shift);
  }
};

// Paper: HT of [DDOS/BOWS] §6.4 (3.2M insertions, 40K threads, 1024 buckets).
constexpr std::array<Shape, 3> kShapes{
    {{400, 32, 3, 128}, {12'000, 1024, 30, 256}, {3'276'800, 1024, 160, 256}}};
// One lock: a turn takes as long whatever the size is. Paper: HT-H of [WarpTM] Tab 6.2.
constexpr std::array<Shape, 3> kCoarseShapes{
    {{100, 32, 2, 64}, {1'200, 256, 10, 128}, {23'040, 8192, 120, 192}}};

Verdict run(const char* kernel, host::Device& device, const Options& options, const char* stem = "hashtable",
            const std::array<Shape, 3>& shapes = kShapes) {
  Shape s = pick(options.size, shapes[0], shapes[1], shapes[2]);
  s = {chosen(options, "keys", s.keys), chosen(options, "buckets", s.buckets),
       chosen(options, "ctas", s.ctas), chosen(options, "threads", s.threads)};
  Random random(options.seed);
  const auto module = device.load_ptx_file(module_path(stem, options));
  const Table table(s, random, device);
  device.launch(module, kernel, grid(s.ctas, s.threads), table.args());
  return table.check(device);
}

std::vector<Parameter> parameters() {
  return {{"keys", "insertions", 1, 1u << 26},
          {"buckets", "of the table, each with a lock", 2, 1u << 24, true},
          {"ctas", "of the grid", 1, 1u << 20},
          {"threads", "of a CTA", 1, 1024}};
}

/// One launch, with a separate table, for each delay factor.
Verdict run_backoff(host::Device& device, const Options& options) {
  // Paper: the factors of Fig 6.2.
  const Shape s =
      pick(options.size, Shape{200, 32, 2, 64}, Shape{4'000, 256, 15, 256}, Shape{327'680, 1024, 160, 256});
  const std::vector<std::uint32_t> factors =
      pick<std::vector<std::uint32_t>>(options.size, {0, 50}, {0, 100, 1000}, {0, 50, 100, 500, 1000});
  Random random(options.seed);
  const auto module = device.load_ptx_file(module_path("hashtable", options));
  Verdict all{true, ""};
  for (const std::uint32_t factor : factors) {
    const Table table(s, random, device);
    device.launch(module, "hash_insert_backoff", grid(s.ctas, s.threads), table.args().add(factor));
    const Verdict verdict = table.check(device);
    if (!verdict.passed) return {false, fmt::format("delay factor {}: {}", factor, verdict.summary)};
    all.summary += fmt::format("{}factor {}: {}", all.summary.empty() ? "" : "; ", factor, verdict.summary);
  }
  return all;
}

}  // namespace

Workload hashtable() {
  return {.name = "hashtable",
          .description = "insertion into a chained hash table, one lock per bucket, SIMT-safe lock loop",
          .stresses = "fine-grained locks: retries within and between warps, atomics, fences, uncached loads",
          .source = "hashtable.cu",
          .racy = true,
          .needs_simt_progress = false,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("hash_insert", d, o); }};
}

Workload hashtable_coarse() {
  return {.name = "hashtable-coarse",
          .description = "insertion into a chained hash table under one lock, SIMT-safe lock loop",
          .stresses = "one lock that all threads want",
          .source = "hashtable.cu",
          .racy = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) {
            return run("hash_insert_coarse", d, o, "hashtable", kCoarseShapes);
          }};
}

Workload hashtable_mimd() {
  return {.name = "hashtable-mimd",
          .description = "insertion into a chained hash table under spin locks in MIMD form",
          .stresses = "forward progress of diverged lanes",
          .source = "hashtable.cu",
          .racy = true,
          .needs_simt_progress = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("hash_insert_mimd", d, o); }};
}

Workload hashtable_serial() {
  return {.name = "hashtable-serial",
          .description = "insertion into a chained hash table, the lanes of a warp one after the other",
          .stresses = "a loop over lanes around a spin lock: one lane active, 31 turns",
          .source = "hashtable.cu",
          .racy = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("hash_insert_serial", d, o); }};
}

Workload hashtable_tx() {
  return {
      .name = "hashtable-tx",
      .description = "insertion into a chained hash table, each insertion a transaction",
      .stresses = "transactions: write logs, conflicts on the heads of chains",
      .source = "hashtable_tx.cu",
      .racy = true,
      .needs_transactions = true,
      .parameters = parameters(),
      .run = [](host::Device& d, const Options& o) { return run("hash_insert_tx", d, o, "hashtable_tx"); }};
}

Workload hashtable_backoff() {
  return {.name = "hashtable-backoff",
          .description = "the hash table with a back-off in software, by the clock; a launch a factor",
          .stresses = "delay loops that hold back their own warp's winners",
          .source = "hashtable.cu",
          .racy = true,
          .run = run_backoff};
}

}  // namespace heddle::workloads::hashtable
