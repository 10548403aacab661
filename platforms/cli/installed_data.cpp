#include "cli/installed_data.h"

#include <filesystem>
#include <system_error>

#include "gpu/platform_files.h"
#include "report/page.h"
#include "workloads/ptx_folder.h"

namespace heddle::cli {

void use_installed_data() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  if (error) return;
  const fs::path data = (command.parent_path() / HEDDLE_DATA_FROM_COMMAND).lexically_normal();
  if (fs::is_directory(data / "platforms", error)) gpu::use_platform_folder((data / "platforms").string());
  if (fs::is_directory(data / "workloads", error))
    workloads::use_workload_folder((data / "workloads").string());
  if (fs::is_directory(data / "report", error)) report::use_report_folder((data / "report").string());
}

}  // namespace heddle::cli
