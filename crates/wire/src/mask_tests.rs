use std::string::String;
use std::vec::Vec;

use super::*;

#[test]
fn words_that_are_not_there_are_zeros() {
    assert!(same(&[1], &[1, 0, 0]) && same(&[1, 0], &[1]) && same(&[], &[0]));
    assert!(!same(&[1], &[1, 2]) && !same(&[1, 2], &[1]) && !same(&[1], &[2]));
    assert!(is_subset(&[1, 0], &[3]) && !is_subset(&[1, 1], &[3]));
}

#[test]
fn bits_are_cpus() {
    let mut set = [0; 2];
    assert_eq!(first(&set), None);
    assert!(insert(&mut set, 127) && insert(&mut set, 64) && !insert(&mut set, 128));
    assert_eq!(set, [0, (1 << 63) | 1]);
    assert_eq!(first(&set), Some(64));
    assert!(has(&set, 127) && !has(&set, 126) && !has(&set, 9999));
}

#[test]
fn lists_are_the_kernels() {
    let sets: [(&[u64], &str); 5] = [
        (&[0b1_0000_1111, 1 << 63], "0-3,8,127"),
        (&[u64::MAX, 1], "0-64"),
        (&[u64::MAX], "0-63"),
        (&[], ""),
        (&[0], ""),
    ];
    for (set, list) in sets {
        let mut text = String::new();
        write_list(set, &mut text).unwrap();
        assert_eq!(text, list);
    }
    assert_eq!(ranges(&[0b101]).collect::<Vec<_>>(), [(0, 0), (2, 2)]);
}
