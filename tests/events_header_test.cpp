// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <regex>
#include <thread>
#include <vector>

#include "prengdl/events.h"

namespace {

using Lines = std::vector<std::string>;

/// The header opens its file once per process: so each workload is a process of its own.
int exit_code_of(const std::function<void()>& workload, const char* events) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (events != nullptr)
      ::setenv("PRENGDL_EVENTS", events, 1);
    else
      ::unsetenv("PRENGDL_EVENTS");
    workload();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class EventsHeader : public testing::Test {
 protected:
  EventsHeader() {
    std::string pattern = (std::filesystem::temp_directory_path() / "prengdl-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~EventsHeader() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ / "events"; }

  Lines lines() const {
    std::ifstream in(path());
    Lines found;
    for (std::string line; std::getline(in, line);) found.push_back(line);
    return found;
  }

  Lines told(const std::function<void()>& workload) {
    EXPECT_EQ(exit_code_of(workload, path().c_str()), 0);
    return lines();
  }

  /// The lines without their times and processes.
  Lines said(const std::function<void()>& workload) {
    static const std::regex changing(R"re("t":[0-9]+,|,"pid":[0-9]+)re");
    Lines lines = told(workload);
    for (std::string& line : lines) line = std::regex_replace(line, changing, "");
    return lines;
  }

  std::filesystem::path folder_;
};

/// Fails the workload; EXPECT would only be seen in its own process.
void require(bool holds) {
  if (!holds) ::_exit(1);
}

std::string number_of(const std::string& line, const std::string& key) {
  const auto at = line.find("\"" + key + "\":");
  if (at == std::string::npos) return "";
  const auto start = at + key.size() + 3;
  return line.substr(start, line.find_first_of(",}", start) - start);
}

TEST_F(EventsHeader, WritesTheLinesOfTheContract) {
  const Lines lines = said([] {
    prengdl::begin("epoch", 0);
    prengdl::begin("epoch", 1);
    prengdl::metric("accuracy", 0.91, 1);
    prengdl::work("samples", 50000);
    prengdl::fact("precision", "fp32");
    prengdl::end(std::string("epoch"), std::string_view("1"));
    prengdl::begin("request", "", 7);
  });
  EXPECT_EQ(lines, (Lines{
                       R"({"ev":"begin","span":"epoch","name":"0"})",
                       R"({"ev":"begin","span":"epoch","name":"1"})",
                       R"({"ev":"metric","name":"accuracy","value":0.91,"step":1})",
                       R"({"ev":"work","name":"samples","value":50000})",
                       R"({"ev":"fact","name":"precision","value":"fp32"})",
                       R"({"ev":"end","span":"epoch","name":"1"})",
                       R"({"ev":"begin","span":"request","name":"","id":7})",
                   }));
}

TEST_F(EventsHeader, StampsWithTheMonotonicClockAndTheProcess) {
  const auto before = prengdl::detail::now_ns();
  const Lines lines = told([] { prengdl::Span span("epoch"); });
  const auto after = prengdl::detail::now_ns();
  ASSERT_EQ(lines.size(), 2u);
  const auto begin = std::stoll(number_of(lines[0], "t"));
  const auto end = std::stoll(number_of(lines[1], "t"));
  EXPECT_LE(before, begin);
  EXPECT_LE(begin, end);
  EXPECT_LE(end, after);
  EXPECT_EQ(number_of(lines[0], "pid"), number_of(lines[1], "pid"));
  EXPECT_NE(number_of(lines[0], "pid"), std::to_string(::getpid()));
}

TEST_F(EventsHeader, EndsASpanWithItsBlockEvenByAnException) {
  const Lines lines = said([] {
    try {
      prengdl::Span outer(std::string("ep") + "och", 1);
      prengdl::Span inner("step", 2u, 3);
      throw 1;
    } catch (int) {
    }
  });
  EXPECT_EQ(lines, (Lines{
                       R"({"ev":"begin","span":"epoch","name":"1"})",
                       R"({"ev":"begin","span":"step","name":"2","id":3})",
                       R"({"ev":"end","span":"step","name":"2","id":3})",
                       R"({"ev":"end","span":"epoch","name":"1"})",
                   }));
}

TEST_F(EventsHeader, EscapesNamesAndReplacesWhatIsNoUtf8) {
  const std::vector<std::pair<std::string_view, std::string_view>> names = {
      {"a\"b\\c", R"(a\u0022b\u005cc)"},
      {{"\n\0\x1F\x7F", 4}, R"(\u000a\u0000\u001f\u007f)"},
      {"\u00DC \u65E5 \U0001F600", "\u00DC \u65E5 \U0001F600"},
      {"\xFF\xC0\x80", "\uFFFD\uFFFD\uFFFD"},
      {"x\xE2\x82", "x\uFFFD\uFFFD"},                              // cut
      {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},                      // half a surrogate pair
      {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},            // above U+10FFFF
      {"\xE0\x9F\xBF\xF0\x8F", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},  // overlong
  };
  const Lines lines = said([&] {
    for (const auto& [name, _] : names) prengdl::begin(name, name);
    prengdl::begin(static_cast<const char*>(nullptr));
  });
  ASSERT_EQ(lines.size(), names.size() + 1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string line = R"({"ev":"begin","span":"NAME","name":"NAME"})";
    for (const std::size_t at : {line.rfind("NAME"), line.find("NAME")})
      line.replace(at, 4, names[i].second);
    EXPECT_EQ(lines[i], line);
  }
  EXPECT_EQ(lines.back(), R"({"ev":"begin","span":"","name":""})");
}

TEST_F(EventsHeader, WritesHugeNamesWhole) {
  const std::string huge(1'000'000, 'x');
  const Lines lines = said([&] { prengdl::Span span(huge, huge); });
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1], R"({"ev":"end","span":")" + huge + R"(","name":")" + huge + R"("})");
}

TEST_F(EventsHeader, WritesNumbersThatReadAsTheSame) {
  const std::vector<double> doubles = {
      0.0, -0.5, 0.1, 1.0 / 3, 1e300, 5e-324, 123456789012345678.0};
  const Lines lines = told([&] {
    for (const double value : doubles) prengdl::metric("m", value);
    prengdl::metric("m", 0.5f);
    prengdl::metric("m", std::numeric_limits<std::int64_t>::min());
    prengdl::work("w", std::numeric_limits<std::uint64_t>::max());
    prengdl::work("w", true);
  });
  ASSERT_EQ(lines.size(), doubles.size() + 4);
  for (std::size_t i = 0; i < doubles.size(); ++i)
    EXPECT_EQ(std::strtod(number_of(lines[i], "value").c_str(), nullptr), doubles[i]) << lines[i];
  EXPECT_EQ(number_of(lines[2], "value"), "0.1");
  EXPECT_EQ(number_of(lines[doubles.size()], "value"), "0.5");
  EXPECT_EQ(number_of(lines[doubles.size() + 1], "value"), "-9223372036854775808");
  EXPECT_EQ(number_of(lines[doubles.size() + 2], "value"), "18446744073709551615");
  EXPECT_EQ(number_of(lines[doubles.size() + 3], "value"), "1");
}

TEST_F(EventsHeader, WritesAPointWhateverTheLocaleWrites) {
  for (const std::string written : {"-1.5e-07", "-1,5e-07", "-1\u066B5e-07"}) {
    std::string text = written;
    text.resize(prengdl::detail::with_a_point(text.data()));
    EXPECT_EQ(text, "-1.5e-07") << written;
  }
}

TEST_F(EventsHeader, LeavesOutWhatJsonHasNoNumberFor) {
  const Lines lines = told([] {
    prengdl::metric("loss", std::numeric_limits<double>::quiet_NaN());
    prengdl::metric("loss", -std::numeric_limits<float>::infinity());
    prengdl::work("samples", std::numeric_limits<long double>::infinity());
    prengdl::metric("loss", 1);
  });
  EXPECT_EQ(lines.size(), 1u);
}

TEST_F(EventsHeader, DoesNothingOutsidePrengdl) {
  const auto workload = [] {
    const int next = ::dup(0);
    prengdl::Span span("epoch", 1);
    prengdl::begin("epoch");
    prengdl::metric("accuracy", 0.91);
    prengdl::work("samples", 1);
    require(!prengdl::active());
    require(::dup(0) == next + 1);
  };
  EXPECT_EQ(exit_code_of(workload, nullptr), 0);
  EXPECT_EQ(exit_code_of(workload, ""), 0);
}

TEST_F(EventsHeader, StopsWhereTheFileCannotBeWritten) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path :
       {std::string("/nowhere/events"), folder_.string(), std::string("/dev/full"), pipe}) {
    const auto workload = [] {
      errno = 77;
      {
        prengdl::Span span("epoch", 1);
        prengdl::begin("epoch");
      }
      require(errno == 77);
      require(!prengdl::active());
    };
    EXPECT_EQ(exit_code_of(workload, path.c_str()), 0) << path;
  }
}

