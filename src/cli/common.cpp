// SPDX-License-Identifier: Apache-2.0
#include "cli/common.h"

#include <filesystem>

#include "base/error.h"
#include "base/text.h"

namespace prengdl {

void MeterOptions::declare(Arguments& arguments) {
  arguments.text("--root", root, "read /sys, /proc and /dev below this directory", "DIR");
  arguments.texts(
      "--meter", exec,
      "a command that prints lines of watts or joules, such as '123.4 W' (a wall meter); "
      "DOMAIN=CMD says what it covers, else the machine",
      "CMD");
  arguments.texts("--rail", rails, "count a hwmon rail: LABEL=DOMAIN says what it covers",
                  "LABEL=DOMAIN");
}

MeterSearch MeterOptions::search() const {
  if (!std::filesystem::is_directory(root))
    throw UsageError("--root " + root + " is not a directory",
                     "give the directory that holds sys, proc and dev");
  MeterSearch search;
  search.root = root;
  search.environment = process_environment();
  search.exec = exec;
  search.rails = rails;
  return search;
}

Seconds duration_option(const std::string& name, const std::string& text) {
  const auto duration = parse_duration(text);
  if (!duration) throw UsageError(name + ": " + duration.error().what(), duration.error().hint);
  return *duration;
}

}  // namespace prengdl
