// Traces of the threads of a program on this machine (x86-64 Linux), by single-stepping ([Resync] §4.2). Threads take
// turns (thread_stepper.h), so that two recordings of a program are the same.
//
// Of each thread the instructions between entry of and return from a worker function are recorded. What is inside of
// pthread_mutex_lock .. pthread_mutex_unlock, pthread_barrier_wait and pthread_cond_wait is cut out with the calls; the
// instruction behind a barrier carries its flag. The program must be statically linked without position independence, so
// that the symbols say where these functions are.
//
// A program compiled with -finstrument-functions has the function marks of the thesis' compiler pass: calls to empty functions
// behind the prologue and before the epilogue of what is compiled, not of libraries. They are not recorded; the instructions
// behind them carry the flags. Without them calls and returns do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace heddle::native {

struct NativeOptions {
  std::string worker = "resync_worker";           ///< symbol of the function that threads execute
  unsigned threads = 64;                          ///< to record, in the order in which they enter it
  std::uint64_t most_records = 0;                 ///< per thread; a thread's trace ends there. 0: all
  std::function<void(std::uint64_t)> progress{};  ///< called now and then with the records so far
};

struct NativeTraces {
  unsigned threads = 0;
  std::uint64_t records = 0;
  std::uint64_t cut = 0;  ///< instructions in critical sections, barriers and waits
  int status = 0;         ///< exit status of the program
};

/// Runs `command` and writes a file per thread to `folder`. Throws base::InputError if the program cannot be run or has no
/// such symbols, or ends by a signal.
NativeTraces trace_native(const std::vector<std::string>& command, const std::filesystem::path& folder,
                          const NativeOptions& options);

}  // namespace heddle::native
