// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// What the table says about a function of a library.
struct Api {
  std::string name;                      // as users write it: torch.autograd.backward
  std::optional<std::string> api_class;  // "calculation", "data loading" ...
  bool is_once_a_step = false;           // its calls count the steps of a training
};

/// Which API and which class a function belongs to: data/api_classes.csv, and what users add to it.
class ApiTable {
 public:
  /// The table that comes with the program.
  static ApiTable shipped();

  /// Rows that count before those that are there. `name` is that of the file, for errors, which
  /// tell the line.
  Result<bool> add(std::string_view csv, const std::string& name);

  /// What is known about a function by its dotted name. A row for the very name comes before one
  /// for all that end so ("*.<module>"), and that before one for all below a name
  /// ("torch.optim.*", the longest first). Without a row the API is the name itself;
  /// a row without a class leaves it to that of its API.
  Api find(const std::string& dotted) const;

 private:
  struct Row {
    std::string api;
    std::optional<std::string> api_class;
    bool is_once_a_step = false;
  };
  struct TextHash {
    using is_transparent = void;
    // Not noexcept: that would make the map compute hashes again instead of keeping them.
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Rows = std::unordered_map<std::string, Row, TextHash, std::equal_to<>>;
  /// A row and what its star stood for.
  struct Match {
    const Row* row = nullptr;
    std::string_view star;
  };
  struct Part {
    Rows names;
    Rows beginnings;                                // "torch.optim" for "torch.optim.*"
    std::vector<std::pair<std::string, Row>> ends;  // ".<module>" for "*.<module>"
    Result<bool> put(const std::string& function, const Row& row);
    Match match(std::string_view dotted) const;
  };

  std::vector<Part> parts_;  // the first that knows a name has the say
};

}  // namespace prengdl
