#include "cli/output_dir.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/text_input.h"
#include "cli/new_file.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// Results that only some runs write.
constexpr std::array<const char*, 3> kOptionalResults = {"profile.txt", "profile.json", "samples.sqlite"};
constexpr const char* kIndex = "host.json";
constexpr std::size_t kMaxIndexBytes = std::size_t{64} << 20;

}  // namespace

OutputDir::OutputDir(std::string path, const std::vector<std::string>& files, OutputNames& names)
    : given_("--out " + path) {
  if (path.empty()) throw base::InputError("--out", "no folder given");
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  try {
    make(path);
    std::error_code error;
    path_ = fs::canonical(path, error).string();
    if (error) throw base::InputError(given_, error.message());
    for (const std::string& name : files) names.writes(in(name), given_);
    // What this run does not write it may remove.
    for (const char* name : kOptionalResults)
      if (std::find(files.begin(), files.end(), name) == files.end()) names.removes(in(name), given_);
  } catch (...) {
    remove_empty();
    throw;
  }
}

OutputDir::~OutputDir() { remove_empty(); }

void OutputDir::remove_empty() noexcept {
  for (; !made_.empty(); made_.pop_back()) ::rmdir(made_.back()->path().c_str());
}

void OutputDir::make(const std::string& folder) {
  const auto refuse = [&](const std::string& why) {
    throw base::InputError(given_, why, "choose another folder, or make this one usable");
  };
  std::vector<fs::path> missing;
  for (fs::path p = folder; !p.empty(); p = p.parent_path()) {
    std::error_code error;
    const fs::file_status status = fs::status(p, error);
    if (fs::is_directory(status)) break;
    if (fs::exists(status)) refuse(fmt::format("'{}' exists and is not a folder", p.string()));
    if (fs::is_symlink(fs::symlink_status(p, error)))
      refuse(fmt::format("'{}' is a link to '{}', which does not exist", p.string(),
                         fs::read_symlink(p, error).string()));
    if (status.type() != fs::file_type::not_found)
      refuse(fmt::format("cannot look at '{}': {}", p.string(), error.message()));
    missing.push_back(p);
    if (p == p.parent_path()) break;
  }
  for (auto p = missing.rbegin(); p != missing.rend(); ++p) {
    std::error_code error;
    const HeldSignals held;
    const bool made = fs::create_directory(*p, error);
    if (error) refuse(fmt::format("cannot create '{}': {}", p->string(), error.message()));
    // Absolute, because the working directory may have changed when a signal arrives.
    if (made) made_.push_back(std::make_unique<Temporary>(fs::absolute(*p).string()));
  }
}

bool OutputDir::repeats(const std::string& platform_file) const {
  std::error_code none;
  return fs::equivalent(platform_file, in("config.yaml"), none);
}

std::map<std::string, std::uint64_t> OutputDir::sizes() const {
  std::map<std::string, std::uint64_t> sizes;
  for (const auto& [name, content] : files_) sizes[name] = content.size();
  return sizes;
}

std::map<std::string, std::uint64_t> OutputDir::earlier() const {
  std::map<std::string, std::uint64_t> sizes;
  std::error_code ignored;
  if (!fs::is_regular_file(in(kIndex), ignored)) return sizes;
  std::ifstream stream(in(kIndex), std::ios::binary);
  const auto text = base::read_all(stream, kMaxIndexBytes);
  if (!text) return sizes;
  const auto index = nlohmann::json::parse(*text, nullptr, false);
  if (!index.is_object() || !index.contains("files") || !index["files"].is_object()) return sizes;
  for (const auto& [name, size] : index["files"].items())
    if (size.is_number_unsigned()) sizes[name] = size.get<std::uint64_t>();
  return sizes;
}

void OutputDir::remove_stale(const std::map<std::string, std::uint64_t>& earlier) {
  for (const char* name : kOptionalResults) {
    std::error_code error;
    const fs::path file = in(name);
    const fs::file_status status = fs::symlink_status(file, error);
    if (files_.contains(name) || !fs::exists(status)) continue;
    const auto listed = earlier.find(name);
    const bool known = listed != earlier.end() && fs::is_regular_file(status) &&
                       fs::file_size(file, error) == listed->second && !error;
    if (!known || !fs::remove(file, error)) foreign_.emplace_back(name);
  }
}

void OutputDir::commit() {
  const auto listed = earlier();
  std::error_code ignored;
  fs::create_directories(path_, ignored);  // in case it has been removed meanwhile
  std::vector<std::string> failures;
  std::vector<std::string> missing;
  std::vector<std::string> saved;
  const auto attempt = [&](const std::string& name, const auto& step) {
    try {
      step();
      return true;
    } catch (const base::Error& error) {
      failures.push_back(error.message());
      missing.push_back(name);
      return false;
    }
  };
  // All are written before the first is renamed, so that an earlier run's results stay consistent as long as
  // possible.
  std::map<std::string, std::unique_ptr<NewFile>> written;
  for (const auto& entry : files_)
    attempt(entry.first, [&] {
      auto file = std::make_unique<NewFile>(in(entry.first), given_);
      file->write(entry.second);
      file->finish();
      written[entry.first] = std::move(file);
    });
  for (const auto& entry : written)
    if (attempt(entry.first, [&] { entry.second->commit(); })) saved.push_back(entry.first);
  if (!saved.empty()) made_.clear();
  remove_stale(listed);
  if (failures.empty()) return;
  std::string old;
  for (const std::string& name : missing)
    if (fs::exists(in(name), ignored)) old += (old.empty() ? "" : ", ") + name;
  throw base::InputError(given_, fmt::format("{}", fmt::join(failures, "\n  ")),
                         (saved.empty() ? std::string("no result was written")
                                        : fmt::format("written are: {}", fmt::join(saved, ", "))) +
                             (old.empty() ? "" : fmt::format("; of an earlier run are still: {}", old)) +
                             "\n  check folder, permissions and free space");
}

}  // namespace heddle::cli
