// heddle tables: prints a file of heddle run --trace-tables as the tables of the publications.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <vector>

#include "base/lane_mask.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/number_option.h"
#include "cli/text_table.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTablesHelp =
    R"(One row per event of a warp, with what the tables hold after it; entries are separated by |.
  stack       PC RPC mask, bottom first; PCs are source lines, - is none
  ST          #number PC RPC #entry-of-RT mask
  RT          #number PC RPC #parent expected/pending
  FIFO        entries of ST, front first
  ws, rec, b  paths, reconvergence points and barrier registers (hanoi), bottom first
  groups      lanes of one PC and call level, and whether they run (resync)
  scoreboard  registers (by number) with a pending write, and for which lanes; dependence counters that are not 0
              (core.scoreboard.kind=control_codes)
Masks are hexadecimal; --lanes N writes the N lowest lanes in binary, as the theses do.)";

struct TablesRequest {
  std::string file;
  std::string warp;
  std::string event;
  unsigned lanes = 0;
  std::uint64_t limit = 0;
};

/// The first line of a launch lists a source line for every instruction of its kernel.
constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;

/// A record that heddle run --trace-tables does not write.
struct BadRecord : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::uint64_t natural(const Json& record, const char* key) {
  const Json& value = record.at(key);
  if (!value.is_number_unsigned())
    throw BadRecord(fmt::format("'{}' is {}, not a number", key, value.dump()));
  return value.get<std::uint64_t>();
}

bool is_mask(const std::string& text) {
  return text.size() == base::kLanes && text.find_first_not_of("01") == std::string::npos;
}

class Printer {
 public:
  explicit Printer(const TablesRequest& request) : request_(request) {}

  /// Processes one line of the file.
  void line(const Json& record) {
    if (record.contains("launch")) {
      flush();
      lines_ = record.at("lines").get<std::vector<std::uint32_t>>();
      text_ += fmt::format("launch {}: kernel {} of {}, from cycle {}\n", natural(record, "launch"),
                           record.at("kernel").get<std::string>(), record.at("source").get<std::string>(),
                           natural(record, "cycle"));
      return;
    }
    const std::string warp = fmt::format("{}:{}", natural(record, "core"), natural(record, "warp"));
    const auto event = record.at("event").get<std::string>();
    events_.insert(event);
    if (!request_.warp.empty() && request_.warp != warp) return;
    if (!request_.event.empty() && request_.event != event) return;
    if (request_.limit != 0 && rows_ >= request_.limit) {
      ++left_out_;
      return;
    }
    ++rows_;
    std::vector<std::string> cells = {std::to_string(natural(record, "cycle")), warp, what(event, record)};
    std::vector<std::string> head = {"cycle", "warp", "event"};
    for (const auto& [key, value] : record.items()) {
      if (!value.is_array()) continue;
      head.push_back(key);
      cells.push_back(key == "scoreboard" ? registers(value) : entries(value));
    }
    if (head != head_) flush();
    if (!table_) {
      table_ = std::make_unique<TextTable>(2, TextTable::Style{.right = {0}});
      table_->row(head);
      head_ = std::move(head);
    }
    table_->row(cells);
  }
  void flush() {
    if (table_) text_ += table_->text();
    table_.reset();
  }
  /// All tables so far. Call flush() first.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::set<std::string>& events() const { return events_; }
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

