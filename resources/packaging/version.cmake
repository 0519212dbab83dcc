# Reads the version from the newest entry of the changelog, which is its only source.
set(changelog ${CMAKE_CURRENT_LIST_DIR}/../CHANGELOG.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${changelog})
file(STRINGS ${changelog} newest LIMIT_COUNT 1 REGEX "^## ")
if(NOT newest MATCHES "^## ([0-9]+\\.[0-9]+\\.[0-9]+) \\(([0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9])\\)$")
  message(FATAL_ERROR "resources/CHANGELOG.md must begin with an entry such as `## 0.2.0 (2026-11-21)`, not `${newest}`")
endif()
set(SHARDSCOPE_NEWEST_RELEASE ${CMAKE_MATCH_1})
set(SHARDSCOPE_RELEASED ${CMAKE_MATCH_2})
