#include <set>
#include <string>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::keyvalue {

namespace {

struct Shape {
  std::uint32_t items, buckets, requests, longest_key, longest_value, threads;  // buckets: a power of two
};

struct Item {  // KeyValueItem in keyvalue.cu
  std::uint32_t hash;
  std::int32_t next, key, key_bytes, value, value_words;
};

struct Request {  // KeyValueRequest
  std::int32_t key, key_bytes;
};

std::uint32_t fnv1a(const std::string& key) {
  std::uint32_t hash = 2166136261u;
  for (const char c : key) hash = (hash ^ static_cast<std::uint8_t>(c)) * 16777619u;
  return hash;
}

/// Keys with a common prefix, so that comparisons go beyond the first letters; most short, few long.
std::string random_key(Random& random, std::uint32_t longest) {
  std::string key = "user:";
  const std::uint32_t bytes = 1 + random.below(1 + random.below(longest - 5));
  while (key.size() < 5 + bytes) key += static_cast<char>('a' + random.below(4));
  return key;
}

/// Appends and returns the position.
template <class T, class Range>
std::int32_t append(std::vector<T>& pool, const Range& what) {
  const auto at = static_cast<std::int32_t>(pool.size());
  for (const auto& part : what) pool.push_back(static_cast<T>(part));
  return at;
}

struct Store {
  std::vector<std::string> keys;
  std::vector<std::vector<std::uint32_t>> values;
  std::vector<Item> items;
  std::vector<std::int32_t> heads;
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint32_t> words;

  Store(Random& random, const Shape& s) : heads(s.buckets, 0) {
    std::set<std::string> taken;
    while (keys.size() < s.items) {
      const std::string key = random_key(random, s.longest_key);
      if (!taken.insert(key).second) continue;
      std::vector<std::uint32_t> value(1 + random.below(s.longest_value));
      for (std::uint32_t& word : value) word = random.below(0xffff'ffff);
      std::int32_t& head = heads[fnv1a(key) % s.buckets];
      items.push_back({fnv1a(key), head, append(bytes, key), static_cast<std::int32_t>(key.size()),
                       append(words, value), static_cast<std::int32_t>(value.size())});
      keys.push_back(key);
      values.push_back(std::move(value));
      head = static_cast<std::int32_t>(items.size());
    }
  }
};

Verdict run(host::Device& device, const Options& options) {
  // Paper: MEMC of [MultiPath] Tab 7.2 has 128 threads a CTA.
  const Shape s = pick(options.size, Shape{200, 64, 300, 20, 6, 64}, Shape{8'000, 2'048, 12'000, 40, 16, 128},
                       Shape{262'144, 65'536, 524'288, 64, 32, 128});
  Random random(options.seed);
  const Store store(random, s);
  std::vector<std::uint8_t> queries;
  std::vector<Request> requests(s.requests);
  std::vector<std::int32_t> found(s.requests, 0);
  std::vector<std::uint32_t> replies(std::size_t{s.requests} * s.longest_value, 0);
  for (std::size_t t = 0; t < requests.size(); ++t) {
    const std::uint32_t wanted = random.below(s.items);
    const bool miss = random.below(5) == 0;
    // A missing key with the same beginning: its last letter is not in the alphabet.
    const std::string key = miss ? store.keys[wanted] + "z" : store.keys[wanted];
    requests[t] = {append(queries, key), static_cast<std::int32_t>(key.size())};
    if (miss) continue;
    found[t] = static_cast<std::int32_t>(wanted) + 1;
    std::copy(store.values[wanted].begin(), store.values[wanted].end(),
              replies.begin() + static_cast<std::ptrdiff_t>(t * s.longest_value));
  }

  const auto module = device.load_ptx_file(module_path("keyvalue", options));
  const auto requests_d = device.upload(requests, "requests"), queries_d = device.upload(queries, "queries"),
             items_d = device.upload(store.items, "items"), heads_d = device.upload(store.heads, "heads"),
             bytes_d = device.upload(store.bytes, "bytes"), words_d = device.upload(store.words, "words");
  const auto found_d = device.allocate(found.size() * sizeof(std::int32_t), "found");
  const auto replies_d = device.allocate(replies.size() * sizeof(std::uint32_t), "replies");
  device.launch(module, "kv_get", cover(s.requests, s.threads),
                host::Args()
                    .add(requests_d)
                    .add(s.requests)
                    .add(queries_d)
                    .add(items_d)
                    .add(heads_d)
                    .add(s.buckets - 1)
                    .add(bytes_d)
                    .add(words_d)
                    .add(s.longest_value)
                    .add(found_d)
                    .add(replies_d));
  return combine({compare("found", device.download<std::int32_t>(found_d, found.size()), found),
                  compare("replies", device.download<std::uint32_t>(replies_d, replies.size()), replies)});
}

}  // namespace

Workload keyvalue() {
  return {.name = "keyvalue",
          .description = "batched look-up in a key-value store with keys of varying length (MEMC)",
          .stresses = "byte loads, chains and key comparisons of uneven length, scattered copies",
          .source = "keyvalue.cu",
          .run = run};
}

}  // namespace heddle::workloads::keyvalue
