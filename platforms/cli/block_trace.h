// heddle run --trace-blocks: the control flow of instrumented kernels (block_log.h), on the model or on a card, in the form
// of heddle run --trace-control-flow. A block's number stands in the place of a PC, and an instruction has one byte.
#pragma once

#include <memory>
#include <string>

#include "cli/block_log.h"
#include "cli/run.h"

namespace heddle::cli {

struct BlockTraceSettings {
  std::string file;  ///< empty: no trace
  BlockLogShape shape;
};

/// The job with kernels that log their blocks. PTX is instrumented when it is loaded. Machine code must have been made of
/// instrumented PTX (heddle trace-blocks), with the default shape. The file has the blocks of each module as comments, and
/// of each launch the logged warps; one whose entries did not all fit is named in a comment.
[[nodiscard]] Job with_block_trace(const Job& job, const BlockTraceSettings& settings);

}  // namespace heddle::cli
