// The folder of --out. A run replaces the result files that it writes, each as a whole, and touches nothing
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
  /// Makes the folder with its missing parents now, before the simulation, and checks that each of `files`
  /// can be written into it. Throws base::InputError.
  OutputDir(std::string path, const std::vector<std::string>& files, OutputNames& names);
  /// Folders that were made here and are still empty disappear again.
  ~OutputDir();
  OutputDir(const OutputDir&) = delete;
  OutputDir& operator=(const OutputDir&) = delete;

  void add(const std::string& name, std::string content) { files_[name] = std::move(content); }
  /// By name, of what has been added: to be kept in host.json as "files".
  [[nodiscard]] std::map<std::string, std::uint64_t> sizes() const;
  /// Writes the files. Where one cannot be written (a full disk), the others are, and base::InputError says
  /// which are missing. A result of an earlier run that this run does not write would pass for one of this
  /// run: it is removed if the earlier run's host.json tells that it is one, and has not changed since.
  void commit();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Files that carry the name of a result, but are neither of this run nor known to be of an earlier one.
  /// After commit().
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
