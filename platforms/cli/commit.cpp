#include "cli/commit.h"

#include "cli/commit_text.h"

namespace heddle::cli {

std::string commit() { return HEDDLE_COMMIT; }

std::string version_and_commit() {
  return commit().empty() ? HEDDLE_VERSION : HEDDLE_VERSION " " HEDDLE_COMMIT;
}

}  // namespace heddle::cli
