#include "cli/output_dir.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "cli/files.h"
#include "sim/error.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

// Present in every results folder: how an earlier run's results are told from somebody's files.
constexpr const char* kMarker = "stats.json";

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& remedy = {}) {
  throw sim::InputError("--out " + path, why, remedy);
}

/// A new folder, with its missing parents; unless keep() was called, all that was created is removed again.
class NewFolder {
 public:
  NewFolder(const fs::path& folder, const std::string& out) : folder_(folder) {
    std::vector<fs::path> missing;
    std::error_code error;
    for (fs::path p = folder_; !p.empty() && !fs::exists(p, error); p = p.parent_path()) {
      missing.push_back(p);
      if (p == p.parent_path()) break;
    }
    for (auto p = missing.rbegin(); p != missing.rend(); ++p) {
      fs::create_directory(*p, error);
      if (error) {
        remove();
        refuse(out, fmt::format("cannot create the folder: {}", error.message()));
      }
      created_.push_back(*p);
    }
  }
  ~NewFolder() { remove(); }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  [[nodiscard]] const fs::path& path() const { return folder_; }
  void keep() { created_.clear(); }

 private:
  void remove() {
    std::error_code ignored;
    if (!created_.empty() && created_.back() == folder_) {
      fs::remove_all(folder_, ignored);
      created_.pop_back();
    }
    for (; !created_.empty(); created_.pop_back()) fs::remove(created_.back(), ignored);
  }

  fs::path folder_;
  std::vector<fs::path> created_;  ///< outermost first
};

fs::path sibling(const std::string& path, const char* purpose) {
  return fmt::format("{}.{}{}", path, purpose, ::getpid());
}

}  // namespace

OutputDir::OutputDir(std::string path) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  if (path_.empty()) throw sim::InputError("--out", "no folder given");
  std::error_code error;
  path_ = fs::absolute(path_, error).lexically_normal().string();
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status)) {
    if (!fs::is_directory(status)) refuse(path_, "exists and is not a folder", "choose another name");
    const bool empty = fs::is_empty(path_, error);
    if (error) refuse(path_, error.message());
    if (!empty && !fs::exists(fs::path(path_) / kMarker, error))
      refuse(path_, "exists and holds something else than results of heddle",
             "choose another folder, or remove this one");
  }
  const NewFolder probe(sibling(path_, "tmp"), path_);
}

void OutputDir::commit() {
  NewFolder fresh(sibling(path_, "tmp"), path_);
  for (const auto& [name, content] : files_)
    write_text((fresh.path() / name).string(), content, "--out " + path_);

  const fs::path old = sibling(path_, "old");
  std::error_code error;
  const bool replaces = fs::exists(path_, error);
  if (replaces) fs::rename(path_, old, error);
  if (error) refuse(path_, fmt::format("cannot replace the folder: {}", error.message()));
  fs::rename(fresh.path(), path_, error);
  if (error) {
    std::error_code ignored;
    if (replaces) fs::rename(old, path_, ignored);
    refuse(path_, fmt::format("cannot create the folder: {}", error.message()));
  }
  fresh.keep();
  if (replaces) fs::remove_all(old, error);
}

}  // namespace heddle::cli
