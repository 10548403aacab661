// Files of the published record format both ways, and marks computed from the observed control flow.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "block_program.h"
#include "random_traces.h"
#include "resync/longest_paths.h"
#include "resync/memory_trace.h"
#include "resync/observed_flow.h"
#include "resync/policy_names.h"
#include "resync/record_format.h"
#include "resync/replay.h"

namespace heddle::resync::test::traces_test {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("resync_traces_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Appendix A, byte for byte.
TEST(RecordFormat, LayoutOfOneRecord) {
  const Folder folder;
  PostDominatorMarks marks;
  marks.begin = 7;
  marks.ends = {1, 258};
  TraceRecord record;
  record.pc = 0x401122;
  record.depth = 0x30;
  record.priority = 5;
  record.marks = &marks;
  record.flags = TraceRecord::kAfterBarrier | TraceRecord::kBlockBegin | TraceRecord::kFunctionCall;
  record.control = TraceRecord::kBranch | TraceRecord::kDirectBranch | TraceRecord::kFallThrough;
  record.addresses = 1;
  record.address[0] = 0x1020;
  const std::byte registers[] = {std::byte{1}, std::byte{2}, std::byte{3}};
  RecordWriter writer(folder / "thread00.trace");
  writer.write(record, registers);
  writer.close();
  const unsigned char expected[] = {
      0x22, 0x11, 0x40, 0,    0,    0,    0,    0,     // PC
      0xd0, 0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,  // SP: (2^64 - 1024) - 0x30
      0xe9, 3,    0x43,     // barrier, block, call mark, lists, one address; registers; control
      5,    0,    0,    0,  // priority
      7,    0,    0,    0,    2,    1,    0,    0,    0, 2, 1, 0, 0,  // branch 7, ends 1 and 258
      0x20, 0x10, 0,    0,    0,    0,    0,    0,    1, 2, 3};       // address, registers
  EXPECT_EQ(bytes_of(folder / "thread00.trace"),
            std::string(reinterpret_cast<const char*>(expected), sizeof expected));
}

TEST(RecordFormat, BothWaysOnRandomTraces) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Folder folder;
    const RandomTraces random(seed,
                              {.threads = 5, .instructions = 4000, .equal_frames = false, .barriers = true});
    std::vector<fs::path> files, copies;
    for (unsigned t = 0; t < 5; ++t) {
      files.push_back(folder / trace_name(t));
      copies.push_back(folder / ("copy" + trace_name(t)));
      RecordWriter writer(files.back());
      for (const TraceRecord& record : random.traces()[t])
        writer.write(record, std::as_bytes(std::span(&record.operands, 1)));
      writer.close();
    }
    RecordTraces traces(files);
    for (unsigned t = 0; t < 5; ++t) {
      RecordWriter copy(copies[t]);
      std::size_t n = 0;
      for (TraceRecord record; traces.read(t, {&record, 1}) == 1; ++n) {
        const TraceRecord& original = random.traces()[t].at(n);
        ASSERT_EQ(record.pc, original.pc);
        ASSERT_EQ(record.depth, original.depth);
        ASSERT_EQ(record.flags, original.flags);
        ASSERT_EQ(record.control, original.control);
        ASSERT_EQ(record.priority, original.priority);
        ASSERT_EQ(record.addresses, original.addresses);
        for (unsigned i = 0; i < record.addresses; ++i) ASSERT_EQ(record.address[i], original.address[i]);
        ASSERT_EQ(record.marks == nullptr, original.marks == nullptr);
        if (record.marks != nullptr) {
          ASSERT_EQ(record.marks->ends, original.marks->ends);
        }
        copy.write(record, traces.registers());
      }
      EXPECT_EQ(n, random.traces()[t].size());
      copy.close();
      EXPECT_EQ(bytes_of(files[t]), bytes_of(copies[t]));
    }
    MemoryTraces memory(random.traces());
    EXPECT_EQ(replay(traces, "MinSP_MinPC").schedule, replay(memory, "MinSP_MinPC").schedule);
  }
}

