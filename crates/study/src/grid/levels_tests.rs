use super::*;

fn numbers(text: &str) -> Vec<u32> {
    text.parse::<NumberLevels>().unwrap_or_else(|error| panic!("{text}: {error}")).numbers().to_vec()
}

#[test]
fn lists_ranges_steps_and_powers_are_numbers_in_the_order_typed() {
    assert_eq!(numbers("4"), [4]);
    assert_eq!(numbers("8, 2,4"), [8, 2, 4]);
    assert_eq!(numbers("1..=4"), [1, 2, 3, 4]);
    assert_eq!(numbers("1..=64:8"), [1, 9, 17, 25, 33, 41, 49, 57]);
    assert_eq!(numbers("2^0..=2^7"), [1, 2, 4, 8, 16, 32, 64, 128]);
    assert_eq!(numbers("2^0..=2^8:2,3"), [1, 4, 16, 64, 256, 3]);
    assert_eq!(numbers("10^2"), [100]);
    assert_eq!(numbers("7..=7"), [7]);
    assert_eq!(numbers("1..=4294967295:1000000000").len(), 5);
}

#[test]
fn what_is_no_list_of_numbers_says_what_was_found_and_expected() {
    let error = |text: &str| text.parse::<NumberLevels>().unwrap_err();
    assert_eq!(error(""), NumberLevelsError::Empty);
    assert_eq!(error("1,,2"), NumberLevelsError::Empty);
    for text in
        ["x", "1..4", "1-4", "-1", "1.5", "1..=", "..=4", "99999999999", "2^40", "1^4", "0^2", "1..=4:x"]
    {
        assert!(matches!(error(text), NumberLevelsError::NotANumber(_)), "{text}: {}", error(text));
    }
    assert!(matches!(error("0"), NumberLevelsError::Zero(_)));
    assert!(matches!(error("0..=4"), NumberLevelsError::Zero(_)));
    assert_eq!(error("8..=1").to_string(), "the range '8..=1' ends below where it begins; expected 1..=8");
    assert!(matches!(error("2^0..=64"), NumberLevelsError::MixedPowers(_)));
    assert!(matches!(error("2^1..=3^2"), NumberLevelsError::MixedPowers(_)));
    assert!(matches!(error("1..=4:0"), NumberLevelsError::NoStep(_)));
    assert!(matches!(error("4:2"), NumberLevelsError::StepWithoutRange(_)));
    assert_eq!(error("1..=4,2"), NumberLevelsError::Twice(2));
    assert_eq!(error("1..=4294967295"), NumberLevelsError::TooMany);
    assert_eq!(error("1..=4097"), NumberLevelsError::TooMany);
    assert_eq!(numbers("1..=4096").len(), MOST_LEVELS);
}

#[test]
fn what_is_shown_is_read_again() {
    for text in ["1,2,4", "1..=9:3", "2^0..=2^4,7"] {
        let one: NumberLevels = text.parse().unwrap();
        assert_eq!(one.to_string().parse::<NumberLevels>().unwrap(), one);
    }
    for text in ["static,dynamic", "", "a\\,b,c", "-O2,-O3 -march=native", ",x"] {
        let one: WordLevels = text.parse().unwrap();
        assert_eq!(one.to_string().parse::<WordLevels>().unwrap(), one, "{text}");
    }
}

#[test]
fn words_may_hold_commas_and_be_empty_but_not_be_twice() {
    let words = |text: &str| text.parse::<WordLevels>().unwrap().words().to_vec();
    assert_eq!(words("static,dynamic\\,4"), ["static", "dynamic,4"]);
    assert_eq!(words(",--fast"), ["", "--fast"]);
    assert_eq!(words("1..=3,8,2^4..=2^5"), ["1", "2", "3", "8", "16", "32"]);
    assert_eq!(words("a..=b,../x"), ["a..=b", "../x"]);
    assert!(matches!("4..=1".parse::<WordLevels>(), Err(WordLevelsError::Range(_))));
    assert_eq!(words("C:\\new"), ["C:\\new"]);
    assert_eq!("a,b,a".parse::<WordLevels>(), Err(WordLevelsError::Twice("a".to_owned())));
    assert_eq!(",".parse::<WordLevels>(), Err(WordLevelsError::Twice(String::new())));
}
