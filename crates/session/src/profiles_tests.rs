use super::*;

fn path(text: &str) -> Option<PathBuf> {
    Some(PathBuf::from(text))
}

#[test]
fn profiles_are_kept_where_the_specification_says() {
    assert_eq!(data_folder(path("/data"), path("/home/me")), path("/data"));
    assert_eq!(data_folder(None, path("/home/me")), path("/home/me/.local/share"));
    for relative in ["", "data", "./data"] {
        assert_eq!(data_folder(path(relative), path("/home/me")), path("/home/me/.local/share"));
        assert_eq!(data_folder(path(relative), path(relative)), None);
    }
    assert_eq!(data_folder(None, None), None);
}

#[test]
fn a_word_or_a_file() {
    assert_eq!("latest".parse(), Ok(ProfileChoice::Latest));
    assert_eq!("./latest".parse(), Ok(ProfileChoice::File(PathBuf::from("./latest"))));
    assert_eq!(ProfileChoice::File(PathBuf::from("a.json")).to_string(), "a.json");
}
