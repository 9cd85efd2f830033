# find_package(numawise) gives numawise::numawise, and numawise::static.
# The library lies two folders above this file, the headers beside its folder, or one further up where that is one for each kind of machine.
get_filename_component(_numawise_libraries "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(_numawise_libraries "${_numawise_libraries}/../.." ABSOLUTE)
get_filename_component(_numawise_headers "${_numawise_libraries}/../include" ABSOLUTE)
if(NOT EXISTS "${_numawise_headers}/numawise/numawise.h")
  get_filename_component(_numawise_headers "${_numawise_libraries}/../../include" ABSOLUTE)
endif()
if(NOT TARGET numawise::numawise)
  add_library(numawise::numawise SHARED IMPORTED)
  set_target_properties(numawise::numawise PROPERTIES
    IMPORTED_LOCATION "${_numawise_libraries}/libnumawise.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_numawise_headers}")
  add_library(numawise::static STATIC IMPORTED)
  set_target_properties(numawise::static PROPERTIES
    IMPORTED_LOCATION "${_numawise_libraries}/libnumawise.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_numawise_headers}"
    INTERFACE_LINK_LIBRARIES "pthread;dl;m")
endif()
unset(_numawise_libraries)
unset(_numawise_headers)
