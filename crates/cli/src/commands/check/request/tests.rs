use super::*;

#[test]
fn shares_are_read() {
    for (text, share) in [("5%", 0.05), ("0.05", 0.05), ("2.5 %", 0.025), ("99%", 0.99)] {
        assert!((text.parse::<Share>().unwrap().0 - share).abs() < 1e-12, "{text}");
    }
    for text in ["", "5", "0", "-1%", "100%", "x%", "nan"] {
        assert!(text.parse::<Share>().unwrap_err().contains("expected a share"), "{text}");
    }
}

#[test]
fn the_record_is_named_after_the_program() {
    for (program, record) in [("./build/app", "app.nw"), ("app", "app.nw"), ("/bin/my.app", "my.app.nw")] {
        assert_eq!(record_of(Path::new(program)), Path::new(record));
    }
}

#[test]
fn a_list_of_threads_counts_by_its_first_level() {
    assert_eq!(omp_num_threads("4").ok(), Some(4));
    assert_eq!(omp_num_threads(" 8,2").ok(), Some(8));
    for text in ["", "0", "x", "-1"] {
        assert!(omp_num_threads(text).is_err(), "{text}");
    }
}
