#include "cli/command_line.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/config.h"
#include "base/exit_codes.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/interrupt.h"

namespace heddle::cli {
namespace {

void collect_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
    collect_names(*command, names);
  }
}

/// CLI11's message, with the nearest option or subcommand for unknown ones.
base::InputError bad_command_line(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::string message = error.what();
  std::vector<std::string> names;
  collect_names(app, names);
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    word = word.substr(0, word.find('='));
    const bool candidate = word.starts_with("--") || i == 1;
    if (!candidate || std::find(names.begin(), names.end(), word) != names.end()) continue;
    if (const auto near = base::nearest_name(word, names))
      message += fmt::format("; did you mean '{}'?", *near);
    break;
  }
  return {"command line", message, "heddle --help and heddle COMMAND --help show what there is"};
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app("Heddle: a SystemC model of a SIMT GPU that runs PTX kernels");
  app.name("heddle");
  app.set_version_flag("--version", std::string("heddle ") + HEDDLE_VERSION);
  app.require_subcommand(1);
  app.footer("Start with: heddle list, heddle run sgemm, heddle run --help\n\n" + base::exit_code_table());

  Body body;
  add_run(app, body);
  add_list(app, body);
  add_describe(app, body);
  add_analyze(app, body);
  add_microbench(app, body);
  add_tables(app, body);
  add_compare_traces(app, body);
  add_threads(app, body);
  add_resync(app, body);
  handle_signals();
  return report_errors([&] {
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
      if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {  // --help, --version
        (void)app.exit(e);
        return base::ExitCode::kOk;
      }
      throw bad_command_line(app, e, argc, argv);
    }
    return body();
  });
}

}  // namespace heddle::cli
