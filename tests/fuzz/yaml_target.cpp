// Configuration: the YAML reader, assignments, and a whole GPU's keys with their checks. A text that is
// accepted is written out and must be read back as the same.
#include <cstdlib>
#include <string>

#include "gpu/gpu_config.h"
#include "sim/error.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  const std::string text(reinterpret_cast<const char*>(data), size);
  // Files are not the subject: what an include names could be anything on this machine.
  if (text.find("include") != std::string::npos) return 0;
  try {
    sim::ConfigSource source;
    source.add_text(text, "fuzz.yaml");
    gpu::GpuConfig config;
    sim::load_config(source, config);
    const std::string written = sim::write_config(config);
    sim::ConfigSource again;
    again.add_text(written, "written.yaml");
    gpu::GpuConfig read_back;
    sim::load_config(again, read_back);
    if (sim::write_config(read_back) != written) std::abort();
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
