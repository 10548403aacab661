// The folder of --out: all results of a run or, after any error, nothing.
#pragma once

#include <map>
#include <string>

namespace heddle::cli {

class OutputDir {
 public:
  /// Checks now, before the simulation, that `path` can be made: it does not exist, is empty, or holds the
  /// results of an earlier run (which will be replaced). Leaves nothing behind. Throws sim::InputError.
  explicit OutputDir(std::string path);

  void add(const std::string& name, std::string content) { files_[name] = std::move(content); }
  /// Writes all files into a sibling folder and renames it to `path`. Throws sim::InputError and leaves
  /// `path` as it was if that fails.
  void commit();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::map<std::string, std::string> files_;
};

}  // namespace heddle::cli
