#include "cli/trace_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "resync/record_format.h"
#include "resync/trace_recorder.h"

namespace heddle::cli {

namespace fs = std::filesystem;

TraceFolder::TraceFolder(const std::string& path) : given_("--out " + path), folder_(path, {}, names_) {
  // Within the folder, so that moving is renaming; hidden, so that nobody takes it for a set.
  recording_ = fs::path(folder_.path()) / fmt::format(".heddle-{}.tmp", ::getpid());
  std::error_code error;
  fs::remove_all(recording_, error);  // of a process that was killed
  if (!fs::create_directory(recording_, error) || error) refuse(recording_, error.message());
}

TraceFolder::~TraceFolder() {
  std::error_code ignored;
  fs::remove_all(recording_, ignored);
}

void TraceFolder::refuse(const fs::path& path, const std::string& why) const {
  throw base::InputError(given_, fmt::format("'{}': {}", path.string(), why),
                         "check folder, permissions and free space");
}

void TraceFolder::remove_earlier() {
  const auto remove_traces = [this](const fs::path& folder) {
    std::vector<fs::path> traces;
    for (const auto& entry : fs::directory_iterator(folder))
      if (!entry.is_directory() && resync::is_trace_name(entry.path().filename().string()))
        traces.push_back(entry.path());
    for (const fs::path& trace : traces) {
      std::error_code error;
      fs::remove(trace, error);
      if (error) refuse(trace, "cannot be replaced: " + error.message());
    }
  };
  std::vector<fs::path> sets;
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    if (entry.is_directory() && !entry.is_symlink() && resync::is_set_name(entry.path().filename().string()))
      sets.push_back(entry.path());
  for (const fs::path& set : sets) {
    remove_traces(set);
    ::rmdir(set.c_str());  // unless there is something else in it
  }
  remove_traces(folder_.path());
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    const fs::path name = entry.path().lexically_relative(folder_.path());
    if (!name.string().starts_with('.') && entry.is_regular_file() &&
        name.extension() == resync::kTraceExtension)
      foreign_.push_back(name.string());
  }
  std::sort(foreign_.begin(), foreign_.end());
}

void TraceFolder::move_recorded() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(recording_))
    if (entry.is_regular_file()) files.push_back(entry.path());
  for (const fs::path& file : files) {
    const fs::path to = fs::path(folder_.path()) / file.lexically_relative(recording_);
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    if (!error) fs::rename(file, to, error);
    if (error) refuse(to, error.message());
  }
}

void TraceFolder::commit() {
  try {
    remove_earlier();
    move_recorded();
  } catch (const fs::filesystem_error& error) {
    refuse(error.path1(), error.code().message());
  }
}

}  // namespace heddle::cli
