# Settings of the Debian packages that `cpack` makes: the program, and the engine as a library. `./dev package` builds
# them.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program library)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_PACKAGE_CONTACT ${SHARDSCOPE_MAINTAINER})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

# Each package's description has its own first line.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME shardscope)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# Recommends fonts, translations of Qt and the platform plugins other than X11's. Those of Wayland are a separate
# package.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "fonts-dejavu-core, qt6-qpa-plugins, qt6-translations-l10n, qt6-wayland")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "bash-completion")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
    "what-if explorer for training large transformers
See where memory or bandwidth becomes the wall of training a large
transformer: drag bandwidth, GPU memory, FLOPS, model width, sequence length,
GPU count or batch, and MFU, the memory breakdown, the step time and the
scaling curve follow. Every number opens its formula, its values and its
source. Estimates, sweeps, searches for the best plan and figures are had on
the command line, too. No GPU is needed.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libshardscope-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "cmake, shardscope")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
    "engine of Shardscope: estimates of training large transformers
Memory, step time, throughput and the limiting wall of training a large
transformer on a GPU cluster, sweeps, sensitivities and the search for the
best plan, as a static C++20 library with its headers and a CMake package.")
include(CPack)
