// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace prengdl::embedded {

/// The files of web/serve/, compiled into the program.
std::string_view page_html();
std::string_view page_css();
std::string_view charts_css();
std::string_view words_js();
std::string_view charts_js();
std::string_view findings_js();
std::string_view jobs_js();
std::string_view page_js();

}  // namespace prengdl::embedded
