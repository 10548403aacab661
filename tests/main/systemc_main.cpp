// Runs GoogleTest from sc_main, each test in its own process, since SystemC elaborates once per process; SC_ERROR and SC_FATAL
// reports throw, so they fail the test that caused them.
#include <systemc>

#include "base/host_heap.h"
#include "main/run_tests.h"

int sc_main(int argc, char** argv) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  return heddle::tests::run_tests(argc, argv, heddle::base::use_huge_pages);
}
