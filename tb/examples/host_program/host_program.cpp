// saxpy on the simulated GPU: allocate, copy, load, launch, synchronise, copy back; then the same on the
// oracle.
//   host_program [PLATFORM [KEY=VALUE]...]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "heddle/heddle.h"

namespace {

constexpr std::uint32_t kN = 10'000;
constexpr float kA = 2.5f;

std::vector<float> saxpy(heddle::Device& device, const std::vector<float>& x, const std::vector<float>& y) {
  const heddle::ModuleHandle module = device.load_ptx_file(KERNELS);
  const std::uint64_t x_d = device.upload(x, "x"), y_d = device.upload(y, "y");
  const std::uint32_t block = 256;
  device.launch(module, "saxpy", {.grid = {(kN + block - 1) / block}, .block = {block}},
                heddle::Args().add(kN).add(kA).add(x_d).add(y_d));
  device.synchronize();
  std::vector<float> result = device.download<float>(y_d, kN);
  device.free(x_d);
  device.free(y_d);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto gpu =
        heddle::open_gpu(argc > 1 ? argv[1] : "gtx480", {argv + (argc > 1 ? 2 : 1), argv + argc});
    const heddle::DeviceProperties properties = gpu->properties();
    std::printf("%s: %u cores at %.0f MHz, %u threads a block\n", properties.name.c_str(),
                properties.multiprocessors, properties.clock_mhz, properties.max_threads_per_block);

    std::vector<float> x(kN), y(kN);
    for (std::uint32_t i = 0; i < kN; ++i) {
      x[i] = static_cast<float>(i);
      y[i] = 1.0f / static_cast<float>(i + 1);
    }
    const std::vector<float> result = saxpy(*gpu, x, y);
    if (result != saxpy(*heddle::open_oracle(), x, y)) {
      std::puts("the oracle computed something else");
      return EXIT_FAILURE;
    }
    for (std::uint32_t i = 0; i < kN; ++i)
      if (result[i] != std::fma(kA, x[i], y[i])) {
        std::printf("y[%u] = %g is wrong\n", i, static_cast<double>(result[i]));
        return EXIT_FAILURE;
      }
    const heddle::LaunchRecord& launch = gpu->last_launch();
    std::printf("saxpy of %u elements: right, %llu cycles, %llu warp instructions\n", kN,
                static_cast<unsigned long long>(launch.cycles),
                static_cast<unsigned long long>(launch.warp_instructions));
  } catch (const heddle::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