TEST_F(EventsHeader, StopsWhereItsDescriptorIsClosed) {
  const Lines lines = told([] {
    prengdl::begin("before");
    for (int i = 3; i < 2000; ++i) ::close(i);
    prengdl::begin("after");
    require(!prengdl::active());
  });
  EXPECT_EQ(lines.size(), 1u);
}

TEST_F(EventsHeader, OutlivesAFileAtItsSizeLimit) {
  const Lines lines = told([] {
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 200;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    prengdl::begin("first");
    prengdl::begin(std::string(500, 'x'));
    prengdl::begin("stopped");
    require(!prengdl::active());
  });
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find("first"), std::string::npos);
}

TEST_F(EventsHeader, StaysOutOfTheWayOfTheWorkloadsDescriptors) {
  const Lines lines = told([] {
    ::close(1);
    prengdl::begin("epoch");
    require(::write(1, "not an event\n", 13) < 0);
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    require(limit.rlim_cur <= 1000 || prengdl::detail::file >= 1000);
  });
  EXPECT_EQ(lines.size(), 1u);
}

TEST_F(EventsHeader, TellsThreadsApart) {
  constexpr int threads = 8, steps = 1000;
  const Lines lines = told([] {
    const auto run = [] {
      for (int step = 0; step < steps; ++step) prengdl::Span span("step", step);
    };
    std::vector<std::thread> started;
    started.reserve(threads);
    for (int i = 0; i < threads; ++i) started.emplace_back(run);
    run();
    for (std::thread& thread : started) thread.join();
  });
  std::map<std::string, int> told_by;
  for (const std::string& line : lines) ++told_by[number_of(line, "tid")];
  EXPECT_EQ(told_by.size(), threads + 1u);
  EXPECT_EQ(told_by[""], 2 * steps);
  for (const auto& [thread, count] : told_by) EXPECT_EQ(count, 2 * steps) << thread;
}

