// The folder of heddle threads: sets of threads' traces. A recording takes the place of an earlier one as a whole, when it
// is complete; files that heddle threads has not written stay.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/output_dir.h"
#include "cli/output_names.h"

namespace heddle::cli {

class TraceFolder {
 public:
  /// Makes the folder and its missing parents. Throws base::InputError.
  explicit TraceFolder(const std::string& path);
  /// Removes what has been recorded and not committed, and folders that were made here and are empty.
  ~TraceFolder();
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  /// Where to record: an empty folder. Sets are folders in it; a single set may be files in it.
  [[nodiscard]] const std::filesystem::path& recording() const { return recording_; }
  /// Removes the traces of an earlier recording and moves the new ones to their place. Throws base::InputError.
  void commit();
  /// Traces in the folder that are not of this recording. Valid after commit().
  [[nodiscard]] const std::vector<std::string>& foreign() const { return foreign_; }

 private:
  void remove_earlier();
  void move_recorded();
  [[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) const;

  std::string given_;
  OutputNames names_;
  OutputDir folder_;
  std::filesystem::path recording_;
  std::vector<std::string> foreign_;
};

}  // namespace heddle::cli
