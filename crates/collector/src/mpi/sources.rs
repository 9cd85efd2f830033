//! Whose data a rank gets in collective calls in which it does not get that of all: of its neighbours in a topology, of the other group of an
//! intercommunicator. A trace has them once for each communicator.

use core::ffi::c_int;

use numawise_wire::snapshot::ThreadSlot;

use super::amount::Accepted;
use super::communicators::{self, Comm, topologies};
use super::functions;
use crate::system::SavedErrno;
use crate::trace;

/// Of more, nothing is told.
const MOST: usize = 64;

/// Before the first of its calls on a communicator is noted.
#[inline]
pub fn tell_once(slot: &ThreadSlot, of: &Accepted<'_>, comm: Comm) {
    if (comm.is_inter() || of.call.is_among_neighbours()) && comm.tells_sources() {
        tell(slot, comm, of.handle, of.frame.since);
    }
}

#[cold]
#[inline(never)]
fn tell(slot: &ThreadSlot, comm: Comm, handle: u64, begin: u64) {
    let _errno = SavedErrno::new();
    let mut found = [-1; MOST];
    let count = if comm.is_inter() {
        found.iter_mut().zip(0..).for_each(|(place, rank)| *place = rank);
        comm.size() as usize
    } else {
        neighbours(handle, comm.rank(), &mut found).unwrap_or(0)
    };
    let Some(ranks) = found.get(..count) else { return };
    // Some of them alone would say that the others are not needed.
    let ranks = || ranks.iter().filter(|rank| **rank >= 0).map(|rank| comm.in_world(*rank));
    if ranks().all(|rank| rank.is_some()) {
        ranks().flatten().for_each(|rank| trace::source(slot, begin, rank));
    }
}

/// Those from which it goes to this one, `MPI_PROC_NULL` among them.
fn neighbours(handle: u64, rank: u32, found: &mut [c_int; MOST]) -> Option<usize> {
    type Shift = unsafe extern "C" fn(u64, c_int, c_int, *mut c_int, *mut c_int) -> c_int;
    type Graph = unsafe extern "C" fn(u64, c_int, c_int, *mut c_int) -> c_int;
    type Distributed =
        unsafe extern "C" fn(u64, c_int, *mut c_int, *mut c_int, c_int, *mut c_int, *mut c_int) -> c_int;
    let [count, to] = [0, 1].map(|direction| communicators::neighbours_now(handle, direction) as usize);
    if count > MOST || to > MOST {
        return None;
    }
    let (cart, graph, distributed) = topologies();
    // SAFETY: the functions are of these types, the handle was accepted by a call, and there is place for so many ranks.
    let is_done = unsafe {
        match functions::TOPO_TEST.number(handle)? {
            kind if kind == cart => {
                let shift: Shift = core::mem::transmute(functions::CART_SHIFT.address()?);
                let mut pairs = (0..).zip(found.chunks_exact_mut(2).take(count / 2));
                pairs.all(|(dimension, pair)| match pair {
                    [before, after] => shift(handle, dimension, 1, before, after) == 0,
                    _ => false,
                })
            }
            kind if kind == graph => {
                let of: Graph = core::mem::transmute(functions::GRAPH_NEIGHBORS.address()?);
                of(handle, rank.cast_signed(), count as c_int, found.as_mut_ptr()) == 0
            }
            kind if kind == distributed => {
                let of: Distributed = core::mem::transmute(functions::DIST_GRAPH_NEIGHBORS.address()?);
                let [mut weights, mut targets, mut others] = [[0; MOST]; 3];
                let (from, weights) = (found.as_mut_ptr(), weights.as_mut_ptr());
                let (targets, others) = (targets.as_mut_ptr(), others.as_mut_ptr());
                of(handle, count as c_int, from, weights, to as c_int, targets, others) == 0
            }
            _ => false,
        }
    };
    is_done.then_some(count)
}
