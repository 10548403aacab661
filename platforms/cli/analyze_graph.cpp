#include "cli/analyze_graph.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include "base/error.h"
#include "cli/files.h"

namespace heddle::cli {
namespace {

using analysis::BlockId;
using base::Pc;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("&<>\"").find(c) == std::string_view::npos)
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    else
      out += fmt::format("&#{};", static_cast<int>(c));
  }
  return out;
}

struct Marks {
  std::set<std::uint32_t> reads;
  std::set<std::uint32_t> writes;
  std::set<std::uint32_t> safe;
  std::set<BlockId> looping;
  std::set<std::pair<BlockId, BlockId>> retreating;
  bool safe_at_end = false;
};

Marks marks_of(const AnalyzedKernel& kernel) {
  Marks marks;
  for (const analysis::LoopFinding& finding : kernel.findings()) {
    if (!finding.flagged()) continue;
    for (const auto& write : finding.writes) {
      marks.reads.insert(write.read);
      marks.writes.insert(write.write);
    }
    if (finding.safe == base::kNoPc)
      marks.safe_at_end = true;
    else
      marks.safe.insert(finding.safe.value());
    for (auto b = finding.loop.blocks.find_first(); b != analysis::BlockSet::npos;
         b = finding.loop.blocks.find_next(b))
      marks.looping.insert(static_cast<BlockId>(b));
    marks.retreating.emplace(finding.loop.latch, finding.loop.header);
  }
  return marks;
}

std::string instruction_row(const AnalyzedKernel& kernel, const Marks& marks, std::uint32_t i) {
  const std::string text =
      escaped(fmt::format("{}: {}", kernel.kernel().code[i].where.line, ptx_line(kernel.kernel(), Pc(i))));
  const char* colour = marks.reads.contains(i) ? "#c03000" : marks.writes.contains(i) ? "#0040c0" : "black";
  std::string row = fmt::format("<font color=\"{}\">{}</font><br align=\"left\"/>", colour, text);
  if (!marks.safe.contains(i)) return row;
  return "<font color=\"#008030\"><b>SafePDOM</b></font><br align=\"left\"/>" + row;
}

std::string block_node(const AnalyzedKernel& kernel, const analysis::ControlFlowGraph& cfg,
                       const Marks& marks, BlockId b) {
  std::string rows;
  isa::SourceLoc last;
  for (std::uint32_t i = cfg.block(b).first; i < cfg.block(b).end; ++i) {
    const isa::SourceLoc where = kernel.kernel().code[i].where;
    // A PTX instruction may be decoded into several.
    const bool again = where.line == last.line && where.column == last.column;
    if (!again || marks.safe.contains(i)) rows += instruction_row(kernel, marks, i);
    last = where;
  }
  return fmt::format("  b{} [label=<{}>{}];\n", b, rows,
                     marks.looping.contains(b) ? ", style=filled, fillcolor=\"#fff0d8\"" : "");
}

}  // namespace

std::string graph_text(AnalyzedKernel& kernel) {
  const analysis::ControlFlowGraph& cfg = kernel.code().cfg();
  const Marks marks = marks_of(kernel);
  std::string text = fmt::format(
      "digraph \"{}\" {{\n  label=\"{} ({})\";\n", kernel.kernel().name, kernel.kernel().name,
      kernel.flagged() == 0 ? "no loop may deadlock" : "red: retreating edges of loops that may deadlock");
  text += "  node [shape=box, fontname=\"monospace\", fontsize=10];\n";
  for (BlockId b = 0; b < cfg.block_count(); ++b) text += block_node(kernel, cfg, marks, b);
  text += fmt::format("  b{} [label=\"end{}\", shape=ellipse];\n", cfg.exit(),
                      marks.safe_at_end ? "\\nSafePDOM" : "");
  for (BlockId b = 0; b < cfg.block_count(); ++b)
    for (const BlockId to : cfg.block(b).successors)
      text += fmt::format("  b{} -> b{}{};\n", b, to,
                          marks.retreating.contains({b, to}) ? " [color=red, penwidth=2]" : "");
  return text + "}\n";
}

namespace {

/// A file without a name, so that there is never anything to remove.
struct Scratch {
  explicit Scratch(const std::string& place) : file(std::tmpfile()) {
    if (file == nullptr)
      throw base::InputError(place, fmt::format("no temporary file for 'dot': {}", std::strerror(errno)),
                             "check the folder of temporary files and its free space");
  }
  ~Scratch() { std::fclose(file); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::FILE* file;
};

}  // namespace

void write_svg(const std::string& graph, const std::string& path, const std::string& place) {
  check_writable(path, place);
  const Scratch source(place);
  const Scratch picture(place);
  const bool written = std::fwrite(graph.data(), 1, graph.size(), source.file) == graph.size() &&
                       std::fflush(source.file) == 0;
  if (!written) throw base::InputError(place, "the graph could not be written for 'dot'", "check free space");
  std::rewind(source.file);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_adddup2(&streams, ::fileno(source.file), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&streams, ::fileno(picture.file), STDOUT_FILENO);
  std::string tool = "dot", format = "-Tsvg";
  char* arguments[] = {tool.data(), format.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, "dot", &streams, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&streams);
  int status = 0;
  if (error == 0) waitpid(child, &status, 0);
  if (error == ENOENT || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
    throw base::InputError(place, "the tool 'dot' that draws it is not installed",
                           "install Graphviz, or write the graph with --dot FILE");
  std::string text;
  std::rewind(picture.file);
  char chunk[65'536];
  for (std::size_t got = 0; (got = std::fread(chunk, 1, sizeof chunk, picture.file)) != 0;)
    text.append(chunk, got);
  if (error != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0 || text.empty())
    throw base::InputError(place, "'dot' failed", "write the graph with --dot FILE and look at it");
  write_text(path, text, place);
}

}  // namespace heddle::cli
