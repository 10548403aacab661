// The folder of --out. A run replaces the result files that it writes, each atomically, and touches nothing
// else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/output_names.h"
#include "cli/temporaries.h"

namespace heddle::cli {

class OutputDir {
 public:
  /// Creates the folder and its missing parents before the simulation, and checks that each of `files` can be
  /// written to it. Throws base::InputError.
  OutputDir(std::string path, const std::vector<std::string>& files, OutputNames& names);
  /// Removes folders that were created here and are still empty.
  ~OutputDir();
  OutputDir(const OutputDir&) = delete;
  OutputDir& operator=(const OutputDir&) = delete;

  void add(const std::string& name, std::string content) { files_[name] = std::move(content); }
  /// Sizes of the added files by name, recorded in host.json as "files".
  [[nodiscard]] std::map<std::string, std::uint64_t> sizes() const;
  /// Writes the files. If one cannot be written (a full disk), the others are written, and base::InputError
  /// lists the missing ones. Results of an earlier run that this run does not write could be mistaken for its
  /// own. They are removed if that run's host.json lists them and they have not changed since.
  void commit();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Whether the file is the folder's config.yaml. A run may read it from its own folder, to repeat it.
  [[nodiscard]] bool repeats(const std::string& platform_file) const;
  /// Files with the name of a result that belong neither to this run nor to a known earlier one. Valid after
  /// commit().
  [[nodiscard]] const std::vector<std::string>& foreign() const { return foreign_; }

 private:
  void make(const std::string& folder);
  void remove_empty() noexcept;
  [[nodiscard]] std::string in(const std::string& name) const { return path_ + "/" + name; }
  /// Sizes of the files of the run that wrote host.json, by name.
  [[nodiscard]] std::map<std::string, std::uint64_t> earlier() const;
  void remove_stale(const std::map<std::string, std::uint64_t>& earlier);

  std::string given_;
  std::string path_;
  std::map<std::string, std::string> files_;
  std::vector<std::unique_ptr<Temporary>> made_;  ///< folders, outermost first
  std::vector<std::string> foreign_;
};

}  // namespace heddle::cli
