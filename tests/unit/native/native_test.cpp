// The tracer of native threads, and the decoder that it uses.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/error.h"
#include "native/elf_symbols.h"
#include "native/instruction_decoder.h"
#include "native/tracer.h"
#include "resync/policy_names.h"
#include "resync/record_format.h"
#include "resync/replay.h"

namespace heddle::native::test {
namespace {

namespace fs = std::filesystem;
using R = TraceRecord;
using namespace resync;

X86Instruction decoded(std::initializer_list<int> bytes) {
  std::vector<std::uint8_t> code;
  for (const int byte : bytes) code.push_back(static_cast<std::uint8_t>(byte));
  InstructionDecoder decoder;
  const X86Instruction* const result = decoder.decode(0x1000, code.data(), code.size());
  EXPECT_NE(result, nullptr);
  return result == nullptr ? X86Instruction{} : *result;
}

TEST(InstructionDecoder, ControlFlow) {
  EXPECT_EQ(decoded({0x74, 0x10}).control, R::kBranch | R::kDirectBranch | R::kFallThrough);  // je
  EXPECT_TRUE(decoded({0x74, 0x10}).flags);
  EXPECT_EQ(decoded({0xeb, 0x10}).control, R::kBranch | R::kDirectBranch);  // jmp
  EXPECT_EQ(decoded({0xff, 0xe0}).control, R::kBranch);                     // jmp rax
  EXPECT_EQ(decoded({0xe8, 0, 0, 0, 0}).control, R::kCall | R::kDirectCall | R::kProcedureCall);
  EXPECT_EQ(decoded({0xff, 0xd0}).control, R::kCall | R::kProcedureCall);  // call rax
  EXPECT_EQ(decoded({0xc3}).control, R::kReturn);
  EXPECT_EQ(decoded({0x90}).control, R::kFallThrough);
}

TEST(InstructionDecoder, RegistersAndMemory) {
  const X86Instruction load = decoded({0x48, 0x8b, 0x44, 0xb3, 0x08});  // mov rax, [rbx + rsi * 4 + 8]
  EXPECT_EQ(load.general, (std::vector<std::uint8_t>{3, 6}));
  ASSERT_EQ(load.memory.size(), 1u);
  EXPECT_EQ(load.memory[0].base, 3);
  EXPECT_EQ(load.memory[0].index, 6);
  EXPECT_EQ(load.memory[0].scale, 4);
  EXPECT_EQ(load.memory[0].displacement, 8);
  EXPECT_EQ(decoded({0x48, 0x01, 0x03}).memory.size(), 2u);             // add [rbx], rax: read and written
  EXPECT_TRUE(decoded({0x48, 0x8d, 0x44, 0xb3, 0x08}).memory.empty());  // lea
  const X86Instruction push = decoded({0x53});                          // push rbx
  ASSERT_EQ(push.memory.size(), 1u);
  EXPECT_EQ(push.memory[0].displacement, -8);
  EXPECT_EQ(decoded({0xf2, 0x0f, 0x58, 0xc1}).vector, (std::vector<std::uint8_t>{0, 1}));  // addsd xmm0, xmm1
}

class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(fs::temp_directory_path() / (name + std::to_string(::getpid()))) {}
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<std::vector<R>> records_of(const fs::path& folder) {
  RecordTraces traces(trace_sets(folder).at(0));
  std::vector<std::vector<R>> all(traces.threads());
  for (unsigned t = 0; t < traces.threads(); ++t)
    for (R record; traces.read(t, {&record, 1}) == 1;) all[t].push_back(record);
  return all;
}

TEST(NativeTracer, ThreadsOfAKernel) {
  const Folder folder("native_04_");
  const NativeTraces result = trace_native({NATIVE_KERNELS, "04", "4"}, folder.path(), {});
  EXPECT_EQ(result.threads, 4u);
  EXPECT_EQ(result.status, 0);
  const auto symbols = function_symbols(NATIVE_KERNELS);
  const auto all = records_of(folder.path());
  ASSERT_EQ(all.size(), 4u);
  for (const auto& trace : all) {
    ASSERT_GT(trace.size(), 100u);
    EXPECT_EQ(trace.front().pc, symbols.at("resync_worker"));
    EXPECT_EQ(trace.front().depth, 0u);
    EXPECT_TRUE(trace.back().is(R::kReturn));
    EXPECT_EQ(trace.back().depth, 0u);
    std::int64_t level = 0;
    for (const R& record : trace) {
      EXPECT_GE(level, 0);
      level += record.is(R::kCall) ? 1 : record.is(R::kReturn) ? -1 : 0;
    }
    EXPECT_EQ(level, -1);  // the worker has returned
  }
  // Both arms call the big function; on a deeper stack its instructions are the same ones.
  RecordTraces traces(trace_sets(folder.path()).at(0));
  const auto policy = make_policy("Long(4)");
  Replay replay(traces, *policy);
  EXPECT_GT(replay.run().dlp(), 2);
}

// [Resync] §4.2: calls of empty functions, not recorded; libraries have none.
TEST(NativeTracer, FunctionMarksOfTheCompiler) {
  const auto symbols = function_symbols(NATIVE_KERNELS_MARKED);
  // Kernel 13: threads of odd numbers call the big function. Kernel blacks: functions that call the library's.
  for (const char* kernel : {"13", "blacks"}) {
    SCOPED_TRACE(kernel);
    const Folder folder(std::string("native_marks_") + kernel);
    (void)trace_native({NATIVE_KERNELS_MARKED, kernel, "2"}, folder.path(), {});
    const auto all = records_of(folder.path());
    ASSERT_EQ(all.size(), 2u);
    unsigned most = 0, sum = 0;
    for (unsigned t = 0; t < 2; ++t) {
      unsigned entered = 0, left = 0, calls = 0;
      for (const R& record : all[t]) {
        EXPECT_NE(record.pc, symbols.at("__cyg_profile_func_enter"));
        EXPECT_NE(record.pc, symbols.at("__cyg_profile_func_exit"));
        entered += record.has(R::kFunctionCall) ? 1 : 0;
        left += record.has(R::kFunctionReturn) ? 1 : 0;
        calls += record.is(R::kCall) ? 1 : 0;
        EXPECT_GE(entered, left);
      }
      EXPECT_EQ(entered, left);
      if (kernel == std::string("13")) {
        EXPECT_EQ(calls, entered - 1) << "calls of marks are not recorded";
        most = std::max(most, entered);
        sum += entered;
      } else {
        EXPECT_GT(calls, entered) << "of the library";
      }
    }
    if (kernel == std::string("13")) {
      EXPECT_EQ(most, 3u) << "the worker, the kernel, the big function";
      EXPECT_EQ(sum, 5u);
    }
  }
}

// A thread in a function behind the program's code is left behind by MinPC for good: n - 1 threads run to the end, then the
// other one does, so DLP comes to n / 2. On a deeper stack it goes first, and DLP to n.
TEST(NativeTracer, OneThreadInALibraryIsLeftBehindByMinPc) {
  constexpr unsigned kThreads = 16;
  const Folder folder("native_25_");
  (void)trace_native({NATIVE_KERNELS, "25", std::to_string(kThreads)}, folder.path(), {});
  RecordTraces traces(trace_sets(folder.path()).at(0));
  const auto dlp = [&](const char* name) {
    const auto policy = make_policy(name);
    traces.rewind();
    return Replay(traces, *policy).run().dlp();
  };
  EXPECT_LE(dlp("MinPC"), kThreads / 2.0 + 0.1);
  EXPECT_GT(dlp("MinPC"), kThreads / 2.0 - 0.5);
  for (const char* policy : {"MinSP_MinPC", "MaxFunMinPC1", "MaxFunMinPC3"})
    EXPECT_GT(dlp(policy), kThreads - 0.5) << policy;
}

TEST(NativeTracer, CriticalSectionsAreCutAndBarriersFlagged) {
  const Folder folder("native_fluid_");
  const NativeTraces result = trace_native({NATIVE_KERNELS, "fluid", "4"}, folder.path(), {});
  EXPECT_GT(result.cut, 0u);
  const auto symbols = function_symbols(NATIVE_KERNELS);
  for (const auto& trace : records_of(folder.path())) {
    unsigned barriers = 0;
    std::int64_t level = 0;
    for (const R& record : trace) {
      barriers += record.has(R::kAfterBarrier) ? 1 : 0;
      EXPECT_NE(record.pc, symbols.at("pthread_mutex_lock"));
      EXPECT_NE(record.pc, symbols.at("pthread_mutex_unlock"));
      EXPECT_NE(record.pc, symbols.at("pthread_barrier_wait"));
      level += record.is(R::kCall) ? 1 : record.is(R::kReturn) ? -1 : 0;
    }
    EXPECT_EQ(barriers, 1u);
    EXPECT_EQ(level, -1);
  }
}

std::string bytes_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    all += file.filename().string();
    all.append(std::istreambuf_iterator<char>(stream), {});
  }
  return all;
}

