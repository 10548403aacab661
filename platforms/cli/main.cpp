// The heddle command. libsystemc provides main(), which calls sc_main().
#include <cstdlib>
#include <systemc>

#include "base/host_heap.h"
#include "cli/command_line.h"
#include "cli/installed_data.h"

namespace {

// SystemC prints its banner before sc_main() unless this is set by then.
const int kNoBanner = ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);

}  // namespace

int sc_main(int argc, char** argv) {
  (void)kNoBanner;
  heddle::base::use_huge_pages();
  heddle::cli::use_installed_data();
  using sc_core::sc_report_handler;
  sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  return heddle::cli::run_command_line(argc, argv);
}
