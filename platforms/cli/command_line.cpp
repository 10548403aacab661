#include "cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/exit_codes.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/interrupt.h"
#include "workloads/workload.h"

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

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

/// The first word is no command.
base::InputError no_command(const CLI::App& app, const char* word) {
  const std::vector<std::string> commands = commands_of(app);
  const std::string list =
      fmt::format("commands: {}; heddle --help describes them", fmt::join(commands, ", "));
  if (word == nullptr) return {"heddle", "no command given", list};
  const auto near = base::nearest_name(word, commands);
  std::error_code ignored;
  std::string remedy = list;
  if (workloads::find(word) != nullptr)
    remedy = fmt::format("to run the workload: heddle run {}\n  {}", word, list);
  else if (std::filesystem::is_regular_file(word, ignored))
    remedy =
        fmt::format("to run a kernel of the file: heddle run --ptx {} --entry KERNEL ...\n  {}", word, list);
  return {
      "heddle",
      fmt::format("there is no command '{}'{}", word, near ? fmt::format("; did you mean '{}'?", *near) : ""),
      remedy};
}

/// CLI11's messages in words that say what to do.
std::string message_of(const CLI::ParseError& error) {
  const std::string text = error.what();
  if (const auto* mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&error); mismatch != nullptr) {
    const std::string option = text.substr(0, text.find(':'));
    if (text.find("At Most") != std::string::npos) return option + " is given more than once";
    if (text.find("missing") != std::string::npos || text.find("At Least") != std::string::npos)
      return option + " is given without a value";
  }
  return text;
}

/// --progress may stand alone: it is text then.
std::vector<std::string> with_progress_value(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size() && (words[i + 1] == "json" || words[i + 1] == "text");
    if (words[i] == "--progress" && !has_value) words[i] = "--progress=text";
  }
  return words;
}

/// CLI11 takes an option as the value of the one before: `--out --profile` would name a folder.
void refuse_options_as_values(const CLI::App& app, const std::vector<std::string>& argv) {
  const std::vector<std::string> commands = commands_of(app);
  if (argv.size() < 2 || std::find(commands.begin(), commands.end(), argv[1]) == commands.end()) return;
  const CLI::App& command = *app.get_subcommand(argv[1]);
  const auto option = [&](const std::string& word) {
    return word.starts_with("--") ? command.get_option_no_throw(word) : nullptr;
  };
  for (std::size_t i = 2; i + 1 < argv.size(); ++i) {
    if (command.get_prefix_command() && !argv[i].starts_with('-')) return;  // a program, whose options follow
    const CLI::Option* const taker = option(argv[i]);
    if (taker == nullptr || taker->get_items_expected_max() == 0) continue;
    if (option(argv[i + 1]) != nullptr)
      throw base::InputError(fmt::format("heddle {}", argv[1]),
                             fmt::format("{} is given without a value: {} follows", argv[i], argv[i + 1]),
                             fmt::format("write {}={} if that is the value", argv[i], argv[i + 1]));
    if (taker->get_items_expected_max() > 1 && taker->get_allow_extra_args())
      return;  // further words are its values
    ++i;
  }
}

/// The nearest option for unknown ones.
base::InputError bad_command_line(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const char* const first = argc > 1 ? argv[1] : nullptr;
  const std::vector<std::string> commands = commands_of(app);
  const bool known = first != nullptr && std::find(commands.begin(), commands.end(), first) != commands.end();
  if (!known && (first == nullptr || first[0] != '-')) return no_command(app, first);
  std::string message =
      known ? message_of(error) : fmt::format("'{}' is no option, and no command is given", first);
  std::vector<std::string> names;
  collect_names(known ? *app.get_subcommand(first) : app, names);
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    word = word.substr(0, word.find('='));
    if (!word.starts_with("--") || std::find(names.begin(), names.end(), word) != names.end()) continue;
    if (const auto near = base::nearest_name(word, names))
      message += fmt::format("; did you mean '{}'?", *near);
    break;
  }
  const std::string command = known ? std::string("heddle ") + first : "heddle";
  return {command, message, command + " --help shows what there is"};
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
  add_disasm(app, body);
  add_trace_blocks(app, body);
  add_threads(app, body);
  add_resync(app, body);
  add_correlate(app, body);
  add_sweep(app, body);
  add_compare(app, body);
  add_report(app, body);
  add_cuda(app, body);
  handle_signals();
  return report_errors([&] {
    try {
      const std::vector<std::string> words = with_progress_value(argc, argv);
      refuse_options_as_values(app, words);
      // CLI11 takes them from the end.
      app.parse(std::vector<std::string>(words.rbegin(), words.rend() - (words.empty() ? 0 : 1)));
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
