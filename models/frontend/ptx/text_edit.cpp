#include "frontend/ptx/text_edit.h"

#include <algorithm>

namespace heddle::ptx {

TextEdit::TextEdit(std::string text) : text_(std::move(text)), lines_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') lines_.push_back(i + 1);
}

std::size_t TextEdit::offset(isa::SourceLoc where) const {
  return lines_.at(where.line - 1) + where.column - 1;
}

std::size_t TextEdit::skip(std::size_t at) const {
  const auto until = [&](std::string_view what, std::size_t from) {
    const std::size_t found = text_.find(what, from);
    return found == std::string::npos ? text_.size() : found + what.size();
  };
  const std::string_view here = std::string_view(text_).substr(at, 2);
  if (here == "//") return until("\n", at);
  if (here == "/*") return until("*/", at + 2);
  return here.starts_with('"') ? until("\"", at + 1) : at;
}

std::size_t TextEdit::find(std::size_t at, char wanted) const {
  while (at < text_.size()) {
    const std::size_t behind = skip(at);
    if (behind != at) {
      at = behind;
      continue;
    }
    if (text_[at] == wanted) return at;
    ++at;
  }
  return std::string::npos;
}

std::size_t TextEdit::statement_end(std::size_t at) const { return find(at, ';') + 1; }

std::size_t TextEdit::closing_brace(std::size_t open) const {
  std::size_t depth = 0;
  for (std::size_t at = open; at < text_.size();) {
    const std::size_t behind = skip(at);
    if (behind != at) {
      at = behind;
      continue;
    }
    if (text_[at] == '{') ++depth;
    if (text_[at] == '}' && --depth == 0) return at;
    ++at;
  }
  return std::string::npos;
}

void TextEdit::replace(std::size_t at, std::size_t length, std::string text) {
  changes_.push_back({at, length, std::move(text)});
}

std::string TextEdit::apply() const {
  std::vector<const Change*> order;
  for (const Change& change : changes_) order.push_back(&change);
  std::stable_sort(order.begin(), order.end(), [](const Change* a, const Change* b) {
    // Text inserted before a replaced range stays before it.
    return a->at != b->at ? a->at < b->at : a->length == 0 && b->length != 0;
  });
  std::string out;
  std::size_t done = 0;
  for (const Change* change : order) {
    out.append(text_, done, change->at - done);
    out += change->text;
    done = change->at + change->length;
  }
  return out.append(text_, done);
}

}  // namespace heddle::ptx
