// Which tree this program was built from.
#pragma once

#include <string>

namespace heddle::cli {

/// Commit of the tree, with "+" if it had been changed since; empty: it was no checkout.
[[nodiscard]] std::string commit();
/// "0.1.0 1234567890ab+": what results say of the program that made them.
[[nodiscard]] std::string version_and_commit();

}  // namespace heddle::cli