TEST_F(EventsHeader, AForkTellsItsOwnSpansAndLeavesItsParentsAlone) {
  const Lines lines = told([] {
    prengdl::begin("outside");
    const auto forked = [] {
      pid_t child;
      {
        prengdl::Span outer("outer");
        child = ::fork();
        prengdl::Span inner("inner");
      }
      if (child == 0) ::_exit(0);
      ::waitpid(child, nullptr, 0);
    };
    std::thread(forked).join();
  });
  std::map<std::string, int> open;
  for (const std::string& line : lines) {
    static const std::regex head(R"re(^\{"t":[0-9]+,"ev":"[a-z]+")re");
    open[std::regex_replace(line, head, "")] +=
        line.find("\"begin\"") != std::string::npos ? 1 : -1;
  }
  EXPECT_EQ(lines.size(), 7u);
  // The thread is the main thread of its child.
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const auto& line) { return !number_of(line, "tid").empty(); }),
            4);
  EXPECT_EQ(open.size(), 4u);  // outside, outer, and inner of two processes
  for (const auto& [span, count] : open)
    EXPECT_EQ(count, span.find("outside") != std::string::npos ? 1 : 0) << span;
}

TEST_F(EventsHeader, TearsNoLineOfManyProcesses) {
  constexpr int processes = 6, events = 10000;
  const auto name_of = [](int step) { return std::string(std::size_t(step % 97) * 20, 'x'); };
  told([&] {
    for (int i = 0; i < processes; ++i) {
      if (::fork() != 0) continue;
      for (int step = 0; step < events; ++step) prengdl::metric(name_of(step), step);
      ::_exit(0);
    }
    while (::wait(nullptr) > 0) {
    }
  });
  std::map<std::string, int> next;
  for (const std::string& line : lines()) {
    const std::string process = number_of(line, "pid");
    const int step = next[process]++;
    // std::regex recurses over long lines: the parts are compared instead.
    const std::string rest = ",\"ev\":\"metric\",\"name\":\"" + name_of(step) +
                             "\",\"value\":" + std::to_string(step) + ",\"pid\":" + process + "}";
    ASSERT_EQ(line, "{\"t\":" + number_of(line, "t") + rest);
  }
  EXPECT_EQ(next.size(), static_cast<std::size_t>(processes));
  for (const auto& [process, count] : next) EXPECT_EQ(count, events) << process;
}

TEST_F(EventsHeader, PrintsItsCost) {
  const auto measure = [](const char* state) {
    constexpr int pairs = 20000;
    double least = std::numeric_limits<double>::max();
    for (int repeat = 0; repeat < 7; ++repeat) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < pairs; ++i) prengdl::Span span("epoch", i);
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - start;
      least = std::min(least, took.count() / pairs);
    }
    std::printf("a Span, %s: %.3f us\n", state, least);
    std::fflush(stdout);
  };
  EXPECT_EQ(exit_code_of([&] { measure("active"); }, path().c_str()), 0);
  EXPECT_EQ(exit_code_of([&] { measure("not active"); }, nullptr), 0);
}

}  // namespace
