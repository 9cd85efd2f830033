use super::*;

#[test]
fn words_and_numbers_are_read_and_written_alike() {
    for text in ["spread", "compact"] {
        assert_eq!(text.parse::<Order>().unwrap().to_string(), text);
    }
    for text in ["1", "2", "all"] {
        assert_eq!(text.parse::<Smt>().unwrap().to_string(), text);
    }
}

#[test]
fn what_is_no_choice_is_refused_with_what_was_expected() {
    for text in ["0", "-1", "two", "", "1.5"] {
        let error = text.parse::<Smt>().unwrap_err().to_string();
        assert!(error.contains("expected 1, 2"), "{error}");
    }
    assert!("Spread".parse::<Order>().unwrap_err().to_string().contains("expected spread or compact"));
}

#[test]
fn an_older_record_without_a_choice_means_the_usual_one() {
    assert_eq!(serde_json::from_str::<CpuChoice>("{}").unwrap(), CpuChoice::default());
}
