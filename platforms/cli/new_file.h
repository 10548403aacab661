// A file that appears under its name when it is complete.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "cli/temporaries.h"

namespace heddle::cli {

/// Where a file that is to be written under a name goes.
struct Destination {
  std::string path;       ///< the name with symbolic links followed: the link stays one
  bool in_place = false;  ///< not a regular file (a device, a pipe): written as it is, never replaced
  int descriptor = -1;    ///< the name stands for an open file of this process (/dev/stdout, /dev/fd/3)
};
[[nodiscard]] Destination destination(const std::string& path);

/// Written under a temporary name in the folder of its destination and renamed by commit(): the name holds
/// either its old content or all of the new. Keeps mode and owner of a file that it replaces. A device or
/// pipe is written in place. Errors are base::InputError at `place` (the option that asked for the file).
class NewFile {
 public:
  /// Throws for any reason but a full disk that the file cannot be written for.
  NewFile(std::string path, std::string place);
  /// Without commit(): nothing has happened.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// A failure gives the file's space free at once and is reported by finish(): a run need not end for it.
  void write(std::string_view text);
  /// All is written, but not yet under its name.
  void finish();
  /// finish(), and the file has its name.
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
  int error_ = 0;  ///< of the first write that failed
};

}  // namespace heddle::cli
