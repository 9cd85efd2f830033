//! Places and machines from outside: plans on recorded machines, the commands about one, beside other tools.

mod golden_placement;
mod gpus;
mod machine;
mod move_memory;
mod one_planner;
mod peer_hwloc;
mod peer_locate;
mod peer_memattrs;
mod peer_numactl;
mod place;
mod report;
mod start_up;
mod whole_cores;