TEST(RecordFormat, BadFilesAreRefused) {
  const Folder folder;
  EXPECT_THROW(RecordTraces({}), base::InputError);
  EXPECT_THROW(RecordTraces({folder / "none.trace"}), base::InputError);
  EXPECT_THROW(trace_sets(folder.path()), base::InputError);
  EXPECT_THROW(trace_sets(folder / "nowhere"), base::InputError);
  TraceRecord record;
  record.addresses = 2;
  RecordWriter writer(folder / "a.trace");
  writer.write(record, {});
  writer.close();
  const std::string whole = bytes_of(folder / "a.trace");
  std::array<TraceRecord, 4> read;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    std::ofstream(folder / "a.trace", std::ios::binary) << whole.substr(0, length);
    if (length == 0) {
      EXPECT_THROW(RecordTraces({folder / "a.trace"}), base::InputError);
      continue;
    }
    RecordTraces traces({folder / "a.trace"});
    if (length == whole.size())
      EXPECT_EQ(traces.read(0, read), 1u);
    else
      EXPECT_THROW((void)traces.read(0, read), base::InputError) << length;
  }
  std::string bad = whole;
  bad[16] = 5;  // five addresses
  std::ofstream(folder / "a.trace", std::ios::binary) << bad;
  RecordTraces traces({folder / "a.trace"});
  EXPECT_THROW((void)traces.read(0, read), base::InputError);
}

/// Fig. 3.2: priorities and post-dominators of the loop with continue ([Resync] §3.2.3).
TEST(ObservedFlow, LoopWithContinue) {
  const BlockProgram program(
      "A 20 1 br B E\nB 21 1 call F B2\nB2 22 1 br C D\nC 23 1 jmp A\nD 24 2 jmp A\nE 26 1 end\nF 100 10 "
      "ret\n");
  MemoryTraces traces({program.walk("A B F B2 C A B F B2 D A E"), program.walk("A B F B2 D A B F B2 C A E")});
  ObservedFlow flow;
  flow.add(traces);
  flow.analyse();
  const auto priority = [&](const std::string& block) { return flow.at(program.address(block))->priority; };
  EXPECT_EQ(priority("A"), 2u);
  EXPECT_EQ(priority("B"), 4u);
  EXPECT_EQ(priority("B2"), 4u);  // a call does not split a block
  EXPECT_EQ(priority("C"), 3u);
  EXPECT_EQ(priority("D"), 3u);
  EXPECT_EQ(priority("E"), 1u);
  EXPECT_EQ(priority("F"), 1u);
  const auto* at_a = flow.at(20)->marks.get();
  const auto* at_b2 = flow.at(22)->marks.get();
  ASSERT_NE(at_a, nullptr);
  ASSERT_NE(at_b2, nullptr);
  EXPECT_EQ(at_a->ends, std::vector<std::uint32_t>{at_b2->begin});
  EXPECT_EQ(flow.at(26)->marks->ends, std::vector<std::uint32_t>{at_a->begin});
  EXPECT_FALSE(flow.at(22)->begins_block);
  EXPECT_TRUE(flow.at(23)->begins_block);
  EXPECT_EQ(flow.approximated(), 0u);
}

TEST(ObservedFlow, IndirectCallsMeetBehind) {
  const BlockProgram program("A 0 2 call F A2\nA2 2 1 end\nF 10 2 ret\nG 20 3 ret\n");
  MemoryTraces traces({program.walk("A F A2"), program.walk("A G A2")});
  ObservedFlow flow;
  flow.add(traces);
  flow.analyse();
  ASSERT_NE(flow.at(1)->marks, nullptr);
  EXPECT_EQ(flow.at(2)->marks->ends, std::vector<std::uint32_t>{flow.at(1)->marks->begin});
  // MinFun would run behind the call first; the mark makes thread 0 wait.
  MarkedTraces marked(traces, flow, false);
  const Outcome outcome = replay(marked, "PDomMinFun");
  EXPECT_EQ(program.text(outcome.schedule), "A*2{01} F*2{0} G*3{1} A2{01}");
}

