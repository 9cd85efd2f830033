//! `numawise objects`: programs that know who touches and uses their memory objects, held against what is said of them.

#[path = "../support/collector.rs"]
mod collector;
mod compare;
mod known;
mod named;
mod placed;
#[path = "../support/program.rs"]
mod program;
mod tried;
mod truth;
