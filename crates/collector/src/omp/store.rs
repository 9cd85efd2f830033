//! Regions whose entry point returns before they end: what their workers are given must outlive it, and lies in a store of ours.
//! When all of the store is taken, a region goes unseen.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use super::account::Me;
use super::fork::Fork;
use super::position::OpenLoop;

/// Regions that are open at one time.
const STORE: usize = 256;

/// A place of the store.
pub struct OpenRegion {
    taken: AtomicU32,
    content: UnsafeCell<MaybeUninit<Content>>,
}

/// Begins with what workers are given.
#[repr(C)]
pub struct Content {
    pub fork: Fork,
    /// The region around it that the thread opened so, or null.
    pub around: *const c_void,
    /// Of the region around it.
    pub open_loop: OpenLoop,
    /// Whether the thread works in a region of another one, around it.
    pub works: u32,
    /// The address behind the call that opened it; 0: not known.
    pub site: usize,
    /// Its threads; 0: not known yet.
    pub team: u32,
}

// SAFETY: the content is written by the one thread that has set `taken`, before others are given it.
unsafe impl Sync for OpenRegion {}

static REGIONS: [OpenRegion; STORE] =
    [const { OpenRegion { taken: AtomicU32::new(0), content: UnsafeCell::new(MaybeUninit::uninit()) } };
        STORE];

impl OpenRegion {
    fn take(&self) -> bool {
        self.taken.load(Relaxed) == 0 && self.taken.compare_exchange(0, 1, Acquire, Relaxed).is_ok()
    }

    pub fn content(&self) -> *mut Content {
        self.content.get().cast()
    }
}

/// Opens a region: `fork` makes what its workers are given. `None` where it goes unseen, or within one that does.
pub fn open(me: &Me<'_>, fork: impl FnOnce(&Me<'_>) -> Fork) -> Option<&'static OpenRegion> {
    let local = me.local;
    // The place that the thread had last is in its processor's cache.
    // SAFETY: null, or a place of the store.
    let last = unsafe { local.last_opened.get().cast::<OpenRegion>().as_ref() };
    let found = match last {
        _ if local.unseen.get() != 0 => None,
        Some(last) if last.take() => Some(last),
        _ => REGIONS.iter().find(|region| region.take()),
    };
    let Some(region) = found else {
        local.unseen.set(local.unseen.get() + 1);
        return None;
    };
    let content = Content {
        open_loop: local.open_loop.get(),
        around: local.opened.get(),
        works: local.works.get(),
        site: 0,
        team: 0,
        fork: fork(me),
    };
    // SAFETY: the place is ours since it was taken.
    unsafe { region.content().write(content) };
    local.opened.set((&raw const *region).cast());
    Some(region)
}

/// The region that the thread opened last, at its end; `None` where that one went unseen.
pub fn ends(me: &Me<'_>) -> Option<&'static OpenRegion> {
    let local = me.local;
    if let Some(left) = local.unseen.get().checked_sub(1) {
        local.unseen.set(left);
        return None;
    }
    // SAFETY: null, or a place of the store.
    unsafe { local.opened.get().cast::<OpenRegion>().as_ref() }
}

/// The address behind the call that opened the thread's innermost region; 0: not known.
pub fn site(me: &Me<'_>) -> usize {
    // SAFETY: null, or a place of the store that this thread filled.
    unsafe {
        me.local.opened.get().cast::<OpenRegion>().as_ref().map_or(0, |region| (*region.content()).site)
    }
}

/// Closes a region that its threads have left.
pub fn close(region: &'static OpenRegion, team: u32) {
    // SAFETY: the region was filled by the calling thread, and nobody else looks at it any more.
    let content = unsafe { &*region.content() };
    content.fork.end(team);
    if let Some(me) = Me::here() {
        me.local.opened.set(content.around);
        me.local.open_loop.set(content.open_loop);
        me.local.works.set(content.works);
        me.local.last_opened.set((&raw const *region).cast());
    }
    region.taken.store(0, Release);
}