TEST(LongestPaths, ExactWhereItIsPossible) {
  bool approximated = true;
  constexpr std::uint32_t kExit = ~0u;
  EXPECT_EQ(longest_paths({{1, 2}, {3}, {3}, {kExit}}, kExit, approximated),
            (std::vector<std::uint32_t>{3, 2, 2, 1}));
  EXPECT_FALSE(approximated);
  // 0 -> 1 <-> 2, 1 -> 3: simple paths only
  EXPECT_EQ(longest_paths({{1}, {2, 3}, {1}, {}}, kExit, approximated),
            (std::vector<std::uint32_t>{3, 2, 3, 1}));
  EXPECT_FALSE(approximated);
  // A ring of 200 with exits everywhere: by the tree. No path is longer than there are nodes.
  std::vector<std::vector<std::uint32_t>> ring(200);
  for (std::uint32_t n = 0; n < 200; ++n) ring[n] = {(n + 1) % 200, kExit};
  const auto lengths = longest_paths(ring, kExit, approximated);
  EXPECT_TRUE(approximated);
  for (const std::uint32_t length : lengths) {
    EXPECT_GE(length, 1u);
    EXPECT_LE(length, 200u);
  }
  EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), 200u);
}

/// Replays with observed marks are schedules of the traces like others.
TEST(ObservedFlow, RandomTracesReplayWithMarks) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const RandomTraces random(seed, {.threads = 6, .functions = 4, .instructions = 200});
    MemoryTraces traces(random.traces());
    ObservedFlow flow;
    flow.add(traces);
    flow.analyse();
    MarkedTraces marked(traces, flow, true);
    for (const char* policy :
         {"PDomMinSP", "PDomMinPC", "PDomSerial", "PDomRB", "LongestPath1", "LongestPathP", "PDomLong(4)"}) {
      const Outcome outcome = replay(marked, policy);
      EXPECT_EQ(outcome.instructions, traces.size_hint()) << policy;
    }
  }
}

/// Loops of different lengths that go on for `records` instructions of each thread; nothing of them is in memory.
class LongTraces final : public TraceSet {
 public:
  LongTraces(unsigned threads, std::uint64_t records) : next_(threads, 0), records_(records) {}
  [[nodiscard]] unsigned threads() const override { return static_cast<unsigned>(next_.size()); }
  std::size_t read(unsigned thread, std::span<TraceRecord> records) override {
    std::size_t n = 0;
    for (; n < records.size() && next_[thread] < records_; ++n, ++next_[thread]) {
      records[n] = {};
      records[n].pc = next_[thread] % (7 + thread);
      if (records[n].pc == 6 + thread) records[n].control = TraceRecord::kBranch | TraceRecord::kFallThrough;
    }
    return n;
  }
  void rewind() override { std::fill(next_.begin(), next_.end(), 0); }
  [[nodiscard]] std::uint64_t read_in_all() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : next_) sum += n;
    return sum;
  }

 private:
  std::vector<std::uint64_t> next_;
  std::uint64_t records_;
};

TEST(Replay, HoldsAWindowOfEachThreadAndShowsItsProgress) {
  constexpr unsigned kThreads = 8;
  constexpr std::uint64_t kRecords = 600'000;
  for (const auto& [name, ahead] : {std::pair{"MinSP_MinPC", 0u}, {"Long(8)", 0u}, {"Oracle(1k 0)", 1000u}}) {
    SCOPED_TRACE(name);
    const auto policy = make_policy(name);
    const std::uint64_t records = ahead == 0 ? kRecords : kRecords / 40;
    LongTraces traces(kThreads, records);
    std::vector<std::uint64_t> progress;
    ReplayOptions options;
    options.progress = [&](std::uint64_t done) { progress.push_back(done); };
    Replay replay(traces, *policy, options);
    std::uint64_t executed = 0, most = 0;
    do {
      most = std::max(most, traces.read_in_all() - executed);
      executed += static_cast<unsigned>(std::popcount(replay.mask()));
    } while (replay.step());
    EXPECT_EQ(executed, kThreads * records);
    EXPECT_LE(most, kThreads * 2 * (256 + ahead)) << "records that are in memory";
    EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
    if (ahead == 0) {
      EXPECT_EQ(progress.size(), kThreads * records >> 20);
    }
  }
}

