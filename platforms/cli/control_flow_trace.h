// Control-flow traces: which instructions each warp of a run executed, and with which active lanes. Written by
// heddle run --trace-control-flow, compared by heddle compare-traces; a trace of real hardware has the same form.
//
// Text. The first line is `heddle-control-flow-trace 1`; empty lines and lines that begin with # mean nothing. Then
//
//   launch NUMBER BYTES KERNEL     a launch begins: its number, the size of an instruction in bytes, the kernel's name
//   CTA:WARP TOKEN TOKEN ...       what a warp of that launch executed next; numbers are decimal
//
// CTA is x + X * (y + Y * z) in a grid of X x Y x Z, WARP counts the warps of the CTA. Lines of warps may be in any
// order, those of one warp are in program order. A warp's sequence may be cut into lines anywhere, one token a line
// included. A token is
//
//   PC[+MORE][/MASK][*TIMES]
//
//   PC      hexadecimal, in bytes from the kernel's first instruction
//   +MORE   so many further instructions follow, each BYTES behind the one before, with the same mask (decimal)
//   /MASK   hexadecimal, bit i: lane i is active; left out: that of the token before in the line
//   *TIMES  all of that so many times (decimal)
//
// The active mask is that of the path, before the instruction's guard. Instructions that a compiler pass inserted are
// left out, and the PCs are those of the program without them: traces of two mechanisms name the same instructions.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/new_file.h"
#include "isa/kernel.h"

namespace heddle::cli {

inline constexpr const char* kControlFlowMagic = "heddle-control-flow-trace";
inline constexpr unsigned kControlFlowVersion = 1;

/// A token of a trace: `times` times the `more` + 1 instructions from `pc` on.
struct TraceRun {
  std::uint64_t pc = 0;  ///< bytes
  std::uint32_t mask = 0;
  std::uint32_t more = 0;
  std::uint32_t times = 1;
  [[nodiscard]] std::uint64_t instructions() const { return (std::uint64_t{more} + 1) * times; }
  bool operator==(const TraceRun&) const = default;
};

/// Of a CTA: its linear number, and the warp in it.
using TracedWarp = std::pair<std::uint64_t, std::uint32_t>;

/// Memory: some tokens for each warp that has not been written yet, at most some thousand warps.
class ControlFlowWriter {
 public:
  /// Throws base::InputError if the file cannot be written. If a later write fails the file's commit() reports it.
  ControlFlowWriter(const std::string& path, const std::string& option);

  void launch_begins(const isa::Kernel& kernel);
  /// A launch whose PCs are given in bytes: adds().
  void launch_begins(const std::string& kernel, std::uint32_t instruction_bytes);
  /// A comment line, before those of the warps that have not been written yet.
  void comment(const std::string& text);
  void executes(TracedWarp warp, base::Pc pc, base::LaneMask active);
  /// The instruction at byte `pc` of the kernel.
  void adds(TracedWarp warp, std::uint64_t pc, base::LaneMask active);
  void launch_ends();
  [[nodiscard]] NewFile& file() { return file_; }

 private:
  void write(TracedWarp warp, const std::vector<TraceRun>& runs);

  NewFile file_;
  std::vector<std::uint32_t>
      number_;  ///< by PC: of the instruction in the program; kInserted: a pass put it in
  std::uint32_t bytes_ = 1;
  std::uint64_t launches_ = 0;
  std::map<TracedWarp, std::vector<TraceRun>> warps_;  ///< what is to be written
};

struct TracedLaunch {
  std::string kernel;
  std::uint32_t instruction_bytes = 0;
  std::map<TracedWarp, std::vector<TraceRun>> warps;
};

/// All of a trace, in about as much memory as its text.
struct ControlFlowTrace {
  std::map<std::uint64_t, TracedLaunch> launches;  ///< by number
};

/// A warp of more instructions than this is refused: comparing it takes 4 bytes for each.
inline constexpr std::uint64_t kMostTracedInstructions = std::uint64_t{1} << 28;

/// Throws base::InputError with the line if it is no such file.
[[nodiscard]] ControlFlowTrace read_control_flow(const std::string& path);
[[nodiscard]] ControlFlowTrace read_control_flow(std::istream& stream, const std::string& name);

}  // namespace heddle::cli
