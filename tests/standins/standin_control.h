// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "standins/standin.h"

namespace prengdl {

/// A stand-in library, loaded a second time beside the meters, so that a test can set and ask it.
/// Its clock stands still at `start` until it is moved.
class StandinControl {
 public:
  static constexpr long long start = 1'000'000'000;  // ns

  explicit StandinControl(const char* library) : handle_(dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) throw std::runtime_error(dlerror());
  }
  ~StandinControl() { dlclose(handle_); }
  StandinControl(const StandinControl&) = delete;
  StandinControl& operator=(const StandinControl&) = delete;

  void describe(const std::string& gpus) {
    function<decltype(prengdl_standin_configure)>("prengdl_standin_configure")(gpus.c_str());
    at(0);
  }
  void init_fails(int code) {
    function<decltype(prengdl_standin_init_code)>("prengdl_standin_init_code")(code);
  }
  void fail(unsigned gpu, int code) {
    function<decltype(prengdl_standin_fail)>("prengdl_standin_fail")(gpu, code);
  }
  /// Seconds after the start.
  void at(double seconds) { set_time(start + static_cast<long long>(seconds * 1e9)); }
  void real_time() { set_time(0); }
  long long start_ns() {
    return function<decltype(prengdl_standin_start_ns)>("prengdl_standin_start_ns")();
  }
  int users() { return function<decltype(prengdl_standin_users)>("prengdl_standin_users")(); }

 private:
  template <class Function>
  Function* function(const char* name) {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }
  void set_time(long long ns) {
    function<decltype(prengdl_standin_set_time)>("prengdl_standin_set_time")(ns);
  }

  void* handle_;
};

}  // namespace prengdl
