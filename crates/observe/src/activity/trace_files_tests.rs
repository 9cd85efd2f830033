use std::fs::File;

use super::*;

#[test]
fn a_folder_is_listed_until_it_has_rested_and_again_where_something_comes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let create = |name: &str| drop(File::create(path(name)).unwrap());
    let change = |at: SystemTime| File::open(folder.path()).unwrap().set_modified(at).unwrap();
    let hour = Duration::from_secs(3600);
    let mut files = TraceFiles::of(folder.path());
    create("1-1.trace");
    create("1-1.part");
    // As if no time had passed since, however slow this machine is.
    change(SystemTime::now() + hour);
    assert_eq!(files.changed(false), [path("1-1.trace")]);
    assert_eq!(files.changed(false).len(), 1, "another file may come within the same tick");
    change(SystemTime::now() - hour);
    assert_eq!(files.changed(false).len(), 1);
    assert_eq!(files.changed(false), Vec::<PathBuf>::new());
    assert_eq!(files.changed(true).len(), 1);
    create("2-1.trace");
    assert_eq!(files.changed(false).len(), 2);
    folder.close().unwrap();
    assert_eq!(files.changed(false), Vec::<PathBuf>::new());
}
