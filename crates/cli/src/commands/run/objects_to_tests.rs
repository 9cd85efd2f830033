use super::*;

fn parsed(typed: &str, there: &str) -> Option<ObjectsTo> {
    parse_where(OsStr::new(typed), &|path| path.as_os_str() == there).ok()
}

fn of(target: ObjectTarget, record: &str, names: &[&str]) -> Option<ObjectsTo> {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    Some(ObjectsTo { target, record: record.into(), names })
}

#[test]
fn nodes_a_file_and_names() {
    let nodes = |text: &str| ObjectTarget::Nodes(text.parse().unwrap());
    assert_eq!(parsed("hbm=run.nw", ""), of(ObjectTarget::Hbm, "run.nw", &[]));
    assert_eq!(parsed("1=run.nw:u,v", ""), of(nodes("1"), "run.nw", &["u", "v"]));
    assert_eq!(parsed("0-1,3=a=b.nw", ""), of(nodes("0-1,3"), "a=b.nw", &[]));
    assert_eq!(parsed("1=run:u", "run:u"), of(nodes("1"), "run:u", &[]));
    assert_eq!(parsed("1=a:b/run.nw", ""), of(nodes("1"), "a:b/run.nw", &[]));
    assert_eq!(parsed("1=a:b/run.nw:Field::u", ""), of(nodes("1"), "a:b/run.nw", &["Field::u"]));
    assert_eq!(parsed("1=a:b.nw:u", "a:b.nw"), of(nodes("1"), "a:b.nw", &["u"]));
    let turn = |nodes: Option<&str>| ObjectTarget::Interleaved(nodes.map(|text| text.parse().unwrap()));
    assert_eq!(parsed("interleave=run.nw:#3", ""), of(turn(None), "run.nw", &["#3"]));
    assert_eq!(parsed("interleave:0-1=run.nw", ""), of(turn(Some("0-1")), "run.nw", &[]));
    for broken in [
        "interleave:=run.nw",
        "interleave:x=run.nw",
        "interleave0=run.nw",
        "",
        "hbm",
        "hbm=",
        "=run.nw",
        "x=run.nw",
        "1-=run.nw",
        "hbm=:u",
    ] {
        assert_eq!(parsed(broken, ""), None, "{broken}");
    }
}
