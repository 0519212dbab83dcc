# find_package(shardscope) provides the engine as the target shardscope::core.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/shardscopeTargets.cmake)
