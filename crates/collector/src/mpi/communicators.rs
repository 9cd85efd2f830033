//! The communicators that calls were seen on: their size, our rank in them, and which ranks of the world they have.

use core::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, Ordering::Relaxed,
};

use numawise_wire::snapshot::{COMMUNICATORS, Communicator, MpiKind};

use super::{abi, functions};
use crate::process;
use crate::system::SavedErrno;

/// What we know of one, beside what stands in the file.
struct Known {
    handle: AtomicU64,
    /// Ranks with which a collective call exchanges: the remote ones, of an intercommunicator.
    size: AtomicU32,
    rank: AtomicU32,
    inter: AtomicBool,
    /// Ranks of the world; null: the same as in the world, where `mapped` says that they are known.
    ranks: AtomicPtr<u32>,
    mapped: AtomicBool,
    members: AtomicU64,
    /// How many of the same ranks there were when it was added.
    ordinal: AtomicU32,
    /// Blocking collective calls on it.
    collectives: AtomicU64,
    /// The trace has the ranks whose data calls on it get.
    has_sources: AtomicBool,
}

static KNOWN: [Known; COMMUNICATORS] = [const {
    Known {
        handle: AtomicU64::new(0),
        size: AtomicU32::new(0),
        rank: AtomicU32::new(0),
        inter: AtomicBool::new(false),
        ranks: AtomicPtr::new(core::ptr::null_mut()),
        mapped: AtomicBool::new(false),
        members: AtomicU64::new(0),
        ordinal: AtomicU32::new(0),
        collectives: AtomicU64::new(0),
        has_sources: AtomicBool::new(false),
    }
}; COMMUNICATORS];
static USED: AtomicUsize = AtomicUsize::new(0);
static ADDING: AtomicBool = AtomicBool::new(false);

/// Grows when a communicator is freed: handles that were noted may stand for others.
static EPOCH: AtomicU32 = AtomicU32::new(1);

/// Ranks of all communicators but the world and its copies: 1 MiB at most.
const POOL: usize = 262_144;
static POOL_BEGIN: AtomicPtr<u32> = AtomicPtr::new(core::ptr::null_mut());
static POOL_USED: AtomicUsize = AtomicUsize::new(0);

#[inline]
pub fn epoch() -> u32 {
    EPOCH.load(Relaxed)
}

