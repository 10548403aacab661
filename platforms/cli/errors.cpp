#include "cli/errors.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <new>
#include <stdexcept>
#include <system_error>
#include <systemc>

#include "base/config.h"

namespace heddle::cli {
namespace {

int fail(const std::string& message, base::ExitCode code) {
  std::fflush(stdout);
  fmt::print(stderr, "heddle: error: {}\n", message);
  return static_cast<int>(code);
}

int internal(const std::string& what) {
  return fail(
      "internal: " + what + "\n  this is a bug in Heddle; please report it with the command that led here",
      base::ExitCode::kInternal);
}

/// The reader of a pipe has exited (heddle list | head): not an error, but the exit code that a shell reports
/// for it.
int output_lost() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  if (::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0)
    return static_cast<int>(base::ExitCode::kOutputClosed);
  return fail("standard output: not all could be written\n  check free space, or where it is sent to",
              base::ExitCode::kBadInput);
}

}  // namespace

int report_errors(const std::function<base::ExitCode()>& body) {
  try {
    const auto code = body();
    std::cout.flush();  // output of CLI11: help and version
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) return output_lost();
    return static_cast<int>(code);
  } catch (const base::Error& e) {
    return fail(e.what(), e.code());
  } catch (const sc_core::sc_report& e) {
    return internal(fmt::format("SystemC: {}: {}", e.get_msg_type(), e.get_msg()));
  } catch (const std::bad_alloc&) {
    return fail("out of memory\n  use a smaller input or fewer cores", base::ExitCode::kBadInput);
  } catch (const std::system_error& e) {
    if (std::ferror(stdout) != 0) return output_lost();  // output of fmt::print
    return internal(e.what());
  } catch (const std::exception& e) {
    return internal(e.what());
  }
}

base::InputError unknown_name(const std::string& place, const std::string& kind, const std::string& word,
                              const std::vector<std::string>& candidates) {
  const auto near = base::nearest_name(word, candidates);
  return {place,
          fmt::format("there is no {} '{}'{}", kind, word,
                      near ? fmt::format("; did you mean '{}'?", *near) : ""),
          fmt::format("{}s: {}", kind, fmt::join(candidates, ", "))};
}

}  // namespace heddle::cli
