// SPDX-License-Identifier: Apache-2.0
//
// Editors check a study file by docs/study.schema.json, prengdl by its own list: both must know the
// same keys, and docs/reference/study-file.md must tell them all.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "study/keys.h"

namespace prengdl {
namespace {

using Json = nlohmann::json;

std::string page(const std::string& name) {
  std::ifstream file(std::filesystem::path(PRENGDL_SOURCE_DIR) / "docs" / name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The paths of all properties below a part of a schema, as known_keys writes them.
void add_keys(const Json& part, const Json& root, const std::string& prefix,
              std::set<std::string>& keys) {
  if (part.contains("$ref")) {
    const auto pointer = part["$ref"].get<std::string>().substr(1);
    return add_keys(root.at(Json::json_pointer(pointer)), root, prefix, keys);
  }
  for (const auto* choice : {"anyOf", "oneOf"})
    if (part.contains(choice))
      for (const auto& one : part[choice]) add_keys(one, root, prefix, keys);
  const auto dot = prefix.empty() ? "" : prefix + ".";
  if (part.contains("properties"))
    for (const auto& [name, inside] : part["properties"].items()) {
      const bool is_list = name == "exclude" || name == "override";
      keys.insert(dot + name + (is_list ? "[]" : ""));
      add_keys(inside, root, dot + name + (is_list ? "[]" : ""), keys);
    }
  if (part.contains("additionalProperties") && part["additionalProperties"].is_object()) {
    keys.insert(dot + "*");
    add_keys(part["additionalProperties"], root, dot + "*", keys);
  }
  if (part.contains("items")) add_keys(part["items"], root, prefix, keys);
}

TEST(StudySchema, KnowsExactlyTheKeysOfTheParser) {
  const auto schema = Json::parse(page("study.schema.json"));
  std::set<std::string> keys;
  add_keys(schema, schema, "", keys);
  const auto known = known_keys();
  EXPECT_EQ(keys, std::set<std::string>(known.begin(), known.end()));
  EXPECT_GT(known.size(), 100u);
}

TEST(StudySchema, RefusesUnknownKeysWhereverItKnowsAny) {
  const auto schema = Json::parse(page("study.schema.json"));
  const std::function<void(const Json&)> check = [&](const Json& part) {
    if (part.is_object() && part.contains("properties")) {
      EXPECT_EQ(part.value("additionalProperties", Json(true)), Json(false)) << part;
    }
    if (part.is_structured())
      for (const auto& inside : part) check(inside);
  };
  check(schema["definitions"]);
  EXPECT_EQ(schema["additionalProperties"], Json(false));
}

TEST(StudySchema, ThePageTellsEveryKey) {
  const auto text = page("reference/study-file.md");
  for (const auto& path : known_keys()) {
    const auto name = path.substr(path.rfind('.') + 1);
    if (name == "*" || name.ends_with("[]")) continue;
    EXPECT_NE(text.find(name), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace prengdl
