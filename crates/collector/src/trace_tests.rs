use super::*;

#[test]
fn a_place_that_was_given_back_serves_before_a_new_one() {
    const PLACES: usize = 3;
    let flags = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: new memory, of which zeros are a value of the header; it stays.
    let header = unsafe { map(core::ptr::null_mut(), file_bytes(PLACES), flags, None, 0) };
    // SAFETY: as above.
    let header = unsafe { header.and_then(|memory| memory.cast::<Header>().as_ref()) }.expect("memory");
    header.chunks.store(PLACES as u32, Relaxed);
    let given = || free(header).map(|(chunk, number)| ((&raw const *chunk).addr(), number));
    let set = |place: usize, state: ChunkState| header.states[place].store(state as u8, Relaxed);
    let (first, second) = (given().expect("new"), given().expect("new"));
    assert_eq!((second.0 - first.0, second.1 - first.1), (CHUNK_BYTES, 1));
    set(0, ChunkState::LetGo);
    set(1, ChunkState::Free);
    assert_eq!(given(), Some((second.0, 2)));
    assert_eq!(header.opened.load(Relaxed), 2, "the third place has no pages yet");
    assert_eq!(given().map(|given| given.0), Some(first.0 + 2 * CHUNK_BYTES));
    assert_eq!(given(), None);
}
