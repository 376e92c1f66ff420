// SPDX-License-Identifier: Apache-2.0
#include "profile/api_names.h"

#include <algorithm>
#include <array>

namespace prengdl {
namespace {

/// What stands between a beginning and an end; nothing if they are not there.
std::optional<std::string_view> between(std::string_view text, std::string_view first,
                                        std::string_view last) {
  if (text.size() < first.size() + last.size() || !text.starts_with(first) || !text.ends_with(last))
    return std::nullopt;
  return text.substr(first.size(), text.size() - first.size() - last.size());
}

std::string dotted(std::string_view owner, std::string_view name) {
  return std::string(owner) + "." + std::string(name);
}

/// "conv2d of type object at 0x7f…": the address is another one in each run.
std::string of_object(std::string_view name, std::string_view owner) {
  owner = owner.substr(0, owner.find(" object"));
  // torch's functions are bound to a nameless type; __new__ and its like belong to `type`.
  if (owner == "type" && !name.starts_with("__")) return std::string(name);
  return dotted(owner, name);
}

/// The name of a function that is written in C, out of what repr() says about it.
std::optional<std::string> name_in_c(std::string_view text) {
  constexpr std::string_view of = " of ";
  if (const auto method = between(text, "<method '", "' objects>")) {
    const auto quote = method->find("' of '");
    if (quote == std::string_view::npos) return std::nullopt;
    return dotted(method->substr(quote + 6), method->substr(0, quote));
  }
  if (const auto built_in = between(text, "<built-in method ", ">")) {
    const auto owner = built_in->find(of);
    if (owner == std::string_view::npos) return std::string(*built_in);
    return of_object(built_in->substr(0, owner), built_in->substr(owner + of.size()));
  }
  if (const auto function = between(text, "<function ", ">"))
    return std::string(function->substr(0, function->find(" at 0x")));
  // Cython writes <module.name>, Python 2 <name> for what it calls __builtin__.
  const auto name = between(text, "<", ">");
  if (!name || name->empty() || name->find(' ') != std::string_view::npos) return std::nullopt;
  return name->find('.') == std::string_view::npos ? dotted("builtins", *name) : std::string(*name);
}

/// Where the text stands last. Far faster than rfind, which compares at every place.
std::size_t last(std::string_view path, std::string_view text) {
  auto found = path.find(text);
  while (found != std::string_view::npos) {
    const auto next = path.find(text, found + 1);
    if (next == std::string_view::npos) break;
    found = next;
  }
  return found;
}

/// The path below the directory that libraries are in.
std::optional<std::string_view> path_in_library(std::string_view path) {
  // site-packages, and dist-packages on Debian.
  constexpr std::string_view packages = "-packages/";
  if (const auto found = last(path, packages); found != std::string_view::npos)
    return path.substr(found + packages.size());
  constexpr std::string_view own_library = "/lib/python";
  const auto found = last(path, own_library);
  if (found == std::string_view::npos) return std::nullopt;
  const auto end = path.find('/', found + own_library.size());
  if (end == std::string_view::npos) return std::nullopt;
  return path.substr(end + 1);
}

std::string module_of(std::string_view path) {
  for (const std::string_view ending : {".pyc", ".py", ".pyx"})
    if (path.ends_with(ending)) {
      path.remove_suffix(ending.size());
      break;
    }
  if (path.ends_with("/__init__")) path.remove_suffix(9);
  if (const auto egg = path.find(".egg/"); egg != std::string_view::npos)
    path.remove_prefix(egg + 5);
  std::string module(path);
  std::replace(module.begin(), module.end(), '/', '.');
  // Where TensorFlow 1.15 to 2.1 keeps what everyone imports as tensorflow.
  constexpr std::string_view core = "tensorflow_core.";
  if (module.starts_with(core)) module.replace(0, core.size(), "tensorflow.");
  return module;
}

std::string with_slashes(std::string_view path) {
  std::string result(path);
  std::replace(result.begin(), result.end(), '\\', '/');
  return result;
}

}  // namespace

std::optional<std::string> library_name(const ProfiledFunction& function) {
  if (function.file == "~") return name_in_c(function.name);
  if (const auto frozen = between(function.file, "<frozen ", ">"))
    return dotted(*frozen, function.name);
  if (function.file.starts_with('<')) return std::nullopt;
  const bool is_windows = function.file.find('\\') != std::string_view::npos;
  const std::string path = is_windows ? with_slashes(function.file) : "";
  const auto inside = path_in_library(is_windows ? path : function.file);
  if (!inside) return std::nullopt;
  return dotted(module_of(*inside), function.name);
}

std::string own_name(const ProfiledFunction& function) {
  if (function.file == "~") return std::string(function.name);
  auto path = with_slashes(function.file);
  if (path.starts_with("./")) path.erase(0, 2);
  // The last two directories tell files apart and are the same on another machine.
  std::size_t start = path.size();
  for (int parts = 0; parts < 3 && start != std::string::npos && start > 0; ++parts)
    start = path.rfind('/', start - 1);
  if (start < path.size()) path.erase(0, start + 1);
  return std::string(function.name) + " (" + path + ")";
}

}  // namespace prengdl
