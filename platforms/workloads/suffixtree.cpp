#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::suffixtree {

namespace {

struct Shape {
  std::uint32_t reference, reads, read_length, shortest, threads;
};

using Letters = std::vector<std::uint8_t>;

struct Node {  // SuffixNode in suffixtree.cu
  std::array<std::int32_t, 4> child{};
  std::int32_t begin = 0, end = 0;
};

/// Inserts suffix by suffix from the root. The reference's repeats are short, so this takes about n log n
/// steps.
std::vector<Node> build_tree(const Letters& text) {
  std::vector<Node> nodes(1);
  const auto length = static_cast<std::int32_t>(text.size());
  const auto letter = [&](std::int32_t at) { return text[static_cast<std::size_t>(at)]; };
  for (std::int32_t suffix = 0; suffix < length; ++suffix) {
    std::size_t node = 0;
    std::int32_t at = suffix;
    while (at < length) {
      const std::int32_t next = nodes[node].child[letter(at)];
      if (next == 0) {
        nodes[node].child[letter(at)] = static_cast<std::int32_t>(nodes.size());
        nodes.push_back({{}, at, length});
        break;
      }
      const auto below = static_cast<std::size_t>(next);
      std::int32_t edge = nodes[below].begin;
      while (edge < nodes[below].end && at < length && letter(edge) == letter(at)) ++edge, ++at;
      if (edge == nodes[below].end) {
        node = below;
      } else if (at < length) {  // the edge splits: a new node in its middle
        const auto middle = static_cast<std::int32_t>(nodes.size());
        Node fresh{{}, nodes[below].begin, edge};
        fresh.child[letter(edge)] = next;
        nodes[node].child[letter(fresh.begin)] = middle;
        nodes[below].begin = edge;
        nodes.push_back(fresh);
        node = static_cast<std::size_t>(middle);
      }
    }
  }
  return nodes;
}

std::string_view view(const Letters& text) {
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

/// Longest prefix of `wanted` in the text, by binary search in the sorted suffixes: independent of the tree.
class SuffixArray {
 public:
  explicit SuffixArray(const Letters& text) : text_(view(text)), order_(text.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
    std::sort(order_.begin(), order_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return text_.substr(a) < text_.substr(b); });
  }
  [[nodiscard]] std::int32_t longest(std::string_view wanted) const {
    const auto above = std::lower_bound(
        order_.begin(), order_.end(), wanted,
        [&](std::uint32_t suffix, std::string_view value) { return text_.substr(suffix) < value; });
    std::int32_t best = 0;
    if (above != order_.end()) best = common(*above, wanted);
    if (above != order_.begin()) best = std::max(best, common(*(above - 1), wanted));
    return best;
  }

 private:
  [[nodiscard]] std::int32_t common(std::uint32_t suffix, std::string_view wanted) const {
    const std::string_view here = text_.substr(suffix);
    const auto parted = std::mismatch(here.begin(), here.end(), wanted.begin(), wanted.end()).first;
    return static_cast<std::int32_t>(parted - here.begin());
  }
  std::string_view text_;
  std::vector<std::uint32_t> order_;
};

/// Parts of the reference with occasional errors.
Letters random_reads(Random& random, const Letters& reference, const Shape& s) {
  Letters reads;
  for (std::uint32_t read = 0; read < s.reads; ++read) {
    const std::uint32_t from = random.below(s.reference - s.read_length + 1);
    for (std::uint32_t i = 0; i < s.read_length; ++i)
      reads.push_back(random.below(20) == 0 ? static_cast<std::uint8_t>(random.below(4))
                                            : reference[from + i]);
  }
  return reads;
}

Verdict check_places(const Letters& reference, const Letters& reads, std::uint32_t read_length,
                     const std::vector<std::int32_t>& length, const std::vector<std::int32_t>& place) {
  for (std::size_t i = 0; i < length.size(); ++i) {
    const auto at = static_cast<std::size_t>(place[i]), matched = static_cast<std::size_t>(length[i]);
    const bool inside = i % read_length + matched <= read_length && at + matched <= reference.size();
    if (!inside || view(reference).substr(at, matched) != view(reads).substr(i, matched) ||
        (matched == 0 && at != 0))
      return {false, fmt::format("place[{}] = {}: the reference does not hold the {} letters there", i,
                                 place[i], length[i])};
  }
  return {true, fmt::format("{} places match", place.size())};
}

Verdict run(host::Device& device, const Options& options) {
  // Paper: MUM of [MultiPath] Tab 7.2 has 256 threads a CTA; reads of 25 letters.
  const Shape s = pick(options.size, Shape{500, 100, 20, 6, 32}, Shape{20'000, 4'000, 25, 10, 256},
                       Shape{1'000'000, 50'000, 25, 15, 256});
  Random random(options.seed);
  Letters reference(s.reference);
  for (std::uint8_t& letter : reference) letter = static_cast<std::uint8_t>(random.below(4));
  const Letters reads = random_reads(random, reference, s);
  const std::size_t places = reads.size();

  const auto module = device.load_ptx_file(module_path("suffixtree", options));
  const auto nodes_d = device.upload(build_tree(reference), "nodes"),
             reference_d = device.upload(reference, "reference"), reads_d = device.upload(reads, "reads");
  const auto length_d = device.allocate(places * sizeof(std::int32_t), "length"),
             place_d = device.allocate(places * sizeof(std::int32_t), "place");
  device.launch(module, "suffix_match", cover(s.reads, s.threads),
                host::Args()
                    .add(nodes_d)
                    .add(reference_d)
                    .add(reads_d)
                    .add(s.reads)
                    .add(s.read_length)
                    .add(s.shortest)
                    .add(length_d)
                    .add(place_d));

  const SuffixArray suffixes(reference);
  std::vector<std::int32_t> expected(places, 0);
  for (std::size_t i = 0; i < places; ++i) {
    const std::size_t rest = s.read_length - i % s.read_length;
    if (rest >= s.shortest) expected[i] = suffixes.longest(view(reads).substr(i, rest));
  }
  const auto length = device.download<std::int32_t>(length_d, places),
             place = device.download<std::int32_t>(place_d, places);
  Verdict lengths = compare("length", length, expected);
  if (!lengths.passed) return lengths;
  return combine({lengths, check_places(reference, reads, s.read_length, length, place)});
}

}  // namespace

Workload suffixtree() {
  return {.name = "suffixtree",
          .description = "short reads matched against a reference by a suffix tree (MUM)",
          .stresses = "pointer chasing with byte comparisons, loops nested three deep that all end unevenly",
          .source = "suffixtree.cu",
          .run = run};
}

}  // namespace heddle::workloads::suffixtree
