// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <span>
#include <variant>

#include "base/error.h"
#include "base/parse.h"
#include "base/strings.h"
#include "base/suggestions.h"
#include "tables/terminal.h"

namespace prengdl {

namespace {

using Texts = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

/// What is wrong with the text; empty if it is a whole number.
std::string whole_number(const std::string& text) {
  const auto number = parse_integer(text);
  return number && *number >= 0 ? "" : text + " is not a whole number";
}

}  // namespace

/// What one of the calls has declared.
struct Arguments::Option {
  enum class Kind { flag, text, texts, count, pairs, word, optional_word, words };
  Kind kind;
  std::string_view names;
  std::string_view help;
  std::string_view placeholder;
  std::variant<bool*, std::size_t*, std::string*, Texts*, Pairs*> value;

  template <typename Type>
  Type& as() const {
    return *std::get<Type*>(value);
  }
  /// How many words follow its name.
  std::size_t values() const { return kind == Kind::flag ? 0 : kind == Kind::pairs ? 2 : 1; }
  bool has_dash() const { return names.starts_with('-'); }
  bool is_called(std::string_view word) const {
    const auto all = split(names, ',');
    return std::find(all.begin(), all.end(), word) != all.end();
  }
};

/// The library with the declared options.
class Arguments::Parser {
 public:
  explicit Parser(const Arguments& arguments) {
    app_.name("prengdl " + std::string(arguments.command_));
    app_.description(std::string(arguments.description_));
    app_.footer(std::string(arguments.footer_));
    formatter_->rest = arguments.rest_;
    formatter_->column_width(34);
    app_.formatter(formatter_);
  }

  void add(const Option& option) {
    const std::string names(option.names);
    const std::string help(option.help);
    const std::string placeholder(option.placeholder);
    switch (option.kind) {
      case Option::Kind::flag:
        app_.add_flag(names, option.as<bool>(), help);
        break;
      case Option::Kind::text:
        app_.add_option(names, option.as<std::string>(), help)->option_text(placeholder);
        break;
      case Option::Kind::texts:
        // One value each time: `-c a -c b`, so that what follows is never swallowed.
        app_.add_option(names, option.as<Texts>(), help)
            ->option_text(placeholder)
            ->expected(1)
            ->allow_extra_args(false)
            ->take_all();
        break;
      case Option::Kind::count:
        // Checked as text first: the library would wrap a negative number around.
        app_.add_option(names, option.as<std::size_t>(), help)
            ->option_text("N")
            ->check(whole_number);
        break;
      case Option::Kind::pairs:
        app_.add_option(names, option.as<Pairs>(), help)
            ->option_text(placeholder)
            ->expected(1)
            ->allow_extra_args(false)
            ->take_all();
        break;
      case Option::Kind::word:
        app_.add_option(names, option.as<std::string>(), help)->option_text(" ")->required();
        break;
      case Option::Kind::optional_word:
        app_.add_option(names, option.as<std::string>(), help)->option_text(" ");
        break;
      case Option::Kind::words:
        app_.add_option(names, option.as<Texts>(), help)->option_text(" ");
        break;
    }
  }

  CLI::App& app() { return app_; }

