#include "microbench/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "microbench/partitioned_buffer.h"

namespace heddle::microbench {

std::uint32_t TimedRun::first_start() const {
  std::uint32_t first = warps.front().start;
  for (const WarpRecord& warp : warps)
    if (static_cast<std::int32_t>(warp.start - first) < 0) first = warp.start;
  return first;
}

std::uint32_t TimedRun::span() const {
  const std::uint32_t first = first_start();  // differences: %clock may wrap
  std::uint32_t longest = 0;
  for (const WarpRecord& warp : warps) longest = std::max(longest, warp.stop - first);
  return longest;
}

namespace {

/// Start of the last loop of the code.
std::uint32_t loop_head(const isa::Kernel& kernel) {
  for (std::size_t pc = kernel.code.size(); pc-- > 0;)
    if (kernel.code[pc].op == isa::Opcode::kBranch && kernel.code[pc].target.value() <= pc)
      return kernel.code[pc].target.value();
  throw std::logic_error("kernel " + kernel.name + " has no loop");
}

/// What the benchmarks expect follows from these policies, and they aim at partitions by address.
void refuse_other_policies(const gpu::GpuConfig& config) {
  const memory::MemoryConfig& memory = config.memory;
  const auto require = [](const char* key, const std::string& is, const char* expected) {
    if (is == expected) return;
    throw base::InputError(key, fmt::format("microbenchmarks do not know what to expect of '{}'", is),
                           fmt::format("set it to {}", expected));
  };
  require("core.l1d.replacement", config.core.l1d.replacement.name(), "lru");
  require("core.l1i.replacement", config.core.l1i.replacement.name(), "lru");
  require("core.constant_cache.replacement", config.core.constant_cache.replacement.name(), "lru");
  require("memory.l2.replacement", memory.l2.replacement.name(), "lru");
  require("memory.dram.scheduler", memory.dram.scheduler.name(), "fr_fcfs");
  require("memory.dram.page_policy", memory.dram.page_policy.name(), "open");
  require("memory.address_map", memory.address_map.name(), "interleaved");
}

}  // namespace

gpu::GpuConfig as_written(gpu::GpuConfig config) {
  config.schedule = gpu::InstructionSchedule::kAsWritten;
  config.memory.address_map.select(memory::interleaved_mapping().name);
  return config;
}

Session::Session(gpu::GpuDevice& device) : Session(device, device.config()) { model_ = &device; }
Session::Session(host::Device& device, gpu::GpuConfig config) : device_(device), config_(std::move(config)) {
  refuse_other_policies(config_);
}
Session::~Session() = default;

LoadedKernel Session::load(const TimedKernel& kernel) {
  host::ModuleHandle module = device_.load_ptx_text(kernel.text(), kernel.name());
  if (model_ != nullptr && kernel.has_rounds()) {
    const core::InstructionCacheConfig& l1i = config().core.l1i;
    const std::uint32_t in_line = l1i.line_bytes / l1i.instruction_bytes;
    const std::uint32_t off = loop_head(*device_.kernel(module, kernel.name())) % in_line;
    if (off != 0) module = device_.load_ptx_text(kernel.text(in_line - off), kernel.name());
  }
  return {module,
          kernel.name(),
          kernel.record_words(),
          kernel.lane_values(),
          kernel.shared_bytes(),
          device_.kernel(module, kernel.name())};
}

Session::Buffers Session::prepare(const LoadedKernel& kernel, std::uint32_t ctas, std::uint32_t threads) {
  Buffers buffers;
  buffers.warps = ctas * ((threads + base::kLanes - 1) / base::kLanes);
  buffers.records = device_.allocate(std::uint64_t{buffers.warps} * kernel.record_words * 4, "records");
  const std::uint64_t value_bytes = std::uint64_t{buffers.warps} * base::kLanes * kernel.lane_values * 8;
  if (value_bytes != 0) buffers.values = device_.allocate(value_bytes, "values");
  return buffers;
}

TimedRun Session::finish(const LoadedKernel& kernel, const Buffers& buffers, std::uint32_t ctas,
                         std::uint32_t threads, const host::Args& args) {
  device_.launch(kernel.module, kernel.name, {{ctas}, {threads}, kernel.shared_bytes}, args);
  TimedRun run;
  if (model_ != nullptr) run.launch_cycles = model_->last_launch().cycles;
  const std::uint32_t words = kernel.record_words;
  const auto raw = device_.download<std::uint32_t>(buffers.records, std::size_t{buffers.warps} * words);
  for (std::uint32_t w = 0; w < buffers.warps; ++w) {
    const std::uint32_t* record = &raw[std::size_t{w} * words];
    run.warps.push_back({record[0], record[1], record[2],
                         std::vector<std::uint32_t>(record + TimedKernel::kFixedWords, record + words)});
  }
  device_.free(buffers.records);
  if (buffers.values != 0) {
    run.lane_values = device_.download<std::uint64_t>(
        buffers.values, std::size_t{buffers.warps} * base::kLanes * kernel.lane_values);
    device_.free(buffers.values);
  }
  return run;
}

std::uint64_t Session::count(const std::string& path) {
  if (model_ == nullptr) throw OnlyTheModel(path);
  return model_->stats().sum(path);
}

const isa::Kernel& Session::code(const LoadedKernel& kernel) const {
  if (model_ == nullptr) throw OnlyTheModel("a kernel's registers");
  return *kernel.code;
}

void Session::clean_l2() {
  // No stores: finally the L2 sees reads of as many lines as it holds, each once.
  constexpr const char* kText = R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry clean_l2(.param .u64 from, .param .u32 bytes, .param .u32 step)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<3>;
    .reg .pred %p0;
    ld.param.u64 %rd0, [from];
    ld.param.u32 %r0, [bytes];
    ld.param.u32 %r1, [step];
    mov.u32 %r2, %laneid;
    mul.lo.u32 %r2, %r2, %r1;
    shl.b32 %r1, %r1, 5;
LOOP:
    setp.ge.u32 %p0, %r2, %r0;
    @%p0 exit;
    mul.wide.u32 %rd1, %r2, 1;
    add.u64 %rd1, %rd1, %rd0;
    ld.global.cg.u32 %r3, [%rd1];
    add.u32 %r2, %r2, %r1;
    bra LOOP;
}
)";
  const memory::MemoryConfig& memory = config().memory;
  const std::uint32_t slice_bytes = memory.l2.size_kib * 1024, step = memory.l2.line_bytes;
  if (scrub_module_ == 0) {
    scrub_ = std::make_unique<PartitionedBuffer>(*this, slice_bytes, "lines of clean_l2()");
    scrub_module_ = device_.load_ptx_text(kText, "clean_l2");
  }
  // Whole chunks of every partition, so that each set of each slice gets as many lines as it has ways.
  const auto read = [&](std::uint64_t from, std::uint32_t bytes) {
    device_.launch(scrub_module_, "clean_l2", {.grid = {1}, .block = {base::kLanes}},
                   host::Args().add(from).add(bytes).add(step));
  };
  if (slice_bytes >= memory.partition_interleave_bytes)
    read(scrub_->address(0, 0), slice_bytes * memory.partitions);
  else
    for (std::uint32_t p = 0; p < memory.partitions; ++p) read(scrub_->address(p, 0), slice_bytes);
}

void Session::check_values(const std::string& what, const std::vector<std::uint64_t>& values,
                           std::uint64_t expected) {
  const auto wrong =
      std::count_if(values.begin(), values.end(), [&](std::uint64_t value) { return value != expected; });
  if (wrong == 0) return;
  add({.what = what + ": wrong values",
       .measured = static_cast<double>(wrong),
       .expected = exactly(0),
       .unit = "threads",
       .keys = "",
       .why = fmt::format("every thread must end with {:#x}", expected),
       .of_values = true});
}

}  // namespace heddle::microbench
