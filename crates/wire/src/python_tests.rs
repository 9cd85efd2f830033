use std::vec::Vec;

use super::*;

/// Of one function, by the versions' own compilers: which lines its instructions have, from which byte on; 0: none.
type Recorded = (LineTable, u32, &'static str, &'static [(u32, u32)], u32);

#[rustfmt::skip]
fn recorded() -> [Recorded; 5] {
    [
        // 3.9
        (LineTable::Steps, 3, "000202020201020102ff02fd040508010201020102ff06030e7f004b060102ff040102ff", &[(0, 5), (2, 7), (4, 8), (6, 9), (8, 8), (10, 5), (14, 10), (22, 11), (24, 12), (26, 13), (28, 12), (34, 15), (48, 217), (54, 218), (56, 217), (60, 218), (62, 217)], 66),
        // 3.10
        (LineTable::Ranges, 3, "020202020201020102ff04fd080502010201020106ff0c03007f064b020104ff020104ff", &[(0, 5), (2, 7), (4, 8), (6, 9), (8, 8), (10, 5), (14, 10), (22, 11), (24, 12), (26, 13), (28, 12), (34, 15), (46, 217), (52, 218), (54, 217), (58, 218), (60, 217)], 64),
        // 3.11
        (LineTable::Locations, 3, "8000e0090ae0090add090cd80d0ef103010a10f400010a10f0070409118041f00a000e0ff000050515f0000505158801f002040915d81112d81112f1030112138841f00600111588418841f8900488418848884888488848f05406010c18f000010c18d81516f003010c18f100010c18f400010c18d8191af003010c1bf00001051b", &[(0, 3), (2, 5), (4, 7), (6, 8), (18, 9), (20, 8), (34, 5), (38, 10), (46, 11), (48, 12), (50, 13), (52, 12), (58, 15), (64, 0), (66, 15), (78, 217), (82, 218), (84, 217), (100, 218), (102, 217)], 106),
        // 3.12
        (LineTable::Locations, 3, "8000e0090ae0090adc090cd80d0ef303010a10f0070409118041f00a000e0ff2000505158801f002040915d81112d81112f1030112138841f0060011158941f00b050515f06006001617f603010c18d81011f203000d0ef200010c18d8191af003010c1bf00001051bf8f055060011158941fcf25406010c18", &[(0, 3), (2, 5), (4, 7), (6, 8), (16, 9), (18, 8), (26, 5), (30, 10), (40, 11), (42, 12), (44, 13), (46, 12), (52, 15), (58, 10), (60, 218), (62, 217), (76, 218), (78, 217), (90, 218), (92, 217), (96, 0), (98, 15), (104, 0), (114, 217)], 120),
        // 3.13
        (LineTable::Locations, 3, "8000e0090ae0090adc090cd80d0ef303010a10f0070409118041f30a000e0f8801f002040915d81112d81112f1030112138841f0060011158a41f10b000e0ff16006001617f303010c18d915169001f303000d0ed91516f103010c18d8191af003010c1bf00001051bf8f055060011158941fcf25406010c18", &[(0, 3), (2, 5), (4, 7), (6, 8), (16, 9), (18, 8), (26, 5), (30, 10), (40, 11), (42, 12), (44, 13), (46, 12), (52, 15), (60, 10), (64, 218), (68, 217), (76, 218), (82, 217), (90, 218), (94, 217), (98, 218), (100, 217), (104, 0), (106, 15), (112, 0), (122, 217)], 128),
    ]
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn each_instruction_has_the_line_that_its_interpreter_says() {
    for (kind, first, table, lines, end) in recorded() {
        let table = bytes(table);
        for at in (0..end).step_by(2) {
            let (_, expected) = lines.iter().rfind(|(begin, _)| *begin <= at).unwrap();
            let found = line(kind, table.iter().copied(), first, at);
            assert_eq!(found, Some(*expected).filter(|line| *line > 0), "{kind:?}, byte {at}");
        }
        if kind != LineTable::Steps {
            assert_eq!(line(kind, table.iter().copied(), first, end), None, "{kind:?}: behind its end");
        }
    }
}

#[test]
fn a_broken_table_gives_some_line_or_none() {
    let mut state = 7u32;
    for kind in [LineTable::Steps, LineTable::Ranges, LineTable::Locations] {
        for length in 0..200 {
            let table: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as u8
                })
                .collect();
            for at in [0, 2, 100, u32::MAX] {
                assert_ne!(line(kind, table.iter().copied(), 1, at), Some(0));
            }
        }
        assert_ne!(line(kind, core::iter::repeat_n(0xff, 1 << 16), u32::MAX, u32::MAX), Some(0));
    }
}

