use super::*;

#[test]
fn a_word_or_a_file() {
    assert_eq!("latest".parse(), Ok(ProfileChoice::Latest));
    assert_eq!("./latest".parse(), Ok(ProfileChoice::File(PathBuf::from("./latest"))));
    assert_eq!(ProfileChoice::File(PathBuf::from("a.json")).to_string(), "a.json");
}
