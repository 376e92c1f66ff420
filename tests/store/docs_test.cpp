// SPDX-License-Identifier: Apache-2.0
//
// docs/reference/schema.md names what is in the database, and its examples run.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "store/fixtures.h"

namespace prengdl {
namespace {

std::string schema_document() {
  return read_text(std::filesystem::path(PRENGDL_SOURCE_DIR) / "docs/reference/schema.md").value();
}

TEST(SchemaDocument, NamesEveryTableAndColumn) {
  FakeHost host;
  const auto store = ResultStore::create(host.root() / "r", small_study());
  const std::string document = schema_document();
  Statement tables =
      store.database().prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')");
  std::size_t count = 0;
  while (tables.step()) {
    const std::string table(tables.text(0));
    EXPECT_TRUE(contains(document, "`" + table + "`")) << "table " << table;
    Statement columns =
        store.database().prepare("SELECT name FROM pragma_table_info('" + table + "')");
    for (; columns.step(); ++count)
      EXPECT_TRUE(contains(document, "`" + std::string(columns.text(0)) + "`"))
          << table << "." << columns.text(0);
  }
  EXPECT_GT(count, 100u);
}

TEST(SchemaDocument, HasExamplesThatRun) {
  FakeHost host;
  auto store = ResultStore::create(host.root() / "r", small_study());
  store.add_machine({"m-1", {}});
  record_run(store, full_run("full"));
  record_run(store, short_run("short"));
  store.take_in();
  const std::string document = schema_document();
  const std::regex example("```sql\n([^`]*)```");
  std::size_t count = 0;
  for (std::sregex_iterator found(document.begin(), document.end(), example), end; found != end;
       ++found, ++count) {
    Statement rows = store.database().prepare((*found)[1].str());
    EXPECT_TRUE(rows.step()) << "no rows from " << (*found)[1];
  }
  EXPECT_EQ(count, 3u);
}

}  // namespace
}  // namespace prengdl
