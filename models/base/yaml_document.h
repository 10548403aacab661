// A YAML document as a tree, from one pass over the text.
#pragma once

#include <yaml-cpp/mark.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace heddle::base {

/// What configuration files are made of. yaml-cpp's own nodes take three times as long to make, and a second pass to see that
/// nothing follows the document.
struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };
  Kind kind = Kind::kNull;
  YAML::Mark mark;     ///< where it begins; lines and columns from 0
  std::string scalar;  ///< empty unless a scalar
  std::vector<std::pair<const YamlNode*, const YamlNode*>>
      pairs;  ///< of a map, in order; a key may occur twice
};

class YamlDocument {
 public:
  /// Throws InputError (`name`:line:column) where the text is malformed or holds a second document; `remedy` goes with the former.
  YamlDocument(const std::string& text, const std::string& name, const char* remedy);

  /// Null for a text without a document. An alias is the node that it stands for, so a tree may contain itself.
  [[nodiscard]] const YamlNode& root() const { return *root_; }

 private:
  class Builder;
  std::deque<YamlNode> nodes_;
  const YamlNode* root_ = nullptr;
};

}  // namespace heddle::base
