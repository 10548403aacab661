#include "resync/trace_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "base/error.h"
#include "isa/kernel.h"

namespace heddle::resync {

bool is_set_name(const std::string& name) {
  static const std::regex form("[0-9]{2,}_.+_cta[0-9]+_[0-9]+");
  return std::regex_match(name, form);
}

void TraceRecorder::begin_launch(const std::string& kernel, const host::Launch& shape) {
  sets_.clear();
  const unsigned number = launch_++;
  if (number >= options_.launches) return;
  const std::uint64_t per_cta = (shape.block.count() + options_.threads - 1) / options_.threads;
  const std::uint64_t all = per_cta * shape.grid.count();
  const std::uint64_t wanted = std::min<std::uint64_t>(options_.sets, all);
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const std::uint64_t set = i * all / wanted;
    const std::uint64_t cta = set / per_cta;
    const auto part = static_cast<std::uint32_t>(set % per_cta);
    const auto threads = static_cast<unsigned>(std::min<std::uint64_t>(
        options_.threads, shape.block.count() - std::uint64_t{part} * options_.threads));
    const auto folder = folder_ / fmt::format("{:02}_{}_cta{}_{}", number, kernel, cta, part);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
      throw base::InputError(folder.string(), "cannot be made: " + error.message(), "Choose another folder.");
    auto& set_threads = sets_[{cta, part}];
    set_threads.resize(threads);
    for (unsigned t = 0; t < threads; ++t)
      set_threads[t].writer = std::make_unique<RecordWriter>(folder / trace_name(t));
    ++recorded_sets_;
  }
}

TraceRecord TraceRecorder::record_of(const oracle::ExecutedInstruction& what, unsigned thread,
                                     bool frame_bytes) {
  using Flow = oracle::ExecutedInstruction::Flow;
  TraceRecord record;
  record.pc = std::uint64_t{what.pc} * isa::kPtxInstructionBytes;
  record.depth = 8ull * what.level + (frame_bytes ? what.stack_bytes : 0);
  record.control = what.may_fall_through ? TraceRecord::kFallThrough : 0;
  switch (what.flow) {
    case Flow::kNext:
    case Flow::kBarrier:
      record.control = TraceRecord::kFallThrough;
      break;
    case Flow::kJump:
      record.control |= TraceRecord::kBranch | (what.direct ? TraceRecord::kDirectBranch : 0);
      break;
    case Flow::kCall:
      record.control |=
          TraceRecord::kCall | TraceRecord::kProcedureCall | (what.direct ? TraceRecord::kDirectCall : 0);
      record.flags |= TraceRecord::kFunctionCall;
      break;
    case Flow::kReturn:
      record.control |= TraceRecord::kReturn;
      record.flags |= TraceRecord::kFunctionReturn;
      break;
    case Flow::kExit:
      break;
  }
  if (!what.has_address) return record;
  record.addresses = 1;
  switch (what.space) {
    case isa::StateSpace::kShared:
      record.address[0] = isa::kSharedWindowBase + what.address;
      break;
    case isa::StateSpace::kLocal:  // the threads' stacks are as far apart as in the thesis
      record.address[0] = thread * record::kStackSpacing + what.address;
      break;
    default:
      record.address[0] = what.address;
      break;
  }
  return record;
}

void TraceRecorder::executed(const oracle::ExecutedInstruction& what) {
  auto& threads = sets_.at({what.cta, what.thread / options_.threads});
  const unsigned number = what.thread % options_.threads;
  Thread& thread = threads[number];
  if (options_.most_records != 0 && thread.writer->records() >= options_.most_records) return;
  TraceRecord record = record_of(what, number, options_.frame_bytes);
  if (thread.begins_block) record.flags |= TraceRecord::kBlockBegin;
  if (thread.after_barrier) record.flags |= TraceRecord::kAfterBarrier;
  thread.begins_block = record.ends_block();
  thread.after_barrier = what.flow == oracle::ExecutedInstruction::Flow::kBarrier;
  thread.writer->write(record, std::as_bytes(std::span(what.registers.data(), what.register_count)));
  ++records_;
}

void TraceRecorder::end_launch() {
  for (auto& [place, threads] : sets_)
    for (Thread& thread : threads) thread.writer->close();
  sets_.clear();
}

}  // namespace heddle::resync
