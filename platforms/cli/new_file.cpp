#include "cli/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;
constexpr mode_t kPermissions = 07777;

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : "."; }

/// The open file descriptor of this process that the path refers to, or -1.
int descriptor_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.empty() || name.size() > 6 || name.find_first_not_of("0123456789") != std::string::npos) return -1;
  std::error_code error;
  const fs::path folder = fs::canonical(folder_of(path), error);
  return !error && folder == fs::canonical("/proc/self/fd", error) && !error ? std::stoi(name) : -1;
}

bool is_mount_point(const std::string& path) {
#ifdef STATX_ATTR_MOUNT_ROOT
  struct statx status {};
  return ::statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
  (void)path;
  return false;
#endif
}

/// In a sticky directory (/tmp) only the owner of a file may replace it.
bool belongs_to_others(const struct stat& file, const fs::path& folder) {
  struct stat status {};
  const uid_t user = ::geteuid();
  return user != 0 && ::stat(folder.c_str(), &status) == 0 && (status.st_mode & S_ISVTX) != 0 &&
         file.st_uid != user && status.st_uid != user;
}

}  // namespace

Destination destination(const std::string& path) {
  fs::path end = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    if (const int descriptor = descriptor_of(end); descriptor >= 0) return {path, true, descriptor};
    if (!fs::is_symlink(fs::symlink_status(end, error))) break;
    const fs::path target = fs::read_symlink(end, error);
    if (error) break;
    end = end.parent_path() / target;  // an absolute target replaces the folder
  }
  return {end.string(), fs::is_other(fs::status(end, error))};
}

NewFile::NewFile(std::string path, std::string place)
    : path_(std::move(path)), place_(std::move(place)), to_(destination(path_)) {
  if (path_.empty()) fail("no file name given");
  if (path_.back() == '/') fail("it is the name of a folder");
  if (to_.descriptor >= 0) {
    std::fflush(stdout);
    const int mode = ::fcntl(to_.descriptor, F_GETFL);
    if (mode < 0) fail(errno);
    if ((mode & O_ACCMODE) == O_RDONLY) fail("it is open for reading only");
    return;
  }
  struct stat status {};
  const bool exists = ::stat(to_.path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if (exists && S_ISDIR(status.st_mode)) fail("it is a directory");
  if (exists && S_ISSOCK(status.st_mode)) fail("it is a socket");
  if (exists && ::access(to_.path.c_str(), W_OK) != 0) fail(errno);
  if (to_.in_place) return;
  const fs::path folder = folder_of(to_.path);
  std::error_code error;
  if (!fs::is_directory(folder, error)) fail(fmt::format("there is no folder '{}'", folder.string()));
  if (exists && is_mount_point(to_.path)) fail("it is a mount point, which no file can replace");
  if (exists && belongs_to_others(status, folder)) fail("it belongs to somebody else, in a sticky folder");
  open();
  if (!exists) return;
  // Only root can change the owner; for other users the new file is theirs, as with any editor.
  (void)!::fchown(::fileno(file_), status.st_uid, status.st_gid);
  ::fchmod(::fileno(file_), status.st_mode & kPermissions);
}

void NewFile::open() {
  static unsigned count = 0;
  for (;;) {
    const fs::path name = folder_of(to_.path) / fmt::format(".heddle-{}-{}.tmp", ::getpid(), ++count);
    const HeldSignals held;
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    // Processes on other machines or in other containers may share the folder and the process id.
    if (file < 0 && errno == EEXIST) continue;
    if (file < 0) fail(errno);
    temporary_ = std::make_unique<Temporary>(name.string());
    file_ = ::fdopen(file, "wb");
    if (file_ == nullptr) {
      const int error = errno;
      ::close(file);
      drop();
      fail(error);
    }
    return;
  }
}

NewFile::~NewFile() { drop(); }

void NewFile::drop() noexcept {
  if (file_ != nullptr) std::fclose(std::exchange(file_, nullptr));
  if (temporary_ != nullptr) ::unlink(temporary_->path().c_str());
  temporary_.reset();
}

void NewFile::fail(const std::string& why) const {
  throw base::InputError(place_, fmt::format("cannot write '{}': {}", path_, why),
                         "check folder, permissions and free space");
}

void NewFile::fail(int error) const { fail(std::string(std::strerror(error))); }

void NewFile::write(std::string_view text) {
  if (error_ != 0) return;
  if (file_ ==
      nullptr) {  // in place: opened on the first write, since opening may block until there is a reader
    const int file = to_.descriptor >= 0 ? ::dup(to_.descriptor)
                                         : ::open(to_.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file >= 0) file_ = ::fdopen(file, "wb");
    if (file_ == nullptr) {
      error_ = errno;
      return;
    }
  }
  if (std::fwrite(text.data(), 1, text.size(), file_) == text.size()) return;
  error_ = errno;
  drop();
}

void NewFile::finish() {
  if (file_ != nullptr) {
    const bool written = std::fflush(file_) == 0;
    if (!written) error_ = errno;
    if (std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
  }
  if (error_ == 0) return;
  drop();
  fail(error_);
}

void NewFile::commit() {
  finish();
  if (temporary_ == nullptr) return;
  if (::rename(temporary_->path().c_str(), to_.path.c_str()) != 0) {
    const int error = errno;
    drop();
    fail(error);
  }
  temporary_.reset();
}

}  // namespace heddle::cli
