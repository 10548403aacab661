// Configuration: the YAML reader, assignments, and a whole GPU's keys with their checks. A text that is
// accepted is written out and must be read back as the same.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "gpu/gpu_config.h"
#include "sim/error.h"
#include "target.h"

namespace gpu = heddle::gpu;
namespace sim = heddle::sim;

namespace {

/// What is written must be accepted as well, and be the same.
void reads_back(const gpu::GpuConfig& config) {
  const std::string written = sim::write_config(config);
  gpu::GpuConfig again;
  try {
    sim::ConfigSource source;
    source.add_text(written, "written.yaml");
    sim::load_config(source, again);
  } catch (const sim::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::abort();
  }
  if (sim::write_config(again) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // Files are not the subject: what an include names could be anything on this machine.
  if (text.find("include") != std::string::npos) return 0;
  try {
    sim::ConfigSource source;
    source.add_text(text, "fuzz.yaml");
    gpu::GpuConfig config;
    sim::load_config(source, config);
    reads_back(config);
  } catch (const sim::InputError&) {
  }
  try {
    sim::ConfigSource source;
    source.add_assignment(text);
    gpu::GpuConfig config;
    sim::load_config(source, config);
  } catch (const sim::InputError&) {
  }
  return 0;
}
