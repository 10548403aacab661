// Configuration: the YAML reader, assignments, and a whole GPU's keys with their checks. A text that is
// accepted is written out and must be read back as the same.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "gpu/gpu_config.h"
#include "target.h"

namespace gpu = heddle::gpu;
namespace sim = heddle::sim;

namespace {

/// What is written must be accepted as well, and be the same.
void reads_back(const gpu::GpuConfig& config) {
  const std::string written = heddle::base::write_config(config);
  gpu::GpuConfig again;
  try {
    heddle::base::ConfigSource source;
    source.add_text(written, "written.yaml");
    heddle::base::load_config(source, again);
  } catch (const heddle::base::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::abort();
  }
  if (heddle::base::write_config(again) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // Files are not the subject: what an include names could be anything on this machine.
  if (text.find("include") != std::string::npos) return 0;
  try {
    heddle::base::ConfigSource source;
    source.add_text(text, "fuzz.yaml");
    gpu::GpuConfig config;
    heddle::base::load_config(source, config);
    reads_back(config);
  } catch (const heddle::base::InputError&) {
  }
  try {
    heddle::base::ConfigSource source;
    source.add_assignment(text);
    gpu::GpuConfig config;
    heddle::base::load_config(source, config);
  } catch (const heddle::base::InputError&) {
  }
  return 0;
}
