//! Memory that was put on nodes: policies are set for the whole pages of a block, and taken back before it is freed.
//!
//! Nodes are preferred or alternate, and are not required: where they are full, the kernel takes others, as for all memory of the program.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

use numawise_guest::memory::PAGE;
use numawise_guest::sandbox;
use numawise_guest::system::SavedErrno;
use numawise_syscalls::{
    MPOL_DEFAULT, MPOL_INTERLEAVE, MPOL_MF_MOVE, MPOL_PREFERRED, MPOL_PREFERRED_MANY, set_memory_policy_of,
};

use numawise_wire::heap::rules::{MOST_TARGETS, NODE_WORDS, Spread};

/// Blocks that can be on nodes at one time; more stay where they are.
const BUCKETS: usize = 1 << 10;
const IN_BUCKET: usize = 8;
/// The number of the nodes stands in the last bits of a length.
const TARGET_BITS: u32 = 4;

/// A place is free where the address is 0; 1: it is being filled.
struct Block {
    address: AtomicUsize,
    bytes: AtomicUsize,
}
const FILLED: usize = 1;
static BLOCKS: [[Block; IN_BUCKET]; BUCKETS] =
    [const { [const { Block { address: AtomicUsize::new(0), bytes: AtomicUsize::new(0) } }; IN_BUCKET] };
        BUCKETS];

/// Blocks that are in it.
static USED: AtomicUsize = AtomicUsize::new(0);

/// Sets of nodes, as words of bits.
static TARGETS: [[AtomicU64; NODE_WORDS]; MOST_TARGETS] =
    [const { [const { AtomicU64::new(0) }; NODE_WORDS] }; MOST_TARGETS];
/// Those over which pages alternate.
static INTERLEAVED: [AtomicBool; MOST_TARGETS] = [const { AtomicBool::new(false) }; MOST_TARGETS];

/// Says which nodes a number stands for, and how pages go there.
pub fn set_target(number: usize, nodes: &[u64; NODE_WORDS], spread: Spread) {
    if let Some(interleaved) = INTERLEAVED.get(number) {
        interleaved.store(spread == Spread::Interleaved, Relaxed);
    }
    let words = TARGETS.get(number).into_iter().flatten();
    words.zip(nodes).for_each(|(place, word)| place.store(*word, Relaxed));
}

/// By two buckets.
fn places(address: usize) -> impl Iterator<Item = &'static Block> {
    let hash = (address as u64 >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let of = |shift: u32| BLOCKS.get((hash >> shift) as usize % BUCKETS);
    of(54).into_iter().chain(of(40)).flatten()
}

/// Puts a block on nodes that the program does not have yet. False where it stays as it is: without a whole page, or where there are too many.
pub fn put_block(address: usize, bytes: usize, target: usize) -> bool {
    let Some((begin, length)) = whole_pages(address, bytes) else { return false };
    let is_free = |block: &&Block| block.address.compare_exchange(0, FILLED, Acquire, Relaxed).is_ok();
    let Some(block) = places(address).find(is_free) else { return false };
    if !put(begin, length, target) {
        block.address.store(0, Release);
        return false;
    }
    block.bytes.store(bytes << TARGET_BITS | target, Relaxed);
    USED.fetch_add(1, Relaxed);
    block.address.store(address, Release);
    true
}

/// Takes a block out, and gives its bytes and the number of its nodes.
fn take(address: usize) -> Option<(usize, usize)> {
    if USED.load(Relaxed) == 0 {
        return None;
    }
    let block = places(address).find(|block| block.address.load(Acquire) == address)?;
    let word = block.bytes.load(Relaxed);
    block.address.store(0, Release);
    USED.fetch_sub(1, Relaxed);
    Some((word >> TARGET_BITS, word & ((1 << TARGET_BITS) - 1)))
}

/// The block is about to be freed: its pages go back to the kernel, so that whoever gets this memory next finds it as any other.
pub fn free(address: usize) {
    let Some((bytes, _)) = take(address).filter(|_| !sandbox::is_quiet()) else { return };
    if let Some((begin, length)) = whole_pages(address, bytes) {
        let _errno = SavedErrno::new();
        default(begin, length);
        // What was in it is nobody's any more, and allocators keep what is theirs outside of whole pages of a block that is in use.
        // SAFETY: memory of a block that the program gave back.
        unsafe {
            libc::madvise(
                core::ptr::with_exposed_provenance_mut::<c_void>(begin),
                length,
                libc::MADV_DONTNEED,
            )
        };
    }
}

/// The block is about to be made larger or smaller, maybe elsewhere: the number of its nodes. Its pages keep what is in them.
pub fn give_back(address: usize) -> Option<usize> {
    let (bytes, target) = take(address)?;
    let (begin, length) = whole_pages(address, bytes)?;
    default(begin, length);
    Some(target)
}

/// Puts a mapping on nodes: its policy goes with it.
pub fn put_mapping(address: usize, bytes: usize, target: usize) {
    if let Some(bytes) = bytes.checked_next_multiple_of(page()) {
        put(address, bytes, target);
    }
}

/// Puts the whole pages of a variable on nodes; what is in others may be another's.
pub fn put_variable(address: usize, bytes: usize, target: usize) {
    if let Some((begin, length)) = whole_pages(address, bytes) {
        put(begin, length, target);
    }
}

fn page() -> usize {
    // SAFETY: no preconditions.
    let size = unsafe { libc::getauxval(libc::AT_PAGESZ) } as usize;
    if size.is_power_of_two() { size } else { PAGE }
}

/// Where the whole pages of a block begin, and their bytes; `None` where it has none.
fn whole_pages(address: usize, bytes: usize) -> Option<(usize, usize)> {
    let page = page();
    let begin = address.checked_next_multiple_of(page)?;
    let end = address.checked_add(bytes)? & !(page - 1);
    (end > begin).then(|| (begin, end - begin))
}

fn put(begin: usize, bytes: usize, target: usize) -> bool {
    let _errno = SavedErrno::new();
    if sandbox::is_quiet() {
        return false;
    }
    let Some(words) = TARGETS.get(target) else { return false };
    let nodes: [u64; NODE_WORDS] =
        core::array::from_fn(|k| words.get(k).map_or(0, |word| word.load(Relaxed)));
    let words = nodes.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
    let Some(nodes) = nodes.get(..words) else { return false };
    if INTERLEAVED.get(target).is_some_and(|interleaved| interleaved.load(Relaxed)) {
        return set(begin, bytes, MPOL_INTERLEAVE, nodes, MPOL_MF_MOVE);
    }
    // One node is what all kernels know; several are known since 5.15, before that the first of them is taken.
    let is_one = nodes.iter().map(|word| word.count_ones()).sum::<u32>() == 1;
    let many = if is_one { MPOL_PREFERRED } else { MPOL_PREFERRED_MANY };
    set(begin, bytes, many, nodes, MPOL_MF_MOVE)
        || (!is_one && set(begin, bytes, MPOL_PREFERRED, nodes, MPOL_MF_MOVE))
}

fn default(begin: usize, bytes: usize) {
    if sandbox::is_quiet() {
        return;
    }
    let _errno = SavedErrno::new();
    set(begin, bytes, MPOL_DEFAULT, &[], 0);
}

fn set(begin: usize, bytes: usize, mode: c_int, nodes: &[u64], flags: core::ffi::c_ulong) -> bool {
    let start = core::ptr::with_exposed_provenance_mut::<u8>(begin);
    // SAFETY: memory of the program, whose content does not change.
    unsafe { set_memory_policy_of(start, bytes, mode, nodes, flags) }.is_ok()
}
