// SPDX-License-Identifier: Apache-2.0
#include "import/foreign.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/files.h"
#include "base/parse.h"
#include "base/strings.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// The text without `separator`, if that stands before groups of three digits only.
std::optional<std::string> without_groups(std::string_view text, char separator) {
  std::string plain;
  std::size_t run = 0;  // digits since the last separator
  bool has_separator = false;
  for (const char c : text) {
    if (is_digit(c)) {
      plain += c;
      ++run;
    } else if (c == separator && run > 0 && (has_separator ? run == 3 : run <= 3)) {
      has_separator = true;
      run = 0;
    } else if (plain.empty() && (c == '-' || c == '+')) {
      plain += c;
    } else {
      return std::nullopt;
    }
  }
  if (has_separator && run != 3) return std::nullopt;
  return plain;
}

void add_files_below(const fs::path& root, std::vector<ForeignFile>& files) {
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(root, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (!entry->is_regular_file(error)) continue;
    if (files.size() == most_foreign_files)
      throw Error(fmt::format("{} holds more than {} files", root.string(), most_foreign_files),
                  "name the folder with the measurements");
    files.push_back({entry->path(), entry->path().lexically_relative(root).generic_string()});
  }
  if (error) throw Error(fmt::format("cannot read {}: {}", root.string(), error.message()));
}

}  // namespace

ForeignText read_foreign(const fs::path& path, std::size_t most) {
  // A pipe would make the open wait for a writer that never comes.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) throw Error(fmt::format("cannot read {}: {}", path.string(), error_text(errno)));
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    throw Error(fmt::format("cannot read {}: it is not a file", path.string()));
  ForeignText found{path.string(), {}};
  const auto too_large = [&] {
    return Error(fmt::format("{} is larger than {} bytes", path.string(), most),
                 "is it what you meant to import?");
  };
  if (static_cast<std::uint64_t>(facts.st_size) > most) throw too_large();
  std::string& text = found.text;
  text.resize(static_cast<std::size_t>(facts.st_size) + 1);
  std::size_t size = 0;
  for (;;) {
    if (size == text.size()) text.resize(2 * size);  // it grows while it is read
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(fmt::format("cannot read {}: {}", path.string(), error_text(errno)));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > most) throw too_large();
  }
  text.resize(size);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return found;
}

Error foreign_error(const std::string& file, std::size_t line, std::size_t column,
                    const std::string& what, const std::string& hint) {
  return Error(fmt::format("{}:{}:{}: {}", file, line, column, what), hint);
}

bool ForeignLines::next() {
  const std::string_view text = source_.text;
  if (begin_ >= text.size()) return false;
  ++number_;
  const std::size_t end = text.find('\n', begin_);
  is_unfinished_ = end == std::string_view::npos;
  line_ = text.substr(begin_, is_unfinished_ ? std::string_view::npos : end - begin_);
  begin_ = is_unfinished_ ? text.size() : end + 1;
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  if (line_.size() > longest_foreign_line)
    throw foreign_error(source_.name, number_, longest_foreign_line + 1, "the line is too long");
  if (const auto nul = line_.find('\0'); nul != std::string_view::npos)
    throw foreign_error(source_.name, number_, nul + 1, "a NUL byte: this is no text");
  return true;
}

Error ForeignLines::error(std::string_view part, const std::string& what,
                          const std::string& hint) const {
  const bool is_inside = part.data() >= line_.data() && part.data() <= line_.data() + line_.size();
  const auto column = is_inside ? static_cast<std::size_t>(part.data() - line_.data()) + 1 : 1;
  return foreign_error(source_.name, number_, column, what, hint);
}

std::optional<double> printed_number(std::string_view text) {
  text = trimmed(text);
  const auto comma = text.rfind(',');
  if (comma == std::string_view::npos) {
    if (auto number = parse_number(text)) return number;
    const auto plain = without_groups(text, '.');  // "1.234.567"
    return plain ? parse_number(*plain) : std::nullopt;
  }
  const auto dot = text.rfind('.');
  if (dot == std::string_view::npos)
    if (const auto plain = without_groups(text, ',')) return parse_number(*plain);
  const bool comma_is_decimal = dot == std::string_view::npos || comma > dot;
  const auto decimal = comma_is_decimal ? comma : dot;
  const auto whole = without_groups(text.substr(0, decimal), comma_is_decimal ? '.' : ',');
  const auto part = text.substr(decimal + 1);
  if (!whole || !std::all_of(part.begin(), part.end(), is_digit)) return std::nullopt;
  return parse_number(*whole + "." + std::string(part));
}

std::vector<ForeignFile> foreign_files(const std::vector<fs::path>& paths) {
  std::vector<ForeignFile> files;
  for (const auto& path : paths) {
    std::error_code error;
    const auto status = fs::status(path, error);
    if (!fs::exists(status)) throw UsageError(fmt::format("there is no {}", path.string()));
    const std::size_t before = files.size();
    if (fs::is_directory(status))
      add_files_below(path, files);
    else
      files.push_back({path, path.filename().generic_string()});
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end(),
              [](const ForeignFile& a, const ForeignFile& b) {
                return natural_less(a.relative, b.relative);
              });
    if (files.size() > most_foreign_files)
      throw Error(fmt::format("more than {} files are named", most_foreign_files));
  }
  return files;
}

}  // namespace prengdl