 private:
  /// The usage line in our own words: what comes after `--` is not an option of ours.
  class Formatter final : public CLI::Formatter {
   public:
    std::string rest;
    std::string make_usage(const CLI::App*, std::string command) const override {
      return "usage: " + command + " [OPTIONS]" + rest + "\n";
    }
  };
  std::shared_ptr<Formatter> formatter_ = std::make_shared<Formatter>();
  CLI::App app_;
};

Arguments::Arguments(std::string_view command, std::string_view description)
    : command_(command), description_(description) {}
Arguments::~Arguments() = default;

void Arguments::flag(std::string_view names, bool& value, std::string_view help) {
  options_.push_back({Option::Kind::flag, names, help, {}, &value});
}
void Arguments::text(std::string_view names, std::string& value, std::string_view help,
                     std::string_view placeholder) {
  options_.push_back({Option::Kind::text, names, help, placeholder, &value});
}
void Arguments::texts(std::string_view names, std::vector<std::string>& values,
                      std::string_view help, std::string_view placeholder) {
  options_.push_back({Option::Kind::texts, names, help, placeholder, &values});
}
void Arguments::count(std::string_view names, std::size_t& value, std::string_view help) {
  options_.push_back({Option::Kind::count, names, help, {}, &value});
}
void Arguments::pairs(std::string_view names,
                      std::vector<std::pair<std::string, std::string>>& values,
                      std::string_view help, std::string_view placeholder) {
  options_.push_back({Option::Kind::pairs, names, help, placeholder, &values});
}
void Arguments::word(std::string_view name, std::string& value, std::string_view help) {
  options_.push_back({Option::Kind::word, name, help, {}, &value});
  rest_.append(" ").append(name);
}
void Arguments::optional_word(std::string_view name, std::string& value, std::string_view help) {
  options_.push_back({Option::Kind::optional_word, name, help, {}, &value});
  rest_.append(" [").append(name).append("]");
}
void Arguments::words(std::string_view name, std::vector<std::string>& values,
                      std::string_view help) {
  options_.push_back({Option::Kind::words, name, help, {}, &values});
  rest_.append(" [").append(name).append("]...");
}
void Arguments::command_line(std::vector<std::string>& words, std::string_view help) {
  command_line_ = &words;
  rest_.append(" ").append(help);
}
void Arguments::footer(std::string_view text) { footer_ = text; }

const Arguments::Option* Arguments::option_called(const std::string& word) const {
  const auto found = std::find_if(options_.begin(), options_.end(), [&](const Option& option) {
    return option.has_dash() && option.is_called(word);
  });
  return found == options_.end() ? nullptr : &*found;
}

/// The library takes any word as a value: `--output --json` would make a directory `--json`.
void Arguments::refuse_swallowed_options(std::span<const std::string> given) const {
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Option* const option = option_called(given[i]);
    const std::string& name = given[i];
    for (std::size_t left = option ? option->values() : 0; left > 0; --left) {
      if (i + 1 == given.size())
        throw UsageError(name + (option->values() == 2 ? " needs two values" : " needs a value"),
                         "write " + name + " " +
                             std::string(option->placeholder.empty() ? "N" : option->placeholder));
      if (const std::string& value = given[++i]; option_called(value))
        throw UsageError(fmt::format("{} needs a value, but {} is an option", name, value),
                         fmt::format("write {}={} if you mean it as a value", name, value));
    }
  }
}

bool Arguments::parse(const std::vector<std::string>& arguments) {
  // The measured command's own options must not be taken for ours: cut at `--` first.
  auto end = arguments.end();
  if (command_line_) {
    end = std::find(arguments.begin(), arguments.end(), "--");
    if (end != arguments.end()) command_line_->assign(end + 1, arguments.end());
  }
  const std::span given(arguments.begin(), end);
  refuse_swallowed_options(given);

  const std::vector<std::string> reversed(given.rbegin(), given.rend());  // as the library takes it
  Parser parser(*this);
  for (const auto& option : options_) parser.add(option);
  const std::string command = "prengdl " + std::string(command_);
  try {
    auto words = reversed;
    parser.app().parse(words);
    return true;
  } catch (const CLI::CallForHelp&) {
    show(parser.app().help());
    return false;
  } catch (const CLI::ExtrasError& error) {
    const auto unknown = parser.app().remaining();
    const std::string word = unknown.empty() ? error.what() : unknown.front();
    std::vector<std::string> known;
    for (const auto* option : parser.app().get_options())
      for (const auto& name : option->get_lnames()) known.push_back("--" + name);
    const auto meant = word.starts_with("-") ? nearest(word, known) : std::nullopt;
    throw UsageError("unknown argument '" + word + "'",
                     meant ? "did you mean " + *meant + "?"
                     : command_line_ && !word.starts_with("-")
                         ? "write the command after --, or each one with -c \"...\""
                         : "see " + command + " --help");
  } catch (const CLI::RequiredError& error) {
    // The library says "STUDY is required".
    const std::string name =
        std::string(error.what()).substr(0, std::string(error.what()).find(' '));
    throw UsageError(command + " needs a " + name, "see " + command + " --help");
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what(), "see " + command + " --help");
  }
}

}  // namespace prengdl
