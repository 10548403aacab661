// The subcommands of heddle. Each function adds one to the app; `body` receives the action of the chosen one.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "base/error.h"
#include "cli/block_log.h"

namespace heddle::cli {

using Body = std::function<base::ExitCode()>;

void add_run(CLI::App& app, Body& body);             ///< run_workload.cpp, run_ptx.cpp
void add_list(CLI::App& app, Body& body);            ///< list.cpp
void add_describe(CLI::App& app, Body& body);        ///< describe.cpp
void add_analyze(CLI::App& app, Body& body);         ///< analyze_command.cpp
void add_microbench(CLI::App& app, Body& body);      ///< microbench_command.cpp
void add_tables(CLI::App& app, Body& body);          ///< tables_command.cpp
void add_compare_traces(CLI::App& app, Body& body);  ///< compare_traces_command.cpp
void add_disasm(CLI::App& app, Body& body);          ///< disasm_command.cpp
void add_trace_blocks(CLI::App& app, Body& body);    ///< trace_blocks_command.cpp
void add_threads(CLI::App& app, Body& body);         ///< threads_command.cpp
void add_correlate(CLI::App& app, Body& body);       ///< correlate_command.cpp
void add_sweep(CLI::App& app, Body& body);           ///< sweep/sweep_command.cpp
void add_compare(CLI::App& app, Body& body);         ///< compare/compare_command.cpp
void add_cuda(CLI::App& app, Body& body);            ///< cuda_command.cpp
void add_resync(CLI::App& app, Body& body);          ///< resync_command.cpp
void add_report(CLI::App& app, Body& body);          ///< report_command.cpp

/// --block-warps and --block-entries.
void add_block_log_options(CLI::App& command, BlockLogShape& shape, const std::string& group);

}  // namespace heddle::cli
