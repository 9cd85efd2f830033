use super::*;

/// Says what comes, once, as if it were a numawise.
fn answered(bytes: &'static [u8]) -> Result<ObjectRun, AskError> {
    let folder = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(folder.path().join(SOCKET)).unwrap();
    let answering = std::thread::spawn(move || {
        let (mut to, _) = listener.accept().unwrap();
        to.write_all(bytes).unwrap();
    });
    let answer = ask(folder.path(), "1.2");
    answering.join().unwrap();
    answer
}

#[test]
fn an_answer_that_is_none_says_why() {
    let text = |bytes| answered(bytes).unwrap_err().to_string();
    assert_eq!(text(b""), "the program has ended");
    assert!(text(b"numawise objects so far, 1.1\n{}").contains("another build (1.1); expected 1.2"));
    assert!(text(b"220 mail.example ready\r\n").contains("another build (no numawise)"));
    assert!(text(b"numawise objects so far, 1.2\n{\"header\": 7").contains("cannot be read"));
    assert!(text(b"numawise objects so far, 1.2\n").contains("cannot be read"));
    let folder = tempfile::tempdir().unwrap();
    let nobody = ask(folder.path(), "1.2").unwrap_err();
    assert!(matches!(nobody, AskError::Nobody { .. }) && nobody.to_string().contains("/ask"), "{nobody}");
}

#[test]
fn nothing_is_left_of_answers_that_ended_and_one_without_anything_to_say_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let answers = LiveAnswers::begin(folder.path(), "1.2".to_owned(), || None).unwrap();
    for _ in 0..3 {
        assert!(matches!(ask(folder.path(), "1.2"), Err(AskError::Ended)));
    }
    // One who asks and goes away keeps nobody from the next.
    drop(UnixStream::connect(folder.path().join(SOCKET)).unwrap());
    assert!(matches!(ask(folder.path(), "1.2"), Err(AskError::Ended)));
    assert!(LiveAnswers::begin(folder.path(), "1.2".to_owned(), || None).is_err(), "there is one already");
    drop(answers);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(matches!(ask(folder.path(), "1.2"), Err(AskError::Nobody { .. })));
    let long = folder.path().join("x".repeat(120));
    std::fs::create_dir(&long).unwrap();
    assert!(
        LiveAnswers::begin(&long, "1.2".to_owned(), || None).is_err(),
        "no address of a socket is so long"
    );
}
