#include "base/yaml_document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <sstream>

#include "base/error.h"

namespace heddle::base {

/// Makes the tree of the first document; of another one only where it begins.
class YamlDocument::Builder : public YAML::EventHandler {
 public:
  explicit Builder(YamlDocument& document) : document_(document) {}

  [[nodiscard]] const YAML::Mark& start() const { return start_; }
  void only_where_it_begins() { ignores_ = true; }

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(YamlNode::Kind::kNull, mark, anchor);
  }
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t anchor) override {
    if (!ignores_) attach(anchors_.at(anchor));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                const std::string& value) override {
    if (YamlNode* const node = add(YamlNode::Kind::kScalar, mark, anchor)) node->scalar = value;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(add(YamlNode::Kind::kSequence, mark, anchor));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(add(YamlNode::Kind::kMap, mark, anchor));
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode* node;
    const YamlNode* key;  ///< of a map, whose value comes next
  };

  YamlNode* add(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (ignores_) return nullptr;
    YamlNode& node = document_.nodes_.emplace_back();
    node.kind = kind;
    node.mark = mark;
    if (anchor != YAML::NullAnchor) {
      if (anchors_.size() <= anchor) anchors_.resize(anchor + 1);
      anchors_[anchor] = &node;
    }
    attach(&node);
    return &node;
  }
  void attach(const YamlNode* node) {
    if (open_.empty()) {
      document_.root_ = node;
      return;
    }
    auto& [parent, key] = open_.back();
    if (parent->kind != YamlNode::Kind::kMap) return;  // what a sequence holds, nobody asks
    if (key == nullptr) {
      key = node;
    } else {
      parent->pairs.emplace_back(key, node);
      key = nullptr;
    }
  }
  void open(YamlNode* node) {
    if (!ignores_) open_.push_back({node, nullptr});
  }
  void close() {
    if (!ignores_) open_.pop_back();
  }

  YamlDocument& document_;
  YAML::Mark start_;
  bool ignores_ = false;
  std::vector<Open> open_;                ///< maps and sequences, outermost first
  std::vector<const YamlNode*> anchors_;  ///< by number, from 1
};

YamlDocument::YamlDocument(const std::string& text, const std::string& name, const char* remedy) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Builder builder(*this);
    const bool is_there = parser.HandleNextDocument(builder);
    builder.only_where_it_begins();
    // Not YAML::LoadAll(): it never returns from text such as "[1], 2".
    if (is_there && parser.HandleNextDocument(builder))
      throw InputError(fmt::format("{}:{}:{}", name, builder.start().line + 1, builder.start().column + 1),
                       "malformed YAML: a configuration file holds one document, but more follows it here",
                       "put each document into a file of its own");
  } catch (const YAML::Exception& e) {
    throw InputError(fmt::format("{}:{}:{}", name, e.mark.line + 1, e.mark.column + 1),
                     fmt::format("malformed YAML: {}", e.msg), remedy);
  }
  if (root_ == nullptr) root_ = &nodes_.emplace_back();
}

}  // namespace heddle::base
