use super::*;

#[test]
fn words_are_read_and_written_alike() {
    for text in ["default", "small", "thp", "huge"] {
        assert_eq!(text.parse::<PageSize>().unwrap().to_string(), text);
    }
    for text in ["default", "on", "off"] {
        assert_eq!(text.parse::<Balancing>().unwrap().to_string(), text);
    }
}

#[test]
fn other_words_are_refused_with_what_was_expected() {
    let error = "2M".parse::<PageSize>().unwrap_err().to_string();
    assert!(error.contains("'2M'") && error.contains("expected default, small, thp or huge"), "{error}");
    let error = "yes".parse::<Balancing>().unwrap_err().to_string();
    assert!(error.contains("'yes'") && error.contains("expected on, off or default"), "{error}");
}
