#include "cli/control_flow_trace.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "base/error.h"
#include "cli/files.h"

namespace heddle::cli {
namespace {

constexpr std::uint32_t kInserted = ~std::uint32_t{0};
constexpr std::size_t kRunsOfLine = 64;
constexpr std::size_t kMostWarpsKept = 4096;
constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;
constexpr const char* kRemedy =
    "give a file that heddle run --trace-control-flow has written, or one of that form "
    "(platforms/cli/control_flow_trace.h)";

/// Adds an instruction to a warp's tokens.
void append(std::vector<TraceRun>& runs, std::uint64_t pc, std::uint32_t mask, std::uint32_t bytes) {
  if (!runs.empty()) {
    TraceRun& last = runs.back();
    if (last.times == 1 && last.mask == mask && pc == last.pc + (std::uint64_t{last.more} + 1) * bytes &&
        last.more < std::numeric_limits<std::uint32_t>::max()) {
      ++last.more;
      return;
    }
    // The last token is complete now: perhaps it repeats the one before.
    if (runs.size() >= 2 && last.times == 1) {
      TraceRun& before = runs[runs.size() - 2];
      if (before.pc == last.pc && before.more == last.more && before.mask == last.mask &&
          before.times < std::numeric_limits<std::uint32_t>::max()) {
        ++before.times;
        runs.pop_back();
      }
    }
  }
  runs.push_back({pc, mask, 0, 1});
}

// ---- Reading

/// A line that is none of a trace.
struct BadLine {
  std::string what;
};

template <class Number>
std::optional<Number> number(std::string_view text, int base = 10) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The next word of a line, which it loses; empty: there is none.
std::string_view word(std::string_view& line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return line = {};
  const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  const std::string_view found = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return found;
}

/// PC[+MORE][/MASK][*TIMES]
TraceRun token(std::string_view text, std::optional<std::uint32_t> mask) {
  const auto bad = [text](const char* why) -> BadLine { return {fmt::format("'{}' {}", text, why)}; };
  TraceRun run;
  std::size_t end = std::min(text.find_first_of("+/*"), text.size());
  const auto pc = number<std::uint64_t>(text.substr(0, end), 16);
  if (!pc) throw bad("does not begin with a PC in hexadecimal digits");
  run.pc = *pc;
  std::string_view rest = text.substr(end);
  const auto part = [&](char sign, const char* others) -> std::optional<std::string_view> {
    if (rest.empty() || rest.front() != sign) return std::nullopt;
    rest.remove_prefix(1);
    end = std::min(rest.find_first_of(others), rest.size());
    const std::string_view found = rest.substr(0, end);
    rest.remove_prefix(end);
    return found;
  };
  if (const auto more = part('+', "/*")) {
    const auto value = number<std::uint32_t>(*more);
    if (!value) throw bad("has no number behind +");
    run.more = *value;
  }
  if (const auto active = part('/', "*")) {
    const auto value = number<std::uint32_t>(*active, 16);
    if (!value) throw bad("has no mask of 32 lanes in hexadecimal digits behind /");
    if (*value == 0) throw bad("is executed by no lane");
    mask = *value;
  }
  if (!mask) throw bad("is the first of its line and has no mask");
  run.mask = *mask;
  if (const auto times = part('*', "")) {
    const auto value = number<std::uint32_t>(*times);
    if (!value || *value == 0) throw bad("has no number of at least 1 behind *");
    run.times = *value;
  }
  if (!rest.empty()) throw bad("is not PC[+MORE][/MASK][*TIMES]");
  return run;
}

class Reader {
 public:
  void line(std::string_view text) {
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    std::string_view rest = text;
    const std::string_view first = word(rest);
    if (first.empty() || first.front() == '#') return;
    if (!begun_) {
      const auto version = number<unsigned>(word(rest));
      if (first != kControlFlowMagic) throw BadLine{"not a control-flow trace"};
      if (version != kControlFlowVersion || !word(rest).empty())
        throw BadLine{fmt::format("a version that is not {}", kControlFlowVersion)};
      begun_ = true;
    } else if (first == "launch") {
      launch(rest);
    } else {
      warp(first, rest);
    }
  }
  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] ControlFlowTrace take() { return std::move(trace_); }

 private:
  void launch(std::string_view rest) {
    const auto launch = number<std::uint64_t>(word(rest));
    const auto bytes = number<std::uint32_t>(word(rest));
    const std::size_t name = rest.find_first_not_of(" \t");
    if (!launch || !bytes || *bytes == 0 || name == std::string_view::npos)
      throw BadLine{"not launch NUMBER BYTES KERNEL"};
    const auto [added, fresh] = trace_.launches.try_emplace(*launch);
    if (!fresh) throw BadLine{fmt::format("launch {} has begun before", *launch)};
    launch_ = &added->second;
    launch_->kernel = rest.substr(name);
    launch_->instruction_bytes = *bytes;
    instructions_.clear();
  }

