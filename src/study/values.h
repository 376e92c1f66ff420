// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "study/setting_tree.h"

namespace prengdl {

/// "500kJ", "3 MJ", "2kWh": above zero, and never without its unit.
Result<Joules> parse_energy(std::string_view text);

/// "8GiB", "500 MB"; a bare number is bytes. Whole bytes below 2^63.
Result<std::uint64_t> parse_bytes(std::string_view text);

/// "1410MHz", "1.41GHz"; a bare number is megahertz. Above zero, rounded.
Result<int> parse_megahertz(std::string_view text);

/// "5%" or "0.05": a fraction from 0 to 1.
Result<double> parse_share(std::string_view text);

/// Reads the values of one table. A key that is absent leaves its target alone; one that is wrong
/// does so too and becomes a problem.
class Values {
 public:
  /// `table` may be null: then every key is absent.
  Values(const StudyNode* table, Problems& problems);

  const StudyNode* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }

  void text(std::string_view key, std::string& target) const;
  void flag(std::string_view key, bool& target) const;
  /// One of the words, else the target keeps what it was.
  void word(std::string_view key, const std::vector<std::string>& words, std::string& target) const;
  /// A whole number from `least` to `most`.
  std::optional<std::int64_t> count(std::string_view key, std::int64_t least,
                                    std::int64_t most) const;
  /// Longer than zero; a number is seconds.
  void duration(std::string_view key, std::optional<Seconds>& target) const;
  /// As duration, or "off" for none.
  void duration_or_off(std::string_view key, std::optional<Seconds>& target) const;
  /// From a rate between 0.1 Hz and 1 kHz to the time between samples.
  void rate(std::string_view key, Seconds& interval) const;
  /// "1410MHz" or "1.41GHz"; a number is megahertz.
  void megahertz(std::string_view key, std::optional<int>& target) const;
  void bytes(std::string_view key, std::optional<std::uint64_t>& target) const;
  void share(std::string_view key, double least, double most, double& target) const;
  /// A list of texts; numbers and booleans become text.
  void texts(std::string_view key, std::vector<std::string>& target) const;
  void texts_of(const StudyNode& node, std::vector<std::string>& target) const;
  /// A list of arguments that is not empty.
  void command(std::string_view key, std::vector<std::string>& target) const;
  /// One command or a list of them.
  void commands(std::string_view key, std::vector<std::vector<std::string>>& target) const;
  /// [0, 1] or "0-3,8".
  void cpus(std::string_view key, std::vector<int>& target) const;

  void problem(const StudyNode& node, const std::string& what, std::string hint = {}) const;
  /// "'key' must be `wanted`, not a list".
  void must_be(const StudyNode& node, std::string_view wanted, std::string hint = {}) const;

 private:
  /// What `parse` reads from a text or a number; nothing if the key is absent or has a problem.
  template <class Parse>
  auto amount(std::string_view key, const char* what, const char* example, Parse parse) const;
  bool list_of_texts(const StudyNode& node, std::vector<std::string>& target) const;
  bool arguments(const StudyNode& node, std::vector<std::string>& target) const;

  const StudyNode* table_ = nullptr;
  Problems& problems_;
};

}  // namespace prengdl
