// A file that appears under its name only when it is complete.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "cli/temporaries.h"

namespace heddle::cli {

/// The destination of a file that is to be written under a name.
struct Destination {
  std::string path;       ///< the name with symbolic links resolved: a link is kept
  bool in_place = false;  ///< not a regular file (a device, a pipe): written directly, never replaced
  int descriptor = -1;    ///< the name refers to an open file of this process (/dev/stdout, /dev/fd/3)
};
[[nodiscard]] Destination destination(const std::string& path);

/// Written under a temporary name in the folder of its destination and renamed by commit(): the name holds
/// either its old content or all of the new. Keeps mode and owner of a file that it replaces. A device or
/// pipe is written in place. Errors are base::InputError at `place` (the option that named the file).
class NewFile {
 public:
  /// Throws if the file cannot be written for any reason except a full disk.
  NewFile(std::string path, std::string place);
  /// Without commit(), removes the temporary file.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// After a failure the file's disk space is released at once; finish() reports the failure. The run can
  /// continue.
  void write(std::string_view text);
  /// Completes the file without renaming it.
  void finish();
  /// finish(), then renames the file.
  void commit();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void open();
  void drop() noexcept;
  [[noreturn]] void fail(const std::string& why) const;
  [[noreturn]] void fail(int error) const;

  std::string path_;
  std::string place_;
  Destination to_;
  std::unique_ptr<Temporary> temporary_;
  std::FILE* file_ = nullptr;
  int error_ = 0;  ///< errno of the first write that failed
};

}  // namespace heddle::cli