  void warp(std::string_view name, std::string_view rest) {
    const std::size_t colon = std::min(name.find(':'), name.size());
    const auto cta = number<std::uint64_t>(name.substr(0, colon));
    const auto in_cta =
        number<std::uint32_t>(colon == name.size() ? std::string_view{} : name.substr(colon + 1));
    if (!cta || !in_cta) throw BadLine{fmt::format("'{}' is neither CTA:WARP nor 'launch'", name)};
    if (launch_ == nullptr) throw BadLine{"a warp before any launch"};
    const TracedWarp warp{*cta, *in_cta};
    std::vector<TraceRun>& runs = launch_->warps[warp];
    std::uint64_t& instructions = instructions_[warp];
    std::optional<std::uint32_t> mask;
    for (std::string_view next = word(rest); !next.empty(); next = word(rest)) {
      const TraceRun run = token(next, mask);
      mask = run.mask;
      instructions += run.instructions();
      if (instructions > kMostTracedInstructions)
        throw BadLine{
            fmt::format("warp {} executes more than {} instructions", name, kMostTracedInstructions)};
      runs.push_back(run);
    }
    if (!mask) throw BadLine{fmt::format("nothing behind {}", name)};
  }

  ControlFlowTrace trace_;
  bool begun_ = false;
  TracedLaunch* launch_ = nullptr;
  std::map<TracedWarp, std::uint64_t> instructions_;
};

}  // namespace

// ---- Writing

ControlFlowWriter::ControlFlowWriter(const std::string& path, const std::string& option)
    : file_(path, option) {
  file_.write(fmt::format("{} {}\n", kControlFlowMagic, kControlFlowVersion));
}

void ControlFlowWriter::launch_begins(const isa::Kernel& kernel) {
  number_.clear();
  std::uint32_t next = 0;
  for (const isa::Instruction& each : kernel.code) number_.push_back(each.inserted ? kInserted : next++);
  launch_begins(kernel.name, kernel.instruction_bytes);
}

void ControlFlowWriter::launch_begins(const std::string& kernel, std::uint32_t instruction_bytes) {
  bytes_ = instruction_bytes;
  file_.write(fmt::format("launch {} {} {}\n", launches_++, bytes_, kernel));
}

void ControlFlowWriter::comment(const std::string& text) { file_.write("# " + text + "\n"); }

void ControlFlowWriter::executes(TracedWarp warp, base::Pc pc, base::LaneMask active) {
  const std::uint32_t number = number_.at(pc.value());
  if (number != kInserted) adds(warp, std::uint64_t{number} * bytes_, active);
}

void ControlFlowWriter::adds(TracedWarp warp, std::uint64_t pc, base::LaneMask active) {
  const auto [found, fresh] = warps_.try_emplace(warp);
  std::vector<TraceRun>& runs = found->second;
  append(runs, pc, active.bits(), bytes_);
  if (runs.size() > kRunsOfLine) {
    // The last token may still grow.
    const TraceRun last = runs.back();
    runs.pop_back();
    write(warp, runs);
    runs.assign(1, last);
  }
  if (fresh && warps_.size() > kMostWarpsKept) launch_ends();
}

void ControlFlowWriter::write(TracedWarp warp, const std::vector<TraceRun>& runs) {
  std::string line = fmt::format("{}:{}", warp.first, warp.second);
  std::uint32_t mask = 0;
  for (const TraceRun& run : runs) {
    line += fmt::format(" {:x}", run.pc);
    if (run.more != 0) line += fmt::format("+{}", run.more);
    if (run.mask != mask) line += fmt::format("/{:x}", run.mask);
    if (run.times != 1) line += fmt::format("*{}", run.times);
    mask = run.mask;
  }
  file_.write(line + "\n");
}

void ControlFlowWriter::launch_ends() {
  for (const auto& [warp, runs] : warps_) write(warp, runs);
  warps_.clear();
}

ControlFlowTrace read_control_flow(std::istream& stream, const std::string& name) {
  Reader reader;
  std::string text;
  for (std::uint64_t line = 1; next_line(stream, text, kMaxLineBytes); ++line) {
    const auto refuse = [&](const std::string& what) {
      throw base::InputError(fmt::format("{}:{}", name, line), what, kRemedy);
    };
    if (text.size() > kMaxLineBytes) refuse(fmt::format("longer than {} MiB", kMaxLineBytes >> 20));
    try {
      reader.line(text);
    } catch (const BadLine& bad) {
      refuse(bad.what);
    }
  }
  if (!reader.begun()) throw base::InputError(name, "is empty", kRemedy);
  return reader.take();
}

ControlFlowTrace read_control_flow(const std::string& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, ignored))
    throw base::InputError(path, "cannot be read", kRemedy);
  return read_control_flow(file, path);
}

}  // namespace heddle::cli
