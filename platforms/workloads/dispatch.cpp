#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::dispatch {

namespace {

struct Shape {
  std::uint32_t programs, length;
};

std::uint32_t euclid(std::uint32_t value, std::uint32_t operand) {
  return operand == 0 ? value : (euclid(operand, value % operand) * 3) ^ value;
}

std::uint32_t perform(std::uint32_t value, std::uint32_t operation) {
  const std::uint32_t operand = operation >> 2;
  switch (operation & 3) {
    case 0:
      return value + operand;
    case 1:
      return (value ^ operand) * 2654435761u;
    case 2: {
      std::uint32_t steps = 0;
      for (; value > operand; value >>= 1) ++steps;
      return value + steps;
    }
    default:
      return euclid(value, operand);
  }
}

Verdict run(host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{150, 6}, Shape{6'000, 16}, Shape{100'000, 64});
  Random random(options.seed);
  std::vector<std::uint32_t> code(std::size_t{s.programs} * s.length), value(s.programs);
  for (std::uint32_t& operation : code) operation = random.below(0xffff'ffff);
  for (std::uint32_t& v : value) v = random.below(0xffff'ffff);
  const auto module = device.load_ptx_file(module_path("dispatch", options));
  const auto code_d = device.upload(code, "code"), value_d = device.upload(value, "value");
  device.launch(module, "dispatch_run", cover(s.programs, 64),
                host::Args().add(code_d).add(s.programs).add(s.length).add(value_d));
  for (std::size_t i = 0; i < s.programs; ++i)
    for (std::size_t k = 0; k < s.length; ++k) value[i] = perform(value[i], code[i * s.length + k]);
  return compare("value", device.download<std::uint32_t>(value_d, s.programs), value);
}

}  // namespace

Workload dispatch() {
  return {.name = "dispatch",
          .description = "an interpreter: each thread's operations are functions called through a table",
          .stresses = "divergent indirect calls, recursion, function pointers in memory",
          .source = "dispatch.cu",
          .run = run};
}

}  // namespace heddle::workloads::dispatch
