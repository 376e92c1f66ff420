// SPDX-License-Identifier: Apache-2.0
// fake_rapl [options] MOUNTPOINT: a powercap tree whose energy is known.
//
// A FUSE file system with MOUNTPOINT/sys/class/powercap as the kernel's. A counter is computed when
// it is read, from CLOCK_MONOTONIC and a waveform: nothing has to wake up to renew it, and the true
// energy of any interval is an integral. Each read of a counter is noted, so that how often a tool
// samples is seen from outside. Stays in the foreground until SIGINT or SIGTERM, then unmounts.
#define FUSE_USE_VERSION 31
#include <fcntl.h>
#include <fuse.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "fake_options.h"

namespace {

struct CounterRead {
  std::int64_t at_ns;
  std::size_t zone;
  pid_t thread;
};

bench::FakeOptions options;
std::unique_ptr<bench::Tree> tree;
std::vector<CounterRead> reads;

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}

int get_attributes(const char* path, struct stat* out, fuse_file_info*) {
  const bench::Node* node = tree->find(path);
  if (!node) return -ENOENT;
  std::memset(out, 0, sizeof *out);
  out->st_uid = getuid();
  out->st_gid = getgid();
  out->st_nlink = 1;
  out->st_size = 4096;  // as sysfs, whatever the content
  switch (node->kind) {
    case bench::Node::Kind::directory:
      out->st_mode = S_IFDIR | 0755;
      out->st_nlink = 2;
      break;
    case bench::Node::Kind::link:
      out->st_mode = S_IFLNK | 0777;
      out->st_size = static_cast<off_t>(node->text.size());
      break;
    case bench::Node::Kind::attribute:
      out->st_mode = S_IFREG | 0444;
      break;
    case bench::Node::Kind::energy:
      out->st_mode = S_IFREG | options.energy_mode;
      break;
  }
  return 0;
}

int read_link(const char* path, char* buffer, std::size_t size) {
  const bench::Node* node = tree->find(path);
  if (!node || node->kind != bench::Node::Kind::link) return -EINVAL;
  std::snprintf(buffer, size, "%s", node->text.c_str());
  return 0;
}

int list_directory(const char* path, void* buffer, fuse_fill_dir_t fill, off_t, fuse_file_info*,
                   fuse_readdir_flags) {
  const bench::Node* node = tree->find(path);
  if (!node) return -ENOENT;
  for (const char* name : {".", ".."}) fill(buffer, name, nullptr, 0, {});
  for (const std::string& name : node->children) fill(buffer, name.c_str(), nullptr, 0, {});
  return 0;
}

int open_file(const char* path, fuse_file_info* file) {
  if (!tree->find(path)) return -ENOENT;
  if ((file->flags & O_ACCMODE) != O_RDONLY) return -EACCES;
  file->direct_io = 1;  // no page cache: each read must reach us
  return 0;
}

std::string read_counter(std::size_t zone) {
  const auto half = static_cast<useconds_t>(options.latency_us / 2);
  if (half > 0) usleep(half);
  const std::int64_t now = now_ns();
  const auto value = tree->zones()[zone].counter.microjoules(options.wave, now - options.start_ns);
  if (!options.log.empty()) reads.push_back({now, zone, fuse_get_context()->pid});
  if (half > 0) usleep(half);
  return fmt::format("{}\n", value);
}

int read_file(const char* path, char* buffer, std::size_t size, off_t offset, fuse_file_info*) {
  const bench::Node* node = tree->find(path);
  if (!node) return -ENOENT;
  const bool energy = node->kind == bench::Node::Kind::energy;
  // A reader that asks on until it gets nothing must not count as two reads.
  if (energy && offset > 0) return 0;
  const std::string text = energy ? read_counter(node->zone) : node->text;
  if (static_cast<std::size_t>(offset) >= text.size()) return 0;
  return static_cast<int>(text.copy(buffer, size, static_cast<std::size_t>(offset)));
}

void* start(fuse_conn_info*, fuse_config* config) {
  // The tree never changes, so the kernel may keep names and attributes for the whole run.
  config->entry_timeout = config->attr_timeout = config->negative_timeout = 3600;
  return nullptr;
}

/// Written aside and renamed: a log that is there is whole.
void write_log() {
  const std::string aside = options.log + ".part";
  std::FILE* out = std::fopen(aside.c_str(), "w");
  if (!out) return std::perror(aside.c_str());
  fmt::print(out, "at_ns,zone,thread\n");
  for (const CounterRead& read : reads)
    fmt::print(out, "{},{},{}\n", read.at_ns, tree->zones()[read.zone].name, read.thread);
  std::fclose(out);
  std::rename(aside.c_str(), options.log.c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  options = bench::parse_fake_options(argc, argv);
  if (options.start_ns == 0) options.start_ns = now_ns();
  tree = std::make_unique<bench::Tree>(options.machine);
  reads.reserve(options.log.empty() ? 0 : 1 << 20);

  fuse_operations operations{};
  operations.getattr = get_attributes;
  operations.readlink = read_link;
  operations.readdir = list_directory;
  operations.open = open_file;
  operations.read = read_file;
  operations.init = start;
  // Only root may let other users in; the permissions of the files then hold for them.
  std::string mount_options = "fsname=fake_rapl,default_permissions";
  if (geteuid() == 0) mount_options += ",allow_other";
  // One thread: reads then have an order, and no hand-over between threads adds to what they cost.
  char foreground[] = "-f";
  char single_thread[] = "-s";
  char with_options[] = "-o";
  char* arguments[] = {argv[0],      foreground,           single_thread,
                       with_options, mount_options.data(), options.mount_point.data()};
  const int code =
      fuse_main(static_cast<int>(std::size(arguments)), arguments, &operations, nullptr);
  if (!options.log.empty()) write_log();
  return code == 8 ? 0 : code;  // 8: the loop ended by a signal, which is how we are stopped
} catch (const std::exception& problem) {
  std::fprintf(stderr, "fake_rapl: %s\n%s", problem.what(), bench::fake_usage);
  return 2;
}
