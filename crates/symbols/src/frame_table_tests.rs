use super::*;

#[test]
fn the_linkers_index_and_our_own_find_the_same_functions() {
    let path = std::env::current_exe().unwrap();
    let with = FrameTable::of(&mut ElfFile::read(&path).unwrap());
    let mut elf = ElfFile::read(&path).unwrap();
    elf.frames_index = Section::default();
    let without = FrameTable::of(&mut elf);
    assert!(matches!((&with.index, &without.index), (FrameIndex::OfLinker(_), FrameIndex::Own(_))));
    let code = elf.segments.iter().find(|segment| segment.is_code).unwrap();
    let (mut context, mut described) = (UnwindContext::new(), 0);
    for at in (0..code.bytes_in_file).step_by(4099) {
        let address = code.address + at;
        assert_eq!(with.function(address), without.function(address), "{address:#x}");
        let rule = with.rule(address, &mut context);
        described += u32::from(rule.is_some());
        assert_eq!(rule, without.rule(address, &mut context), "{address:#x}");
    }
    assert!(described > 10);
    for address in [0, u64::MAX] {
        assert_eq!(with.function(address), None);
        assert_eq!(without.rule(address, &mut context), None);
    }
}
