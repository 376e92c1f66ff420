# Turns a text file into a C++ source that defines std::string_view FUNCTION() in prengdl::embedded.
# Called as a script: cmake -DINPUT=... -DOUTPUT=... -DFUNCTION=... -DFOLDER=... -P embed.cmake
file(READ ${INPUT} text)
string(LENGTH "${text}" length)
# String literals are limited to 64 kB in the standard; raw ones of 8 kB are joined by the compiler.
set(literals "")
set(start 0)
while(start LESS length)
  string(SUBSTRING "${text}" ${start} 8000 part)
  string(APPEND literals "    R\"embedded(${part})embedded\"\n")
  math(EXPR start "${start} + 8000")
endwhile()
if(length EQUAL 0)
  set(literals "    \"\"\n")
endif()
get_filename_component(name ${INPUT} NAME)
file(WRITE ${OUTPUT} "// Made from ${name} by cmake/embed.cmake.
#include \"${FOLDER}/embedded.h\"
namespace prengdl::embedded {
// NOLINTNEXTLINE(readability-function-size)
std::string_view ${FUNCTION}() {
  static constexpr char text[] =
${literals}    ;
  return {text, sizeof text - 1};
}
}
")
