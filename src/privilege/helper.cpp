// SPDX-License-Identifier: Apache-2.0
#include "privilege/helper.h"

#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/strings.h"

namespace prengdl {
namespace {

std::vector<pid_t>& processes() {
  static std::vector<pid_t> all;
  return all;
}

std::unique_ptr<Helper>& only_root_helper() {
  static std::unique_ptr<Helper> helper;
  return helper;
}

HelperRequest request_for(Verb verb, std::int64_t first = 0, std::int64_t second = 0) {
  HelperRequest request;
  request.verb = verb;
  request.numbers = {first, second};
  return request;
}

std::vector<std::string> lines_in(const HelperReply& reply) {
  std::vector<std::string> lines;
  const std::string text = text_in(reply.text);
  for (const auto line : split(text, '\n'))
    if (!line.empty()) lines.emplace_back(line);
  return lines;
}

FileDescriptor descriptor_in(msghdr& message) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int number = -1;
    std::memcpy(&number, CMSG_DATA(header), sizeof number);
    return FileDescriptor(number);
  }
  return {};
}

}  // namespace

Helper::Helper(const HelperDuties& duties)
    : process_(
          start_detached(SOCK_SEQPACKET, [&duties](int link) { serve_helper(link, duties); })) {
  processes().push_back(process_.pid);
}

Helper::~Helper() {
  process_.link.close();
  while (waitpid(process_.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::erase(processes(), process_.pid);
}

Helper::Answer Helper::ask(const HelperRequest& request) {
  const std::lock_guard only(mutex_);
  Answer answer;
  iovec part{&answer.reply, sizeof answer.reply};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t done = -1;
  do {
    done = ::send(process_.link.get(), &request, sizeof request, MSG_NOSIGNAL);
  } while (done < 0 && errno == EINTR);
  if (done == static_cast<ssize_t>(sizeof request)) do {
      done = ::recvmsg(process_.link.get(), &message, MSG_CMSG_CLOEXEC);
    } while (done < 0 && errno == EINTR);
  if (done == static_cast<ssize_t>(sizeof answer.reply)) {
    answer.file = descriptor_in(message);
    return answer;
  }
  answer.reply = {};
  answer.reply.error = EPIPE;
  put_text(answer.reply.text, "prengdl's helper process was killed");
  put_text(answer.reply.hint,
           "what it had changed is restored when a study is run next, or by hand");
  return answer;
}

Helper::Answer Helper::must(const HelperRequest& request) {
  Answer answer = ask(request);
  if (answer.reply.error != 0) throw Error(text_in(answer.reply.text), text_in(answer.reply.hint));
  return answer;
}

FileDescriptor Helper::descriptor(const HelperRequest& request) {
  Answer answer = ask(request);
  errno = answer.reply.error;
  return std::move(answer.file);
}

FileDescriptor Helper::open_meter(const std::string& kind, const std::string& entry,
                                  const std::string& attribute) {
  HelperRequest request = request_for(Verb::open_meter);
  put_text(request.words[0], kind);
  put_text(request.words[1], entry);
  put_text(request.words[2], attribute);
  return descriptor(request);
}

FileDescriptor Helper::open_perf_event(std::uint64_t config, int cpu) {
  return descriptor(request_for(Verb::open_perf_event, static_cast<std::int64_t>(config), cpu));
}

FileDescriptor Helper::watch_exit(pid_t process) noexcept {
  return descriptor(request_for(Verb::watch_exit, process));
}

bool Helper::keep_awake(bool is_wanted) {
  return ask(request_for(Verb::keep_awake, is_wanted ? 1 : 0)).reply.error == 0;
}

std::optional<bool> Helper::energy_filter() {
  const Answer answer = ask(request_for(Verb::energy_filter));
  return answer.reply.error == 0 ? std::optional(answer.reply.value != 0) : std::nullopt;
}

std::vector<std::string> Helper::set_machine(const MachineControl& control) {
  HelperRequest request = request_for(Verb::set_machine, turbo_as_it_is);
  if (control.turbo) request.numbers[0] = *control.turbo ? turbo_on : turbo_off;
  // 0 means that the study does not name one; a study that names 0 gets an error.
  if (control.gpu_clock_mhz)
    request.numbers[1] = *control.gpu_clock_mhz == 0 ? -1 : *control.gpu_clock_mhz;
  put_text(request.words[0], control.governor.value_or(""));
  return lines_in(must(request).reply);
}

std::vector<std::string> Helper::restore_machine() {
  const Answer answer = ask(request_for(Verb::restore_machine));
  return lines_in(answer.reply);
}

void Helper::drop_caches() { must(request_for(Verb::drop_caches)); }

void Helper::fix(std::size_t number) {
  must(request_for(Verb::fix, static_cast<std::int64_t>(number)));
}

Helper* root_helper() { return only_root_helper().get(); }

void start_root_helper(const HelperDuties& duties) {
  only_root_helper() = std::make_unique<Helper>(duties);
}

void end_root_helper() { only_root_helper().reset(); }

std::vector<pid_t> helper_processes() { return processes(); }

}  // namespace prengdl
