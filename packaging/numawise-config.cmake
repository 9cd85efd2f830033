# find_package(numawise) gives numawise::numawise, and numawise::static.
get_filename_component(_numawise_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET numawise::numawise)
  add_library(numawise::numawise SHARED IMPORTED)
  set_target_properties(numawise::numawise PROPERTIES
    IMPORTED_LOCATION "${_numawise_prefix}/lib/libnumawise.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_numawise_prefix}/include")
  add_library(numawise::static STATIC IMPORTED)
  set_target_properties(numawise::static PROPERTIES
    IMPORTED_LOCATION "${_numawise_prefix}/lib/libnumawise.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_numawise_prefix}/include"
    INTERFACE_LINK_LIBRARIES "pthread;dl;m")
endif()
unset(_numawise_prefix)
