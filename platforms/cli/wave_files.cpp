#include "cli/wave_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <map>
#include <systemc>
#include <utility>

#include "base/config.h"
#include "base/error.h"
#include "base/text_input.h"
#include "cli/rtl_twins.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kMostWaveBytes = std::size_t{8} << 30;
constexpr std::size_t kNamed = 6;  ///< in a message

/// "core0.lsu" is the end of "gpu.core0.lsu".
bool is_end(const std::string& path, const std::string& end) {
  return path == end || path.ends_with("." + end);
}

std::string listed(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kNamed);
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

/// The sockets of each module, by its path: its own, and of others those that are bound to its.
using Sockets = std::map<std::string, std::vector<sim::RecordedSocket*>>;
void collect(const std::vector<sc_core::sc_object*>& objects, Sockets& to) {
  for (sc_core::sc_object* object : objects) {
    if (auto* socket = dynamic_cast<sim::RecordedSocket*>(object)) {
      to[object->get_parent_object()->name()].push_back(socket);
      if (socket->bound() != nullptr) to[socket->bound()->get_parent_object()->name()].push_back(socket);
    }
    collect(object->get_child_objects(), to);
  }
}

}  // namespace

WaveRequest wave_request(const std::string& text) {
  const auto fail = [&](const std::string& what) {
    throw base::InputError(
        "--wave " + text, what,
        "write BLOCK or BLOCK:FROM:TO in core cycles, for example core0.scoreboard:1000:2000");
  };
  const std::size_t first = text.find(':');
  WaveRequest request{text.substr(0, first), 0, std::numeric_limits<base::Cycle>::max()};
  if (request.block.empty() || request.block.find('/') != std::string::npos) fail("names no block");
  if (first == std::string::npos) return request;
  const std::size_t second = text.find(':', first + 1);
  if (second == std::string::npos) fail("has one cycle: the first and the last are wanted");
  const auto cycle = [&](const std::string& digits, base::Cycle otherwise) {
    if (digits.empty()) return otherwise;
    base::Cycle value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size())
      fail(fmt::format("'{}' is no core cycle", digits));
    return value;
  };
  request.from = cycle(text.substr(first + 1, second - first - 1), request.from);
  request.to = cycle(text.substr(second + 1), request.to);
  if (request.from > request.to) fail("ends before it begins");
  return request;
}

std::string wave_file(const WaveRequest& request) { return fmt::format("wave-{}.fst", request.block); }

std::vector<std::string> wave_files(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    names.push_back(wave_file(wave_request(text)));
    if (std::ranges::count(names, names.back()) > 1)
      throw base::InputError("--wave " + text, "is wanted twice, into one file", "leave one of them out");
  }
  return names;
}

WaveFiles::WaveFiles(const std::vector<std::string>& texts, const std::string& folder) {
  for (const std::string& text : texts) {
    Wave& wave = waves_.emplace_back(Wave{text, wave_request(text), nullptr, {}, nullptr});
    const HeldSignals held;
    wave.file = std::make_unique<Temporary>(
        (std::filesystem::path(folder) / fmt::format(".heddle-{}-wave{}.tmp", ::getpid(), waves_.size()))
            .string());
  }
}

WaveFiles::~WaveFiles() {
  for (Wave& wave : waves_) {
    wave.log.reset();
    std::error_code ignored;
    std::filesystem::remove(wave.file->path(), ignored);
    std::filesystem::remove(wave.file->path() + ".hier", ignored);
  }
}

void WaveFiles::listen_to(sim::Twins& twins) {
  twins.set_waves([this](const std::string& path, const char* block) -> sim::WaveWindow {
    sim::WaveWindow window;
    for (Wave& wave : waves_) {
      // The tables of a mechanism are behind one module: its path and the block's name tell them apart.
      if (!is_end(path, wave.request.block) && !is_end(path + "." + block, wave.request.block)) continue;
      wave.twins.push_back(path + "." + block);
      if (wave.twins.size() == 1 && window.file.empty())
        window = {wave.file->path(), wave.request.from, wave.request.to};
    }
    return window;
  });
}

void WaveFiles::begin(sim::Twins& twins) {
  Sockets sockets;
  collect(sc_core::sc_get_top_level_objects(), sockets);
  std::vector<std::string> known;
  for (const auto& [path, of] : sockets) known.push_back(path.substr(path.find('.') + 1));
  std::map<std::string, std::string> wanted;  // the option that names a block, by the block's path
  const auto note = [&](const std::string& path, const Wave& wave) {
    const auto [first, fresh] = wanted.emplace(path, wave.text);
    if (!fresh)
      throw base::InputError("--wave " + wave.text, "is the same block as --wave " + first->second,
                             "leave one of them out");
  };
  std::map<const sim::RecordedSocket*, std::string> recorded;  // the option that records a socket
  for (Wave& wave : waves_) {
    const std::string place = "--wave " + wave.text;
    if (wave.twins.size() == 1) {
      note(wave.twins[0], wave);
      continue;
    }
    std::vector<std::string> found = wave.twins;
    if (found.empty())
      for (const auto& [path, of] : sockets)
        if (is_end(path, wave.request.block)) found.push_back(path);
    if (found.empty()) {
      const auto near = base::nearest_name(wave.request.block, known);
      throw base::InputError(place,
                             fmt::format("there is no block '{}'{}", wave.request.block,
                                         near ? fmt::format("; did you mean '{}'?", *near) : ""),
                             fmt::format("blocks of this machine are {}", listed(known)));
    }
    if (found.size() > 1)
      throw base::InputError(place,
                             fmt::format("'{}' stands for {} blocks", wave.request.block, found.size()),
                             fmt::format("name one of {}", listed(found)));
    note(found[0], wave);
    wave.log =
        socket_log({wave.file->path(), wave.request.from, wave.request.to}, *twins.core_clock(), place);
    for (sim::RecordedSocket* socket : sockets.at(found[0])) {
      const auto [first, fresh] = recorded.emplace(socket, wave.text);
      if (!fresh)
        throw base::InputError(place, "has sockets that --wave " + first->second + " has, too",
                               "leave one of them out: a block's waveform has the sockets within it");
      socket->record(*wave.log);
    }
  }
}

void WaveFiles::take(sim::Twins& twins, OutputDir& out) {
  for (const sim::TwinUse& use : twins.uses())
    if (use.close_waves) use.close_waves();
  for (Wave& wave : waves_) {
    if (wave.log) wave.log->close();
    out.add(wave_file(wave.request), base::read_file(wave.file->path(), "waveform", kMostWaveBytes));
  }
}

}  // namespace heddle::cli