/// The begin of `_PyRuntime` of 3.13.0 behind its cookie, as words.
const PUBLISHED_3_13: [u64; 80] = [
    51183856,
    0,
    283320,
    608,
    632,
    194968,
    7272,
    7264,
    7344,
    7400,
    7656,
    7640,
    7648,
    16,
    7752,
    0,
    7768,
    7760,
    304,
    0,
    8,
    16,
    72,
    152,
    160,
    232,
    32,
    80,
    8,
    0,
    56,
    72,
    70,
    208,
    112,
    120,
    128,
    136,
    68,
    52,
    96,
    104,
    200,
    16,
    8,
    416,
    24,
    88,
    168,
    32,
    24,
    16,
    40,
    24,
    16,
    48,
    32,
    40,
    24,
    16,
    32,
    16,
    24,
    40,
    16,
    32,
    64,
    32,
    16,
    40,
    240,
    200,
    1,
    4294967297,
    1,
    0,
    0,
    0,
    140351557070304,
    140351557070304,
];

fn published(words: &[u64]) -> Vec<u8> {
    let words = words.iter().flat_map(|word| word.to_ne_bytes());
    b"xdebugpy".iter().copied().chain(words).collect()
}

#[test]
fn what_an_interpreter_publishes_is_its_layout() {
    let layout = Layout::published(&published(&PUBLISHED_3_13)).unwrap();
    assert_eq!(layout.runtime, Runtime { finalizing: 608, interpreters: 632, next: 7264, threads: 7344 });
    assert_eq!(layout.thread, Thread { next: 8, id: 152, frame: 72, within: None });
    let position = Position::Address { begin: 200 };
    assert_eq!(layout.frame, Frame { previous: 8, code: 0, instruction: 56, owner: Some(70), position });
    let table = LineTable::Locations;
    assert_eq!(layout.code, Code { kind: 8, file: 112, name: 128, first_line: 68, lines: 136, table });
    assert_eq!(layout.text, TEXT);
}

/// The words that 3.14 has more stand where its header has them.
#[test]
fn the_next_version_publishes_the_same_with_more_between() {
    let mut words = PUBLISHED_3_13.to_vec();
    words[0] = 0x030e_00f0;
    // By the numbers that words have with the cookie: behind `threads_head`, behind `gil_runtime_state_holder`, behind the owner of a frame, behind
    // `co_code_adaptive`, and behind `list_object`.
    for (behind, more) in [(9, 1), (19, 2), (36, 2), (49, 1), (62, 4)] {
        (0..more).for_each(|_| words.insert(behind, 9999));
    }
    assert_eq!(Layout::published(&published(&words)), Layout::published(&published(&PUBLISHED_3_13)));
}

#[test]
fn what_is_no_known_layout_is_none() {
    let whole = published(&PUBLISHED_3_13);
    for length in [0, 7, 8, 16, 300, 560] {
        assert_eq!(Layout::published(&whole[..length]), None, "{length}");
    }
    for (word, value) in [(0, 0x030c_00f0), (0, 0x030f_00f0), (20, 1 << 16), (42, u64::MAX)] {
        let mut words = PUBLISHED_3_13;
        words[word] = value;
        assert_eq!(Layout::published(&published(&words)), None, "{word}");
    }
    assert_eq!([8, 13, 0].map(Layout::of), [None; 3]);
    assert!((9..=12).all(|minor| Layout::of(minor).is_some()));
}

#[test]
fn letters_are_known_by_the_state_of_their_string() {
    let of = |width, is_ascii| Some(Letters { width, is_ascii });
    for (state, letters) in [
        // 3.9: interned, ready; ASCII and not.
        (0b1110_0101, of(1, true)),
        (0b1010_1000, of(2, false)),
        (0b0011_0001, of(4, false)),
        // Without a lock of the interpreter, and 3.15.
        (0b0001_1001 << 8 | 1, of(1, true)),
        (0b0000_1010 << 16 | 3, of(2, false)),
        // Letters elsewhere; no string.
        (0b1000_0101, None),
        (0, None),
        (0b0010_1100, None),
    ] {
        assert_eq!(Letters::of(state), letters, "{state:b}");
    }
}

#[test]
fn frames_are_read_as_they_were_written() {
    let mut written = Vec::new();
    for (line, file, function) in [(7, "/home/me/a.py", "work"), (0, "", "<module>")] {
        written.extend(frame_head(line, file.len() as u16, function.len() as u16));
        written.extend(file.bytes().chain(function.bytes()));
    }
    let read: Vec<FrameText<'_>> = frames(&written).collect();
    assert_eq!(
        read,
        [
            FrameText { line: 7, file: b"/home/me/a.py", function: b"work" },
            FrameText { line: 0, file: b"", function: b"<module>" },
        ]
    );
    for cut in 0..written.len() {
        assert!(frames(&written[..cut]).count() < 2, "{cut}");
    }
}
