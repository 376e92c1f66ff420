// SPDX-License-Identifier: Apache-2.0
#include "store/record.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <random>

#include "store/fixtures.h"
#include "store/run_json.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// As a new file: ext4 syncs one that is cut and written again.
void write_bytes(const fs::path& path, const std::string& bytes) {
  fs::remove(path);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// A finished record with samples of two meters.
fs::path make_record(const fs::path& records, const std::string& id, std::uint64_t ticks = 100) {
  fs::create_directories(records);
  RunRecordWriter writer(records, id);
  for (std::uint64_t tick = 0; tick < ticks; ++tick)
    for (const std::uint16_t meter : {0, 1}) writer.add(meter, reading_of(tick, meter));
  writer.finish(full_run(id));
  return records / (id + ".record");
}

std::vector<std::string> names_in(const fs::path& directory) { return list_directory(directory); }

TEST(RunRecord, GivesBackTheRunAndItsSamples) {
  FakeHost host;
  const auto record = read_record(make_record(host.root(), "b0-p1", 40'000));
  ASSERT_TRUE(record) << record.error().what();
  EXPECT_EQ(run_json(record->run), run_json(full_run("b0-p1")));
  SampleReader reader;
  std::uint64_t count = 0;
  record->each_chunk([&](const SampleChunk& chunk) {
    ASSERT_TRUE(reader.read(chunk.bytes, [&](std::uint16_t meter, const Reading& reading) {
      EXPECT_EQ(meter, count % 2);
      ASSERT_TRUE(equal(reading, reading_of(count / 2, meter)));
      ++count;
    }));
  });
  EXPECT_EQ(count, 80'000u);
}

TEST(RunRecord, IsThereOnlyOnceItIsFinished) {
  FakeHost host;
  {
    RunRecordWriter writer(host.root(), "r");
    for (std::uint64_t tick = 0; tick < 100'000; ++tick) writer.add(0, reading_of(tick));
    EXPECT_EQ(names_in(host.root()), std::vector<std::string>{"r.part"});
    EXPECT_TRUE(finished_records(host.root()).empty());
    writer.finish(short_run("r"));
    EXPECT_EQ(names_in(host.root()), std::vector<std::string>{"r.record"});
  }
  EXPECT_EQ(finished_records(host.root()).size(), 1u);
}

TEST(RunRecord, OfARunThatWasNotFinishedLeavesNothing) {
  FakeHost host;
  { RunRecordWriter writer(host.root(), "r"); }
  EXPECT_TRUE(names_in(host.root()).empty());
  {
    RunRecordWriter writer(host.root(), "r");
    EXPECT_THROW(writer.finish(short_run("another")), Error);
    EXPECT_TRUE(names_in(host.root()).empty());
    EXPECT_THROW(writer.finish(short_run("r")), Error);
  }
  EXPECT_TRUE(names_in(host.root()).empty());
}

TEST(RunRecord, IsNeverWrittenOver) {
  FakeHost host;
  make_record(host.root(), "r");
  EXPECT_TRUE(contains(error_of([&] { RunRecordWriter writer(host.root(), "r"); }),
                       "r.record already exists"));
  RunRecordWriter first(host.root(), "s");
  EXPECT_TRUE(contains(error_of([&] { RunRecordWriter second(host.root(), "s"); }),
                       "another process makes this run"));
  first.finish(short_run("s"));
  EXPECT_EQ(names_in(host.root()), (std::vector<std::string>{"r.record", "s.record"}));
}

TEST(RunRecord, RefusesAnIdThatCannotNameAFile) {
  FakeHost host;
  for (const auto& id : {std::string("../up"), std::string(""), std::string(".hidden"),
                         std::string("a b"), std::string(121, 'x'), std::string("a\0b", 3)})
    EXPECT_THROW(RunRecordWriter(host.root(), id), Error) << id;
  EXPECT_TRUE(names_in(host.root()).empty());
}

TEST(RunRecord, NamesTheDirectoryThatIsMissing) {
  FakeHost host;
  const auto error = error_of([&] { RunRecordWriter(host.root() / "none", "r"); });
  EXPECT_TRUE(contains(error, (host.root() / "none/r.part").string())) << error;
  EXPECT_TRUE(contains(error, "No such file or directory")) << error;
}

TEST(RunRecord, ThatIsCutAnywhereIsAnError) {
  FakeHost host;
  const auto path = make_record(host.root(), "r");
  const std::string whole = bytes_of(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_bytes(path, whole.substr(0, size));
    const auto record = read_record(path);
    ASSERT_FALSE(record) << "cut to " << size << " bytes";
    ASSERT_TRUE(contains(record.error().what(), path.string()));
  }
  write_bytes(path, whole + "x");
  EXPECT_FALSE(read_record(path));
}

TEST(RunRecord, ThatIsAlteredAnywhereIsAnError) {
  FakeHost host;
  const auto path = make_record(host.root(), "r");
  const std::string whole = bytes_of(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string altered = whole;
    altered[i] = static_cast<char>(altered[i] ^ 0x20);
    write_bytes(path, altered);
    ASSERT_FALSE(read_record(path)) << "byte " << i;
  }
}

TEST(RunRecord, OfSomethingElseIsAnErrorThatNamesIt) {
  FakeHost host;
  const auto complaint = [&](const std::string& name, const std::string& bytes) {
    write_bytes(host.root() / name, bytes);
    const auto record = read_record(host.root() / name);
    return record ? std::string("nothing") : std::string(record.error().what());
  };
  EXPECT_TRUE(contains(complaint("a.record", "a holiday picture, somewhat larger than the least"),
                       "a.record: it is not a record of a run"));
  EXPECT_TRUE(contains(complaint("b.record", "prengdl-record 7 and what else there may be in it"),
                       "newer prengdl (record 7, this one knows 1)"));
  EXPECT_TRUE(contains(complaint("c.record", ""), "it is cut"));
  const auto path = make_record(host.root(), "r");
  EXPECT_TRUE(contains(complaint("other.record", bytes_of(path)), "it holds run 'r'"));
  EXPECT_TRUE(contains(read_record(host.root() / "none.record").error().what(), "No such file"));
  EXPECT_FALSE(read_record(host.root()));
}

/// A record whose checksum is right but whose blocks are not.
TEST(RunRecord, WhoseBlocksLieIsAnErrorAndNoCrash) {
  FakeHost host;
  const auto path = make_record(host.root(), "r", 10);
  const std::string whole = bytes_of(path);
  std::mt19937_64 random(42);
  for (int round = 0; round < 1000; ++round) {
    std::string altered = whole.substr(0, whole.size() - 4);
    const std::size_t span = round % 2 ? 60 : altered.size();
    altered[16 + random() % (span - 16)] = static_cast<char>(random());
    Checksum checksum;
    checksum.add(std::as_bytes(std::span(altered)).first(altered.size() - 9));
    const std::uint32_t sum = checksum.value();
    altered.append(reinterpret_cast<const char*>(&sum), sizeof sum);
    write_bytes(path, altered);
    if (const auto record = read_record(path)) record->each_chunk([](const SampleChunk&) {});
  }
}

TEST(RunRecord, PartsOfTheDeadAreRemovedAndThoseOfTheLivingAreNot) {
  FakeHost host;
  write_bytes(host.root() / "dead.part", "half a record");
  write_bytes(host.root() / "unrelated.txt", "");
  RunRecordWriter living(host.root(), "living");
  remove_dead_parts(host.root());
  EXPECT_EQ(names_in(host.root()), (std::vector<std::string>{"living.part", "unrelated.txt"}));
  living.finish(short_run("living"));
  EXPECT_EQ(finished_records(host.root()).size(), 1u);
}

}  // namespace
}  // namespace prengdl
