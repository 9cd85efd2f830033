//! Steps on windows, where calls are traced: which other ranks each needs, by the number that a window has in all its ranks.

use core::ffi::c_int;

use numawise_wire::snapshot::ThreadSlot;
use numawise_wire::trace::{CallKind, WindowStep};

use super::amount::Accepted;
use super::communicators::{self, Comm};
use super::requests::{self, End, Request};
use super::samples::mixed;
use super::table::{Effect, Role};
use super::{abi, functions};
use crate::system::SavedErrno;
use crate::trace;

/// After a call that MPI accepted; `is_vain`: it has only asked.
pub fn step(accepted: &Accepted, slot: &ThreadSlot, is_vain: bool) {
    let Accepted { abi, call, frame, .. } = accepted;
    if call.effect == Effect::WindowFree {
        if let Some(window) = requests::look(frame.handle, End::Freed) {
            part(accepted, slot, &window, u64::MAX);
        }
        return;
    }
    let Some(place) = call.place(Role::Window).filter(|_| trace::is_on()) else { return };
    let end = if call.effect == Effect::WindowFence { End::Fenced } else { End::Stays };
    let Some(window) = requests::look(abi.passed(frame.argument(place)), end) else { return };
    let step = match call.effect {
        Effect::WindowFence => return part(accepted, slot, &window, window.extra),
        Effect::WindowPost => WindowStep::Post,
        Effect::WindowStart => WindowStep::Start,
        Effect::WindowComplete => WindowStep::Complete,
        Effect::WindowWait if is_vain => return,
        Effect::WindowWait => WindowStep::Wait,
        Effect::WindowLock if accepted.rank(Role::Indices) == Some(abi.exclusive) => {
            WindowStep::LockExclusive
        }
        Effect::WindowLock => WindowStep::LockShared,
        Effect::WindowUnlock => WindowStep::Unlock,
        Effect::WindowLockAll => WindowStep::LockAll,
        Effect::WindowUnlockAll => WindowStep::UnlockAll,
        _ => return,
    };
    let put = |rank: u32| trace::window(slot, frame.since, window.number, step, rank);
    match step {
        WindowStep::Post | WindowStep::Start => {
            let group = call.place(Role::Indices).map_or(0, |place| abi.passed(frame.argument(place)));
            each_in_world(group, put);
        }
        WindowStep::LockExclusive | WindowStep::LockShared | WindowStep::Unlock => {
            let comm = communicators::by_number(window.comm);
            let target = accepted.rank(Role::Destination).and_then(|rank| Comm::in_world(comm?, rank));
            target.into_iter().for_each(put);
        }
        _ => put(0),
    }
}

/// The call is the `number`-th that needs all ranks of the window.
fn part(accepted: &Accepted, slot: &ThreadSlot, window: &Request, number: u64) {
    if window.number != 0 {
        let frame = accepted.frame;
        let what = (frame.call() as u16, window.comm);
        let of = (frame.since, mixed(window.number, number));
        trace::part(slot, CallKind::OneSided, of, what, -1);
    }
}

/// Members of a group that are asked for at once.
const AT_ONCE: usize = 64;
/// Of a larger group nothing is told: it would fill the trace.
const MOST: usize = 4096;

/// The ranks in the world of a group that MPI has just accepted; those that are not in it are left out.
fn each_in_world(group: u64, mut each: impl FnMut(u32)) {
    type Translate = unsafe extern "C" fn(u64, c_int, *const c_int, u64, *mut c_int) -> c_int;
    let _errno = SavedErrno::new();
    // SAFETY: the functions are of these types, and the handles valid.
    let (size, of_world) =
        unsafe { (functions::GROUP_SIZE.number(group), functions::COMM_GROUP.handle(abi::world())) };
    let (Some(size), Some(of_world), Some(translate)) =
        (size, of_world, functions::GROUP_TRANSLATE_RANKS.address())
    else {
        return;
    };
    // SAFETY: MPI's function of this type.
    let translate: Translate = unsafe { core::mem::transmute(translate) };
    let size = usize::try_from(size).unwrap_or(0);
    let mut from = if size > MOST { size } else { 0 };
    while from < size {
        let count = (size - from).min(AT_ONCE);
        let mut asked = [0; AT_ONCE];
        let mut found = [-1; AT_ONCE];
        asked.iter_mut().zip(from..).for_each(|(place, rank)| *place = rank as c_int);
        // SAFETY: both have place for so many.
        if unsafe { translate(group, count as c_int, asked.as_ptr(), of_world, found.as_mut_ptr()) } == 0 {
            found.iter().take(count).filter_map(|rank| u32::try_from(*rank).ok()).for_each(&mut each);
        }
        from += count;
    }
    // SAFETY: it was given to us.
    unsafe { functions::GROUP_FREE.release(of_world) };
}
