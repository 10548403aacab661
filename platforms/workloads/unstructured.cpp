#include "workloads/parameters.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::unstructured {

namespace {

struct Shape {
  std::uint32_t walks, limit, ctas, threads;
};

std::uint32_t mix(std::uint32_t x, std::uint32_t by) {
  x = (x ^ by) * 2654435761u;
  x ^= x >> 15;
  x = (x + by) * 2246822519u;
  return x ^ x >> 13;
}

std::uint32_t walk(std::uint32_t x, std::uint32_t limit) {
  std::uint32_t sum = 0, steps = 0;
  for (;;) {
    x = mix(x, 0x9e3779b9u);
    ++steps;
    if (x % 8 == 0) {
      for (const std::uint32_t shift : {0u, 7u, 14u}) sum = mix(sum, x >> shift);
      break;
    }
    sum += mix(x, sum);
    if (steps >= limit || sum % 32 == 0) break;
  }
  return mix(sum, steps);
}

/// Left from within a branch of its body.
std::uint32_t search(std::uint32_t x, std::uint32_t limit) {
  std::uint32_t sum = 0, steps = 0;
  do {
    x = mix(x, 0x9e3779b9u);
    ++steps;
    if (x % 2 == 0) {
      sum = mix(sum, x);
      if (x % 64 == 0) break;
    }
    sum += mix(x, sum);
    for (const std::uint32_t shift : {7u, 14u}) sum = mix(sum, x >> shift);
  } while (steps < limit);
  return mix(sum, steps);
}

Verdict run(host::Device& device, const Options& options) {
  Shape s =
      pick(options.size, Shape{500, 40, 2, 96}, Shape{30'000, 60, 30, 256}, Shape{4'194'304, 60, 240, 256});
  const bool inner = chosen(options, "inner", 0) != 0;
  if (inner) s.walks /= 8;  // paths that never meet take that much longer
  Random random(options.seed);
  std::vector<std::uint32_t> in(s.walks), out(s.walks);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = random.below(0xffff'ffff);
    out[i] = inner ? search(in[i], s.limit) : walk(in[i], s.limit);
  }
  const auto module = device.load_ptx_file(module_path("unstructured", options));
  const auto in_d = device.upload(in, "in");
  const auto out_d = device.allocate(out.size() * sizeof(std::uint32_t), "out");
  device.launch(module, inner ? "unstructured_search" : "unstructured_walk", grid(s.ctas, s.threads),
                host::Args().add(in_d).add(out_d).add(s.walks).add(s.limit));
  return compare("out", device.download<std::uint32_t>(out_d, out.size()), out);
}

}  // namespace

Workload unstructured() {
  return {.name = "unstructured",
          .description = "loops left in their middle through a block of their own",
          .stresses = "lanes that reach the same block at different times, before their post-dominator",
          .source = "unstructured.cu",
          .parameters = {{"inner", "1: the loop is left from within a branch of its body", 0, 1}},
          .run = run};
}

}  // namespace heddle::workloads::unstructured
