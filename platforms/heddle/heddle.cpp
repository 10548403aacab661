#include "heddle/heddle.h"

#include <systemc>

#include "gpu/platform_files.h"
#include "oracle/oracle.h"

// libsystemc contains a main() that calls sc_main(), so one must be defined. A host program has its own
// main(), and this is never called; a program that uses SystemC's main() overrides it.
// NOLINTNEXTLINE(misc-definitions-in-headers,readability-identifier-naming)
__attribute__((weak)) int sc_main(int /*argc*/, char** /*argv*/) { return 1; }

namespace heddle {

std::unique_ptr<GpuDevice> open_gpu(const std::string& platform, const std::vector<std::string>& settings,
                                    RunOptions options) {
  using sc_core::sc_report_handler;
  sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  return std::make_unique<GpuDevice>(gpu::load_platform(platform, settings), std::move(options));
}

std::unique_ptr<Device> open_oracle() { return std::make_unique<oracle::OracleDevice>(); }

void set_package_platforms(const std::string& folder) { gpu::use_platform_folder(folder); }

}  // namespace heddle
