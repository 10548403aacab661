// What main() of a test program with SystemC calls.
#pragma once

namespace heddle::tests {

/// Runs the tests that --gtest_filter chooses in this process, or with --each=SECONDS every one in a child of its own, which may
/// take as long: what a program pays when it starts (its libraries, the registration of its tests) is paid once. Of these
/// only what fails prints more than a line. `prepare` is called in the process that runs a test, before it.
/// Returns the exit code: 0 all passed, 1 one did not or none was chosen; with --each 77 if all were skipped.
int run_tests(int argc, char** argv, void (*prepare)() = nullptr);

}  // namespace heddle::tests
