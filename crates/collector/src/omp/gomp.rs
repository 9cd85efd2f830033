//! libgomp by its entry points, of GCC 4.2 to 15: what calls into them is made by the compiler, so their names and arguments do not
//! change, and the versions of the symbols are not asked for: none of these has two.
//!
//! Not stood before, since nothing is waited for there: the ends of critical, atomic and ordered, `GOMP_doacross_post`,
//! `GOMP_taskgroup_start`, `GOMP_cancel` and `GOMP_cancellation_point` (what they cancel ends at a barrier, which is seen), the
//! registration of reductions. Nor the nestable locks: they have two versions, whose locks differ in size.

mod doacross;
mod locks;
mod loops;
mod offload;
mod older;
mod parallel;
mod sections;
mod sync;
mod tasks;
mod worksharing;