/// A communicator by its number.
#[derive(Clone, Copy)]
pub struct Comm(&'static Known);

#[inline]
pub fn by_number(number: u16) -> Option<Comm> {
    // The last one stands for all others.
    KNOWN.get(..COMMUNICATORS - 1)?.get(usize::from(number)).map(Comm)
}

impl Comm {
    pub fn size(self) -> u64 {
        self.0.size.load(Relaxed).into()
    }

    pub fn rank(self) -> u32 {
        self.0.rank.load(Relaxed)
    }

    pub fn is_inter(self) -> bool {
        self.0.inter.load(Relaxed)
    }

    /// What tells it in all its ranks, and the number of the collective call that has just returned, which is the same in all of them.
    /// `None` where it has one rank, or is not known.
    #[inline]
    pub fn next_collective(self) -> Option<(u64, u64)> {
        let number = self.0.collectives.load(Relaxed);
        self.0.collectives.store(number.wrapping_add(1), Relaxed);
        let name = self.common_name();
        (name != 0 && (self.size() > 1 || self.is_inter())).then_some((name, number))
    }

    /// A number that it has in all its ranks; 0: not known.
    #[inline]
    pub fn common_name(self) -> u64 {
        match self.0.members.load(Relaxed) {
            0 => 0,
            members => members.rotate_left(7) ^ u64::from(self.0.ordinal.load(Relaxed)),
        }
    }

    /// Whether the ranks whose data calls on it get are to be told now: once.
    #[inline]
    pub fn tells_sources(self) -> bool {
        !self.0.has_sources.load(Relaxed) && !self.0.has_sources.swap(true, Relaxed)
    }

    /// The rank in the world of a rank in it; `None` where it is not known, or not in the world.
    #[inline]
    pub fn in_world(self, rank: i32) -> Option<u32> {
        let rank = u32::try_from(rank).ok().filter(|_| self.0.mapped.load(Relaxed))?;
        if u64::from(rank) >= self.size() {
            return None;
        }
        let ranks = self.0.ranks.load(Relaxed);
        if ranks.is_null() {
            return Some(rank);
        }
        // SAFETY: there are as many as ranks in it.
        let found = unsafe { *ranks.add(rank as usize) };
        found.cast_signed().is_positive().then_some(found).or((found == 0).then_some(0))
    }
}

/// What MPI says at this moment of a communicator that a call has just accepted: by this much, arrays of the program are read.
pub fn size_now(handle: u64) -> u64 {
    // SAFETY: the functions are of these types, and the handle was accepted by a call.
    let size = unsafe {
        let inter = functions::COMM_TEST_INTER.number(handle).unwrap_or(0) != 0;
        let size = if inter { &functions::COMM_REMOTE_SIZE } else { &functions::COMM_SIZE };
        size.number(handle)
    };
    u64::try_from(size.unwrap_or(0)).unwrap_or(0)
}

/// The same for our rank.
pub fn rank_now(handle: u64) -> usize {
    // SAFETY: as above.
    let rank = unsafe { functions::COMM_RANK.number(handle) };
    usize::try_from(rank.unwrap_or(0)).unwrap_or(0)
}

/// From how many (0) or to how many (1) neighbours its topology goes.
pub fn neighbours_now(handle: u64, direction: usize) -> u64 {
    let counts = count_neighbours(handle, rank_now(handle) as u32);
    counts.get(direction).copied().unwrap_or(0).into()
}

/// The number of the communicator with this handle, which a call has just accepted. `None` where none can be added now.
pub fn find(handle: u64) -> Option<u16> {
    let _errno = SavedErrno::new();
    if let Some(number) = known(handle) {
        return Some(number);
    }
    // Who adds asks MPI, for some microseconds; longer, with many ranks.
    const TRIES: usize = 1_000_000;
    for _ in 0..TRIES {
        if !ADDING.swap(true, Ordering::Acquire) {
            let added = known(handle).or_else(|| add(handle));
            ADDING.store(false, Ordering::Release);
            return added;
        }
        core::hint::spin_loop();
    }
    None
}

/// The same, only if it was seen before.
pub fn known(handle: u64) -> Option<u16> {
    if handle == 0 {
        return None;
    }
    let used = USED.load(Ordering::Acquire);
    KNOWN.iter().take(used).position(|known| known.handle.load(Relaxed) == handle).map(|number| number as u16)
}

/// The communicator was freed.
pub fn retire(handle: u64) {
    let Some(number) = known(handle) else { return };
    if let Some(known) = KNOWN.get(usize::from(number)) {
        known.handle.store(0, Relaxed);
    }
    if let Some(place) = process::communicators().and_then(|all| all.get(usize::from(number))) {
        place.handle.store(0, Relaxed);
    }
    EPOCH.fetch_add(1, Relaxed);
}

/// In a child of fork.
pub fn begin_child() {
    ADDING.store(false, Relaxed);
    USED.store(0, Relaxed);
    for known in &KNOWN {
        known.collectives.store(0, Relaxed);
        known.has_sources.store(false, Relaxed);
    }
    EPOCH.fetch_add(1, Relaxed);
}

struct Members {
    size: u32,
    rank: u32,
    inter: bool,
    mapped: bool,
    ranks: *mut u32,
    sum: u64,
}

fn add(handle: u64) -> Option<u16> {
    let members = members(handle)?;
    let used = USED.load(Relaxed);
    let is_same = |known: &Known| {
        known.handle.load(Relaxed) == 0
            && members.sum != 0
            && known.members.load(Relaxed) == members.sum
            && known.rank.load(Relaxed) == members.rank
    };
    // One that was freed and had the same ranks goes on as this one: programs make them by the thousand.
    let same = KNOWN.iter().take(used).position(is_same);
    if same.is_some() && !members.ranks.is_null() {
        // It has them already.
        give_back(members.size as usize);
    }
    let number = match same {
        Some(number) => number,
        None if used < COMMUNICATORS - 1 => used,
        None => {
            process::header()?.communicators_dropped.fetch_add(1, Relaxed);
            return Some(COMMUNICATORS as u16 - 1);
        }
    };
    let known = KNOWN.get(number)?;
    known.size.store(members.size, Relaxed);
    known.rank.store(members.rank, Relaxed);
    known.inter.store(members.inter, Relaxed);
    // The ranks may have another topology.
    known.has_sources.store(false, Relaxed);
    if same.is_none() {
        known.ranks.store(members.ranks, Relaxed);
        let before = KNOWN.iter().take(used).filter(|one| one.members.load(Relaxed) == members.sum).count();
        known.ordinal.store(before as u32, Relaxed);
    }
    known.mapped.store(members.mapped, Relaxed);
    known.members.store(members.sum, Relaxed);
    known.handle.store(handle, Relaxed);
    USED.store(used.max(number + 1), Ordering::Release);
    if let Some(place) = process::communicators().and_then(|all| all.get(number)) {
        write(place, handle, &members);
        if let Some(header) = process::header() {
            header.communicators.fetch_max(number as u32 + 1, Relaxed);
        }
    }
    Some(number as u16)
}

fn write(place: &Communicator, handle: u64, members: &Members) {
    place.handle.store(handle, Relaxed);
    place.size.store(members.size, Relaxed);
    place.rank.store(members.rank, Relaxed);
    place.members.store(members.sum, Relaxed);
    place.inter.store(u32::from(members.inter), Relaxed);
    place.lives.fetch_add(1, Relaxed);
    // MPI_MAX_OBJECT_NAME is 64 in Open MPI and 128 in MPICH.
    let mut name = [0u8; 256];
    let mut length: core::ffi::c_int = 0;
    let Some(function) = functions::COMM_GET_NAME.address() else { return };
    // SAFETY: MPI's function of this type, with place for the longest name.
    let length = unsafe {
        let function: unsafe extern "C" fn(u64, *mut u8, *mut core::ffi::c_int) -> core::ffi::c_int =
            core::mem::transmute(function);
        if function(handle, name.as_mut_ptr(), &raw mut length) != 0 {
            return;
        }
        usize::try_from(length).unwrap_or(0)
    };
    process::copy(name.get(..length).unwrap_or_default(), &place.name);
}

/// Asks MPI; the handle is valid.
fn members(handle: u64) -> Option<Members> {
    let handle_of = |function: &functions::Function, handle| {
        // SAFETY: the functions are of these types, and the handle was accepted by a call.
        unsafe { function.handle(handle) }
    };
    let number_of = |function: &functions::Function| {
        // SAFETY: as above.
        unsafe { function.number(handle) }
    };
    let inter = number_of(&functions::COMM_TEST_INTER)? != 0;
    let size = number_of(if inter { &functions::COMM_REMOTE_SIZE } else { &functions::COMM_SIZE })?;
    let rank = number_of(&functions::COMM_RANK)?;
    let (size, rank) = (u32::try_from(size).ok()?, u32::try_from(rank).ok()?);
    let mut members = Members { size, rank, inter, mapped: false, ranks: core::ptr::null_mut(), sum: 0 };
    let world = abi::world();
    if handle == world {
        members.mapped = true;
        members.sum = sum(size, inter, |rank| rank);
        return Some(members);
    }
    let group = if inter { &functions::COMM_REMOTE_GROUP } else { &functions::COMM_GROUP };
    let initialised = process::header()?.world.load(Relaxed) > 0;
    if !initialised || world == 0 {
        return Some(members);
    }
    let (Some(group), Some(of_world)) = (handle_of(group, handle), handle_of(&functions::COMM_GROUP, world))
    else {
        return Some(members);
    };
    translate(group, of_world, &mut members);
    if inter {
        members.sum = both_groups(handle, of_world, members.sum);
    }
    for group in [group, of_world] {
        // SAFETY: as above; both were given to us.
        unsafe { functions::GROUP_FREE.release(group) };
    }
    Some(members)
}

fn translate(group: u64, of_world: u64, members: &mut Members) {
    type Translate =
        unsafe extern "C" fn(u64, core::ffi::c_int, *const u32, u64, *mut u32) -> core::ffi::c_int;
    let size = members.size as usize;
    // Twice: the ranks that are asked for lie behind the answers, and are given back.
    let (Some(ranks), Some(function)) = (take(2 * size), functions::GROUP_TRANSLATE_RANKS.address()) else {
        return;
    };
    // SAFETY: the memory is ours and long enough, and the function is of this type.
    let translated = unsafe {
        let asked = ranks.add(size);
        (0..size).for_each(|rank| asked.add(rank).write(rank as u32));
        let function: Translate = core::mem::transmute(function);
        function(group, members.size.cast_signed(), asked, of_world, ranks) == 0
    };
    give_back(size);
    if !translated {
        give_back(size);
        return;
    }
    // SAFETY: as above.
    let of = |rank: u32| unsafe { *ranks.add(rank as usize) };
    members.mapped = true;
    members.sum = sum(members.size, members.inter, of);
    if (0..members.size).all(|rank| of(rank) == rank) {
        give_back(size);
    } else {
        members.ranks = ranks;
    }
}

/// What tells an intercommunicator in all ranks of both groups, from what tells that of the others; 0: not known.
fn both_groups(handle: u64, of_world: u64, of_others: u64) -> u64 {
    // SAFETY: the functions are of these types, and the handle was accepted by a call.
    let (group, size) =
        unsafe { (functions::COMM_GROUP.handle(handle), functions::COMM_SIZE.number(handle)) };
    let (Some(group), Some(Ok(size))) = (group, size.map(u32::try_from)) else { return 0 };
    let mut own = Members { size, rank: 0, inter: true, mapped: false, ranks: core::ptr::null_mut(), sum: 0 };
    translate(group, of_world, &mut own);
    if !own.ranks.is_null() {
        give_back(size as usize);
    }
    // SAFETY: it was given to us.
    unsafe { functions::GROUP_FREE.release(group) };
    if own.sum == 0 || of_others == 0 { 0 } else { own.sum.wrapping_add(of_others) | 1 }
}

/// The same number for the same ranks in the same order; not 0.
fn sum(size: u32, inter: bool, of: impl Fn(u32) -> u32) -> u64 {
    let begin = 0xcbf2_9ce4_8422_2325 ^ u64::from(inter);
    (0..size).fold(begin, |sum, rank| (sum ^ u64::from(of(rank))).wrapping_mul(0x0100_0000_01b3)) | 1
}

/// Memory for so many ranks; only who adds a communicator takes and gives back.
fn take(count: usize) -> Option<*mut u32> {
    let mut begin = POOL_BEGIN.load(Relaxed);
    if begin.is_null() {
        begin = crate::system::memory(POOL * size_of::<u32>())?.cast();
        POOL_BEGIN.store(begin, Relaxed);
    }
    let used = POOL_USED.load(Relaxed);
    let after = used.checked_add(count).filter(|after| *after <= POOL)?;
    POOL_USED.store(after, Relaxed);
    Some(begin.wrapping_add(used))
}

fn give_back(count: usize) {
    POOL_USED.store(POOL_USED.load(Relaxed).saturating_sub(count), Relaxed);
}

/// Values of MPI_Topo_test: Cartesian, a graph, a distributed one.
pub fn topologies() -> (i32, i32, i32) {
    match abi::abi().map(|abi| abi.kind) {
        Some(MpiKind::Mpich) => (2, 1, 3),
        Some(MpiKind::Standard) => (211, 212, 213),
        _ => (1, 2, 3),
    }
}

/// From and to how many; zeros where it has no topology.
fn count_neighbours(handle: u64, rank: u32) -> [u32; 2] {
    let (cart, graph, distributed) = topologies();
    let mut counts = [0i32; 3];
    // SAFETY: the functions are of these types, and the handle was accepted by a call.
    unsafe {
        match functions::TOPO_TEST.number(handle) {
            Some(found) if found == cart => {
                counts[0] = 2 * functions::CARTDIM_GET.number(handle).unwrap_or(0);
                counts[1] = counts[0];
            }
            Some(found) if found == graph => {
                if let Some(function) = functions::GRAPH_NEIGHBORS_COUNT.address() {
                    let function: unsafe extern "C" fn(u64, i32, *mut i32) -> i32 =
                        core::mem::transmute(function);
                    function(handle, rank.cast_signed(), &raw mut counts[0]);
                    counts[1] = counts[0];
                }
            }
            Some(found) if found == distributed => {
                if let Some(function) = functions::DIST_GRAPH_NEIGHBORS_COUNT.address() {
                    let function: unsafe extern "C" fn(u64, *mut i32, *mut i32, *mut i32) -> i32 =
                        core::mem::transmute(function);
                    let [from, to, weighted] = &mut counts;
                    function(handle, from, to, weighted);
                }
            }
            _ => {}
        }
    }
    [counts[0].max(0).cast_unsigned(), counts[1].max(0).cast_unsigned()]
}
