// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace prengdl::embedded {

/// What the page of a report needs in the browser, made by scripts/web; empty if the program was
/// built without it (-DPRENGDL_WEB=OFF): then pages have tables and no charts.
std::string_view report_script();
std::string_view report_script_hash();  // "sha256-..." of the script, for the page's own policy
std::string_view report_style();
std::string_view report_licences();  // of the packages in the script

}  // namespace prengdl::embedded
