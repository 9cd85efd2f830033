//! `numawise objects`: programs that know who touches and uses their memory objects, held against what is said of them.

#[path = "../support/collector.rs"]
mod collector;
mod compare;
mod hardship;
mod known;
#[path = "../../../collector/tests/support/library.rs"]
mod library;
mod named;
mod placed;
#[path = "../support/program.rs"]
mod program;
#[path = "../support/seccomp.rs"]
#[expect(dead_code, reason = "other tests refuse calls for named threads")]
mod seccomp;
#[path = "../support/signals.rs"]
mod signals;
mod survey;
mod tried;
mod truth;
