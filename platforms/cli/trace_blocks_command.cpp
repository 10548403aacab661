// heddle trace-blocks: PTX whose kernels log their basic blocks, for a compiler of one's choice.
#include <fmt/format.h>

#include <limits>
#include <memory>

#include "cli/block_log.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/new_file.h"
#include "cli/number_option.h"
#include "cli/output_names.h"
#include "cli/run_outcome.h"
#include "host/module_bytes.h"

namespace heddle::cli {
namespace {

constexpr const char* kHelp =
    R"(heddle run --trace-blocks does this by itself. This command writes the text, to be assembled by ptxas; heddle run --cubin
with --trace-blocks then reads the log.

Kernels get two variables: hwlog_cnt, 4 bytes for each logged warp: how many blocks it came to, and hwlog_buf, for each
logged warp its entries {block, active lanes}, 4 bytes each. A block begins at a function's entry, at a label, and behind a
guarded branch; blocks are numbered in order of the text.

Exit codes: 0 written, 2 bad input)";

struct Request {
  std::string file;
  std::string out;
  BlockLogShape shape;
};

}  // namespace

void add_trace_blocks(CLI::App& app, Body& body) {
  CLI::App* command =
      app.add_subcommand("trace-blocks", "Write PTX whose kernels log which lanes run which block");
  command->footer(kHelp);
  const auto request = std::make_shared<Request>();
  command->add_option("FILE", request->file, "PTX text")->required();
  command->add_option("-o,--out", request->out, "File for the text")->required();
  add_block_log_options(*command, request->shape, "");
  command->callback([request, &body] {
    body = [request] {
      OutputNames names;
      names.reads(request->file, request->file);
      names.writes(request->out, "-o " + request->out);
      const InstrumentedText text =
          with_block_log(host::ptx_text_of_file(request->file), request->file, request->shape);
      NewFile file(request->out, "-o " + request->out);
      file.write(text.text);
      file.commit();
      for (std::size_t i = 0; i < text.blocks.size(); ++i)
        put(fmt::format("block {:x}: line {}, {}{}\n", i, text.blocks[i].line, text.blocks[i].function,
                        text.blocks[i].label.empty() ? "" : " " + text.blocks[i].label));
      return base::ExitCode::kOk;
    };
  });
}

void add_block_log_options(CLI::App& command, BlockLogShape& shape, const std::string& group) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  command
      .add_option("--block-warps", shape.warps,
                  "Warps of a launch whose blocks are logged, from the first on")
      ->transform(whole_number(1, kMost))
      ->capture_default_str()
      ->group(group.empty() ? "Options" : group);
  command
      .add_option("--block-entries", shape.entries,
                  "Blocks that are logged of a warp; the others are counted")
      ->transform(whole_number(1, kMost))
      ->capture_default_str()
      ->group(group.empty() ? "Options" : group);
}

}  // namespace heddle::cli