TEST(Replay, ThreadsWaitAtRecordedBarriersUnlessTheyAreIgnored) {
  // Thread 0 comes to the barrier first; what is behind it has the lower PC.
  std::vector<std::vector<TraceRecord>> records(2);
  const auto add = [&](unsigned thread, std::uint64_t pc, bool behind) {
    records[thread].emplace_back().pc = pc;
    if (behind) records[thread].back().flags |= TraceRecord::kAfterBarrier;
  };
  add(0, 5, false);
  add(0, 1, true);
  for (const std::uint64_t pc : {6, 7}) add(1, pc, false);
  add(1, 1, true);
  MemoryTraces traces(records);
  const auto fetches = [&](bool barriers) {
    ReplayOptions options;
    options.barriers = barriers;
    traces.rewind();
    const auto policy = make_policy("MinPC");
    return Replay(traces, *policy, options).run().fetches;
  };
  EXPECT_EQ(fetches(true), 4u);
  EXPECT_EQ(fetches(false), 5u);
}

TEST(ReplayStatistics, PatternsAndDistances) {
  const std::vector<unsigned> threads = {0, 1, 3};
  const auto classify = [&](std::vector<std::uint64_t> address) { return classify_access(threads, address); };
  EXPECT_EQ(classify({64, 64, 64}).pattern, MemoryPattern::kUniform);
  EXPECT_EQ(classify({64, 72, 88}).pattern, MemoryPattern::kAffine);
  EXPECT_EQ(classify({64, 72, 88}).distance, 8u);
  EXPECT_EQ(classify({64, 72, 80}).pattern, MemoryPattern::kScattered);
  EXPECT_EQ(classify({64, 72, 80}).distance, 16u);
  EXPECT_EQ(classify({88, 80, 64}).pattern, MemoryPattern::kScattered);  // strides are positive
  EXPECT_EQ(classify_access(std::vector<unsigned>{5}, std::vector<std::uint64_t>{1}).pattern,
            MemoryPattern::kUniform);
  EXPECT_EQ(distance_class(0), 0u);
  EXPECT_EQ(distance_class(15), 0u);
  EXPECT_EQ(distance_class(16), 1u);
  EXPECT_EQ(distance_class(std::uint64_t{1} << 23), 3u);
  EXPECT_EQ(distance_class(std::uint64_t{1} << 40), 4u);
}

TEST(ReplayStatistics, ExecuteIdentical) {
  const auto record = [](std::uint64_t pc, std::uint64_t operands, std::uint8_t bytes, std::uint8_t control) {
    TraceRecord r;
    r.pc = pc;
    r.operands = operands;
    r.register_bytes = bytes;
    r.control = control;
    return r;
  };
  using R = TraceRecord;
  MemoryTraces traces(
      {{record(0, 1, 8, R::kFallThrough), record(1, 1, 8, R::kFallThrough), record(2, 0, 0, R::kBranch),
        record(3, 1, 8, R::kCall | R::kDirectCall), record(4, 5, 8, R::kReturn), record(5, 0, 0, 0)},
       {record(0, 1, 8, R::kFallThrough), record(1, 2, 8, R::kFallThrough), record(2, 0, 0, R::kBranch),
        record(3, 2, 8, R::kCall | R::kDirectCall), record(4, 6, 8, R::kReturn)}});
  const auto policy = make_policy("MinPC");
  Replay run(traces, *policy);
  const ReplayStatistics& statistics = run.run();
  EXPECT_EQ(statistics.active[2], 5u);
  EXPECT_EQ(statistics.identical[2], 4u);  // all but the second one
  EXPECT_EQ(statistics.active[1], 1u);
  EXPECT_EQ(statistics.identical[1], 1u);
}

}  // namespace
}  // namespace heddle::resync::test::traces_test
