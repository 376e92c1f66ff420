// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/limits.h"

namespace prengdl {

/// A thread that leaves all signals to the others. Throws an Error that names the limit when the
/// system gives none.
template <class Work>
std::thread start_thread(Work&& work) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    std::thread thread(std::forward<Work>(work));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (const std::system_error& error) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    const int reason = error.code().value();
    throw Error("cannot start a thread: " + error_text(reason), exhaustion_advice(reason));
  }
}

}  // namespace prengdl
