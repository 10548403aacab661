// libFuzzer brings main(); libsystemc wants an sc_main() to exist.
#include <systemc>

int sc_main(int /*argc*/, char** /*argv*/) { return 1; }