/// Threads of a program that is being recorded do not run beside each other, but others' do: some to disturb.
class Disturbance {
 public:
  Disturbance() {
    for (auto& thread : threads_)
      thread = std::thread([this] {
        for (unsigned i = 0; !over_; ++i)
          if (i % 1000 == 0) std::this_thread::yield();
      });
  }
  ~Disturbance() {
    over_ = true;
    for (auto& thread : threads_) thread.join();
  }
  Disturbance(const Disturbance&) = delete;
  Disturbance& operator=(const Disturbance&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::array<std::thread, 3> threads_;
};

// A queue of work, barriers of mutexes, clocks, threads that wait in turn: the same files, byte for byte.
TEST(NativeTracer, TwoRecordingsAreTheSame) {
  const std::vector<std::vector<std::string>> commands = {
      {NATIVE_PROGRAMS, "queue", "7"}, {NATIVE_PROGRAMS, "clocks", "5"}, {NATIVE_PROGRAMS, "again", "3"},
      {NATIVE_KERNELS, "tach", "4"},   {NATIVE_KERNELS, "barn", "4"},
  };
  for (const auto& command : commands) {
    SCOPED_TRACE(command[1]);
    const Folder quiet("native_quiet_"), disturbed("native_disturbed_");
    const NativeTraces first = trace_native(command, quiet.path(), {});
    const Disturbance disturbance;
    const NativeTraces second = trace_native(command, disturbed.path(), {});
    EXPECT_EQ(first.records, second.records);
    EXPECT_EQ(first.cut, second.cut);
    EXPECT_GT(first.records, 0u);
    EXPECT_TRUE(bytes_of(quiet.path()) == bytes_of(disturbed.path()));
  }
}

// Threads that are started together share a queue evenly: nobody takes items while the others are being made.
TEST(NativeTracer, ThreadsBeginTogether) {
  const Folder folder("native_together_");
  (void)trace_native({NATIVE_PROGRAMS, "queue", "4"}, folder.path(), {});
  const auto all = records_of(folder.path());
  ASSERT_EQ(all.size(), 4u);
  std::size_t least = SIZE_MAX, most = 0;
  for (const auto& trace : all) {
    least = std::min(least, trace.size());
    most = std::max(most, trace.size());
  }
  EXPECT_LT(most, 2 * least);
}

TEST(NativeTracer, EndsOfProgramsAndThreads) {
  const Folder folder("native_ends_");
  const auto traced = [&](const char* name) {
    return trace_native({NATIVE_PROGRAMS, name, "3"}, folder.path(), {});
  };
  EXPECT_EQ(traced("plain").threads, 3u);
  EXPECT_EQ(traced("leader").threads, 3u) << "the first thread ends before the others";
  EXPECT_EQ(traced("again").threads, 5u) << "of these the first thread itself, beside one that was born late";
  EXPECT_EQ(traced("signal").status, 3);
  EXPECT_EQ(traced("sleep").threads, 3u);
  EXPECT_EQ(traced("exit").status, 7) << "while others are in the worker";
  EXPECT_THROW(traced("abort"), base::InputError);
  NativeOptions options;
  options.most_records = 5;
  EXPECT_EQ(trace_native({NATIVE_PROGRAMS, "queue", "3"}, folder.path(), options).records, 15u);
}

TEST(NativeTracer, ThreadsThatWaitForEachOtherForEver) {
  const Folder folder("native_deadlock_");
  try {
    (void)trace_native({NATIVE_PROGRAMS, "deadlock", "2"}, folder.path(), {});
    FAIL() << "it hangs";
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("wait for each other"), std::string::npos) << error.what();
  }
}

TEST(NativeTracer, ProgramsThatCannotBeTraced) {
  const Folder folder("native_bad_");
  EXPECT_THROW(trace_native({}, folder.path(), {}), base::InputError);
  EXPECT_THROW(trace_native({"/nowhere/program"}, folder.path(), {}), base::InputError);
  EXPECT_THROW(trace_native({"/proc/self/exe"}, folder.path(), {}),
               base::InputError);  // position independent
  NativeOptions options;
  options.worker = "no_such_function";
  EXPECT_THROW(trace_native({NATIVE_KERNELS, "04"}, folder.path(), options), base::InputError);
  fs::create_directories(folder.path());
  const std::string text = (folder.path() / "text").string();
  std::ofstream(text) << "not a program";
  EXPECT_THROW((void)function_symbols(text), base::InputError);
  // A program cut short anywhere is refused, never read beyond its end.
  std::ifstream stream(NATIVE_KERNELS, std::ios::binary);
  std::string head(70000, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  for (const std::size_t length : {5u, 63u, 64u, 4096u, 70000u}) {
    std::ofstream(text, std::ios::binary) << head.substr(0, length);
    EXPECT_THROW((void)function_symbols(text), base::InputError) << length;
  }
}

}  // namespace
}  // namespace heddle::native::test
