#include "cli/errors.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <stdexcept>
#include <systemc>

#include "sim/config.h"

namespace heddle::cli {
namespace {

int fail(const std::string& message, sim::ExitCode code) {
  std::fflush(stdout);
  fmt::print(stderr, "heddle: error: {}\n", message);
  return static_cast<int>(code);
}

int internal(const std::string& what) {
  return fail(
      "internal: " + what + "\n  this is a bug in Heddle; please report it with the command that led here",
      sim::ExitCode::kInternal);
}

}  // namespace

int report_errors(const std::function<sim::ExitCode()>& body) {
  try {
    const auto code = body();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      return fail("standard output: not all could be written\n  check free space, or where it is sent to",
                  sim::ExitCode::kBadInput);
    return static_cast<int>(code);
  } catch (const sim::Error& e) {
    return fail(e.what(), e.code());
  } catch (const sc_core::sc_report& e) {
    return internal(fmt::format("SystemC: {}: {}", e.get_msg_type(), e.get_msg()));
  } catch (const std::bad_alloc&) {
    return fail("out of memory\n  use a smaller input or fewer cores", sim::ExitCode::kBadInput);
  } catch (const std::exception& e) {
    return internal(e.what());
  }
}

sim::InputError unknown_name(const std::string& place, const std::string& kind, const std::string& word,
                             const std::vector<std::string>& candidates) {
  const auto near = sim::nearest_name(word, candidates);
  return {place,
          fmt::format("there is no {} '{}'{}", kind, word,
                      near ? fmt::format("; did you mean '{}'?", *near) : ""),
          fmt::format("{}s: {}", kind, fmt::join(candidates, ", "))};
}

}  // namespace heddle::cli
