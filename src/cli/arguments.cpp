// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "base/error.h"
#include "base/text.h"

namespace prengdl {

struct Arguments::Parser {
  /// The usage line in our own words: what comes after `--` is not an option of ours.
  class Formatter final : public CLI::Formatter {
   public:
    std::string rest;
    std::string make_usage(const CLI::App*, std::string command) const override {
      return "usage: " + command + " [OPTIONS]" + rest + "\n";
    }
  };

  std::shared_ptr<Formatter> formatter = std::make_shared<Formatter>();
  CLI::App app;
  std::string name;
  std::vector<std::string>* words = nullptr;
};

Arguments::Arguments(const std::string& command, const std::string& description)
    : parser_(std::make_unique<Parser>()) {
  parser_->name = command;
  parser_->app.name("prengdl " + command);
  parser_->app.description(description);
  parser_->formatter->column_width(34);
  parser_->app.formatter(parser_->formatter);
}
Arguments::~Arguments() = default;

void Arguments::flag(const std::string& names, bool& value, const std::string& help) {
  parser_->app.add_flag(names, value, help);
}
void Arguments::text(const std::string& names, std::string& value, const std::string& help,
                     const std::string& placeholder) {
  parser_->app.add_option(names, value, help)->option_text(placeholder);
}
void Arguments::texts(const std::string& names, std::vector<std::string>& values,
                      const std::string& help, const std::string& placeholder) {
  // One value each time: `-c a -c b`, so that what follows is never swallowed.
  parser_->app.add_option(names, values, help)
      ->option_text(placeholder)
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
}
void Arguments::count(const std::string& names, std::size_t& value, const std::string& help) {
  // Checked as text first: the library would wrap a negative number around.
  parser_->app.add_option(names, value, help)->option_text("N")->check(CLI::NonNegativeNumber);
}
void Arguments::word(const std::string& name, std::string& value, const std::string& help) {
  parser_->app.add_option(name, value, help)->option_text(" ")->required();
  parser_->formatter->rest += " " + name;
}
void Arguments::optional_word(const std::string& name, std::string& value,
                              const std::string& help) {
  parser_->app.add_option(name, value, help)->option_text(" ");
  parser_->formatter->rest += " [" + name + "]";
}
void Arguments::words(const std::string& name, std::vector<std::string>& values,
                      const std::string& help) {
  parser_->app.add_option(name, values, help)->option_text(" ");
  parser_->formatter->rest += " [" + name + "]...";
}
void Arguments::command_line(std::vector<std::string>& words, const std::string& help) {
  parser_->words = &words;
  parser_->formatter->rest += " " + help;
}
void Arguments::footer(const std::string& text) { parser_->app.footer(text); }

bool Arguments::parse(const std::vector<std::string>& arguments) {
  // The measured command's own options must not be taken for ours: cut at `--` first.
  auto end = arguments.end();
  if (parser_->words) {
    end = std::find(arguments.begin(), arguments.end(), "--");
    if (end != arguments.end()) parser_->words->assign(end + 1, arguments.end());
  }
  std::vector<std::string> ours(arguments.begin(), end);
  std::reverse(ours.begin(), ours.end());  // the library takes them from the back
  try {
    parser_->app.parse(ours);
    return true;
  } catch (const CLI::CallForHelp&) {
    std::cout << parser_->app.help();
    return false;
  } catch (const CLI::ExtrasError& error) {
    const auto unknown = parser_->app.remaining();
    const std::string word = unknown.empty() ? error.what() : unknown.front();
    std::vector<std::string> known;
    for (const auto* option : parser_->app.get_options())
      for (const auto& name : option->get_lnames()) known.push_back("--" + name);
    const auto meant = word.starts_with("-") ? nearest(word, known) : std::nullopt;
    throw UsageError("unknown argument '" + word + "'",
                     meant ? "did you mean " + *meant + "?"
                     : parser_->words && !word.starts_with("-")
                         ? "write the command after --, or each with -c \"...\""
                         : "see prengdl " + parser_->name + " --help");
  } catch (const CLI::RequiredError& error) {
    // The library says "STUDY is required".
    const std::string name =
        std::string(error.what()).substr(0, std::string(error.what()).find(' '));
    throw UsageError("prengdl " + parser_->name + " needs a " + name,
                     "see prengdl " + parser_->name + " --help");
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what(), "see prengdl " + parser_->name + " --help");
  }
}

}  // namespace prengdl