 private:
  [[nodiscard]] std::string place(const Json& pc) const {
    if (pc.is_string()) return pc.get<std::string>();
    if (!pc.is_number_unsigned()) throw BadRecord(fmt::format("{} is no PC", pc.dump()));
    const auto index = pc.get<std::uint64_t>();
    return index < lines_.size() ? fmt::format("L{}", lines_[index]) : fmt::format("pc{}", index);
  }
  [[nodiscard]] std::string mask(const std::string& bits) const {
    if (!is_mask(bits)) throw BadRecord(fmt::format("'{}' is no mask of {} lanes", bits, base::kLanes));
    if (request_.lanes != 0) return bits.substr(bits.size() - request_.lanes);
    return fmt::format("{:08x}", std::stoul(bits, nullptr, 2));
  }
  [[nodiscard]] std::string what(const std::string& event, const Json& record) const {
    std::string text = event;
    if (record.contains("pc")) text += " " + place(record.at("pc"));
    if (record.contains("lanes")) text += " " + mask(record.at("lanes").get<std::string>());
    if (record.contains("taken")) text += " to " + mask(record.at("taken").get<std::string>());
    return text;
  }
  [[nodiscard]] std::string registers(const Json& list) const {
    std::string text;
    for (const Json& entry : list) {
      text += text.empty() ? "" : " ";
      text += entry.contains("counter")
                  ? fmt::format("sb{}={}", natural(entry, "counter"), natural(entry, "count"))
                  : fmt::format("r{}={}", natural(entry, "reg"), mask(entry.at("lanes").get<std::string>()));
    }
    return text;
  }
  /// Entries of a table: PCs, then masks, then all other fields.
  [[nodiscard]] std::string entries(const Json& list) const {
    std::string text;
    for (const Json& entry : list) {
      std::string cell;
      const auto add = [&cell](const std::string& part) { cell += (cell.empty() ? "" : " ") + part; };
      if (!entry.is_object()) {
        add(entry.is_string() ? entry.get<std::string>() : entry.dump());
      } else {
        std::string masks;
        std::string rest;
        for (const auto& [key, value] : entry.items()) {
          if (key == "pc" || key == "rpc")
            add(place(value));
          else if (key == "id")
            add("#" + value.dump());
          else if (key == "rindex")
            add(value.is_string() ? value.get<std::string>() : "#" + value.dump());
          else if (value.is_string() && is_mask(value.get<std::string>()))
            masks += (masks.empty() ? "" : "/") + mask(value.get<std::string>());
          else if (value.is_boolean() ? value.get<bool>() : !value.is_null())
            rest += " " + (value.is_boolean()
                               ? key
                               : key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
        }
        if (!masks.empty()) add(masks);
        cell += rest;
      }
      text += (text.empty() ? "" : " | ") + cell;
    }
    return text;
  }

  const TablesRequest& request_;
  std::vector<std::uint32_t> lines_;  ///< by PC
  std::unique_ptr<TextTable> table_;
  std::vector<std::string> head_;  ///< of the current table
  std::string text_;
  std::set<std::string> events_;  ///< events that occur in the file
  std::uint64_t rows_ = 0;
  std::uint64_t left_out_ = 0;
};

/// The message of an exception of the JSON library without "[json.exception.parse_error.101] ".
std::string without_origin(const std::string& text) {
  const std::size_t end = text.starts_with('[') ? text.find("] ") : std::string::npos;
  return end == std::string::npos ? text : text.substr(end + 2);
}

void print_tables(const TablesRequest& request) {
  constexpr const char* kRemedy = "give a file that heddle run --trace-tables has written";
  const auto refuse = [&](std::uint64_t number, const std::exception& error) {
    throw base::InputError(fmt::format("{}:{}", request.file, number),
                           fmt::format("not a line of a table trace: {}", without_origin(error.what())),
                           kRemedy);
  };
  std::error_code ignored;
  std::ifstream file(request.file);
  if (!file || std::filesystem::is_directory(request.file, ignored))
    throw base::InputError(request.file, "cannot be read", kRemedy);
  Printer printer(request);
  std::string text;
  std::uint64_t number = 0;
  while (next_line(file, text, kMaxLineBytes)) {
    ++number;
    if (text.size() > kMaxLineBytes)
      throw base::InputError(
          fmt::format("{}:{}", request.file, number),
          fmt::format("longer than {} MiB: not a line of a table trace", kMaxLineBytes >> 20), kRemedy);
    try {
      printer.line(Json::parse(text));
    } catch (const Json::exception& error) {
      refuse(number, error);
    } catch (const BadRecord& error) {
      refuse(number, error);
    }
  }
  if (number == 0) throw base::InputError(request.file, "is empty", kRemedy);
  if (!request.event.empty() && !printer.events().empty() && !printer.events().contains(request.event))
    throw unknown_name(request.file, "event", request.event,
                       {printer.events().begin(), printer.events().end()});
  printer.flush();
  fmt::print("{}", printer.text());
  if (printer.left_out() != 0) fmt::print("{} more events (--limit {})\n", printer.left_out(), request.limit);
  if (printer.rows() == 0) fmt::print("no event\n");
}

}  // namespace

void add_tables(CLI::App& app, Body& body) {
  CLI::App* command = app.add_subcommand("tables", "Print a trace of control-flow tables");
  command->footer(kTablesHelp);
  const auto request = std::make_shared<TablesRequest>();
  command->add_option("FILE", request->file, "File written by heddle run --trace-tables")->required();
  command->add_option("--warp", request->warp, "CORE:WARP: only this warp slot")
      ->check([](const std::string& text) -> std::string {
        static const std::regex form("[0-9]+:[0-9]+");
        return std::regex_match(text, form) ? "" : "'" + text + "' is not CORE:WARP, for example 0:3";
      });
  command->add_option("--event", request->event, "Only events of this name (branch, arrive, issue ...)");
  command->add_option("--lanes", request->lanes, "Masks in binary, of this many lanes")
      ->transform(whole_number(1, base::kLanes));
  command->add_option("--limit", request->limit, "Rows at most; 0: all")
      ->transform(whole_number())
      ->capture_default_str();
  command->callback([request, &body] {
    body = [request] {
      print_tables(*request);
      return base::ExitCode::kOk;
    };
  });
}

}  // namespace heddle::cli
