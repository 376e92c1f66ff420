// SPDX-License-Identifier: Apache-2.0
#include "cli/paper_directory.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/own_files.h"
#include "base/process.h"
#include "base/threads.h"

namespace prengdl {
namespace {

using namespace std::chrono_literals;

/// TeX ends a figure within seconds or never.
constexpr auto longest_figure = 60s;

/// Whether pdflatex made the PDF next to this source. What it writes besides is removed, except
/// for the log of a figure that failed.
bool made_pdf(const std::filesystem::path& source) {
  // In its directory: TeX would take a path with special characters for commands.
  const auto pid = start_program(
      {.words = {"env", "-C", source.parent_path().string(), "pdflatex", "-interaction=batchmode",
                 "-halt-on-error", "-no-shell-escape", source.filename().string()},
       .is_silent = true});
  if (!pid) return false;
  const auto deadline = std::chrono::steady_clock::now() + longest_figure;
  int status = 0;
  while (waitpid(*pid, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) kill(*pid, SIGKILL);
    std::this_thread::sleep_for(10ms);
  }
  std::filesystem::path beside = source;
  std::error_code none;
  std::filesystem::remove(beside.replace_extension(".aux"), none);
  const bool is_made = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (is_made) std::filesystem::remove(beside.replace_extension(".log"), none);
  return is_made;
}

/// Those that failed, in the order of their names.
std::vector<std::filesystem::path> make_pdfs(const std::vector<std::filesystem::path>& sources) {
  std::vector<char> is_made(sources.size(), 0);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < sources.size(); i = next++)
      is_made[i] = made_pdf(sources[i]) ? 1 : 0;
  };
  std::vector<std::thread> threads;
  const std::size_t most = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
  for (std::size_t i = 1; i < std::min(most, sources.size()); ++i)
    threads.push_back(start_thread(work));
  work();
  for (auto& thread : threads) thread.join();
  std::vector<std::filesystem::path> failed;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (!is_made[i]) failed.push_back(sources[i]);
  return failed;
}

}  // namespace

void write_paper(const std::filesystem::path& directory, const std::vector<PaperFile>& files) {
  const auto top = std::filesystem::absolute(directory);
  std::vector<std::filesystem::path> figures;
  std::size_t tables = 0;
  for (const auto& file : files) {
    const auto path = top / file.name;
    make_directory(path.parent_path());
    replace_file(path, file.text, Durability::quick);
    if (file.name.starts_with("figures/")) figures.push_back(path);
    tables += file.name.starts_with("tables/");
  }
  const std::string name = printable(directory.string());
  std::cerr << fmt::format("{}: {}, {}, methods.tex and main.tex\n", name, counted(tables, "table"),
                           counted(figures.size(), "figure"));
  const char* search = std::getenv("PATH");
  if (!find_program("pdflatex", search ? search : "")) {
    std::cerr << fmt::format(
        "  pdflatex is not installed, so the figures are not PDF yet; run `make -C {}` where it "
        "is\n",
        name);
    return;
  }
  const auto failed = make_pdfs(figures);
  for (const auto& figure : failed)
    std::cerr << fmt::format("  pdflatex made no PDF of {}; its log is next to it\n",
                             printable(figure.string()));
}

}  // namespace prengdl
