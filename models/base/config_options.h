// Options of mechanisms that the configuration around them does not know: any number of structs with visit(), each
// found by its type or key. A value, like the configuration that it is part of.
#pragma once

#include <any>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "base/config.h"

namespace heddle::base {

/// One struct of options and where its keys are.
class ConfigOption {
 public:
  /// Keys `key`.*
  template <class Config>
  static ConfigOption section(std::string key, std::string doc, Config value = {}) {
    return {std::move(key), std::move(doc), std::move(value), [](ConfigOption& option, ConfigVisitor& v) {
              v.section(option.key_, *std::any_cast<Config>(&option.value_), option.doc_);
            }};
  }
  /// Keys of the section around it. `key`: the first of them.
  template <class Config>
  static ConfigOption fields(std::string key, Config value = {}) {
    return {std::move(key), "", std::move(value),
            [](ConfigOption& option, ConfigVisitor& v) { std::any_cast<Config>(&option.value_)->visit(v); }};
  }

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::type_info& type() const { return value_.type(); }
  void visit(ConfigVisitor& v) { visit_(*this, v); }
  /// Null: it is another struct.
  template <class Config>
  [[nodiscard]] Config* get() {
    return std::any_cast<Config>(&value_);
  }
  template <class Config>
  [[nodiscard]] const Config* get() const {
    return std::any_cast<Config>(&value_);
  }

 private:
  using Visit = void (*)(ConfigOption&, ConfigVisitor&);
  ConfigOption(std::string key, std::string doc, std::any value, Visit visit_keys)
      : key_(std::move(key)), doc_(std::move(doc)), value_(std::move(value)), visit_(visit_keys) {}

  std::string key_;
  std::string doc_;
  std::any value_;
  Visit visit_;
};

class ConfigOptions {
 public:
  /// Mechanisms may share options: the same key with the same struct is kept once.
  void add(const ConfigOption& option) {
    for (const ConfigOption& known : options_) {
      if (known.key() != option.key()) continue;
      if (known.type() == option.type()) return;
      throw std::logic_error("configuration key declared by two mechanisms: " + option.key());
    }
    options_.push_back(option);
  }
  void visit(ConfigVisitor& v) {
    for (ConfigOption& option : options_) option.visit(v);
  }
  [[nodiscard]] const std::vector<ConfigOption>& all() const { return options_; }
  /// The options of that type, and of that key if there are several. Throws std::logic_error if there are none.
  template <class Config>
  [[nodiscard]] Config& get(const std::string& key = "") {
    return find<Config>(options_, key);
  }
  template <class Config>
  [[nodiscard]] const Config& get(const std::string& key = "") const {
    return find<Config>(options_, key);
  }

 private:
  template <class Config, class Options>
  static auto& find(Options& options, const std::string& key) {
    for (auto& option : options)
      if (auto* const found = option.template get<Config>();
          found != nullptr && (key.empty() || key == option.key()))
        return *found;
    throw std::logic_error("no such configuration options: " + key + " (" + typeid(Config).name() + ")");
  }

  std::vector<ConfigOption> options_;
};

}  // namespace heddle::base
