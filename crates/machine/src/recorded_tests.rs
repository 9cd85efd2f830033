use super::*;

use std::path::PathBuf;

fn bad(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/bad-machines/{name}"))
}

/// Every file that is no machine, and words of the message that it gets.
const BAD: [(&str, &str); 24] = [
    ("truncated.xml", "is broken: unexpected end of stream"),
    ("empty.xml", "is empty"),
    ("blank.xml", "is empty"),
    ("newer.xml", "version 3.0, from a newer hwloc"),
    ("other-xml.xml", "begins with <svg>"),
    ("difference.xml", "begins with <topologydiff>"),
    ("text.xml", "found 'pack:2 core:4 pu:2'"),
    ("json.xml", "found '{\"nodes\": []}'"),
    ("binary.xml", "is not a machine"),
    ("nul.xml", "NUL character"),
    ("no-objects.xml", "a <topology> without objects"),
    ("no-machine.xml", "first object is a Package"),
    ("strange-version.xml", "version 'two'"),
    ("no-cpus.xml", "hwloc cannot read"),
    ("mismatched-tags.xml", "expected 'object' tag, not 'objekt' at 12:9"),
    ("bad-bitmap.xml", "cpuset is '0xzz', not a set in hexadecimal, at 9:9"),
    ("bad-number.xml", "local_memory is '17179869184x', not a number"),
    ("bad-distance.xml", "a distance is '2l', not a number"),
    ("short-matrix.xml", "distances2 with less than 4"),
    ("huge-index.xml", "os_index is 4000000000, above 1023, the highest node of Linux, at"),
    ("no-os-index.xml", "a PU has no os_index, which is the number of the CPU, at"),
    (
        "endless-memory.xml",
        "local_memory is '18446744073709551615', not an amount of memory below 2^57 bytes, at",
    ),
    ("entities.xml", "is broken: it declares entities or the like in line 2"),
    ("two-nodes-0.xml", "it has two nodes 0, the second one at"),
];

#[test]
fn bad_files_are_refused_each_with_its_reason() {
    for (name, words) in BAD {
        let file = bad(name);
        assert!(file.is_file(), "{name} is missing");
        let message = match from_xml_file(&file) {
            Ok(_) => panic!("{name} was taken for a machine"),
            Err(error) => error.to_string(),
        };
        assert!(message.contains(words), "{name}: {message}");
        assert!(message.contains(name), "{name} is not named: {message}");
        assert!(message.contains("expected"), "{name}: {message}");
        assert!(!message.contains('\n') && message.chars().all(|c| !c.is_control()), "{name}: {message:?}");
    }
}

#[test]
fn every_bad_file_has_an_expectation() {
    for entry in std::fs::read_dir(bad("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        // That one is tested beside the call of hwloc.
        let known = name == "ends-hwloc.xml" || BAD.iter().any(|(known, _)| *known == name);
        assert!(known, "{name} is in no test");
    }
}

/// Refused before hwloc is asked, or ended in time: hwloc takes 5 seconds for the description, 12 s and 0.8 GiB for a CPU without
/// a number, and a parser compares all attributes with one another.
#[test]
fn what_costs_much_is_refused_soon() {
    let attributes: String = (0..200_000).map(|k| format!(" a{k}=\"1\"")).collect();
    let directory = tempfile::TempDir::new().unwrap();
    let file = directory.path().join("attributes.xml");
    std::fs::write(
        &file,
        format!("<topology version=\"2.0\"><object type=\"Machine\"{attributes}/></topology>"),
    )
    .unwrap();
    let message = from_xml_file(&file).unwrap_err().to_string();
    assert!(message.contains("the element in line 1 has more than 200 attributes"), "{message}");
    let message = from_synthetic("pu:8192").unwrap_err().to_string();
    assert!(message.contains("hwloc takes too long"), "{message}");
    let message = from_synthetic(&"[numa] ".repeat(1000)).unwrap_err().to_string();
    assert!(message.contains("it has 7000 bytes, and 4096 are the most"), "{message}");
}

#[test]
fn what_is_no_file_is_told_as_such() {
    let directory = from_xml_file(bad("")).unwrap_err().to_string();
    assert!(directory.contains("is a directory"), "{directory}");
    let missing = from_xml_file(bad("nothing.xml")).unwrap_err().to_string();
    assert!(missing.contains("No such file"), "{missing}");
}

#[test]
fn bad_descriptions_are_refused_with_hwlocs_reason() {
    for (text, words) in [
        ("", "it is empty"),
        ("  ", "it is empty"),
        ("pack:2 core", "after object type"),
        ("pack:", "number of objects"),
        ("pack:0 pu:2", "disallow 0"),
        ("foo:3", "unknown object type"),
        ("pack:2 [numa(memory=1GB] pu:2", "closing bracket"),
        ("pack:100000 core:100000", "10000000000 CPUs"),
        ("pack:99999999999999999999 core:9", "more than 10^19 CPUs"),
    ] {
        let message = from_input(text).unwrap_err().to_string();
        assert!(message.contains(words), "{text:?}: {message}");
        assert!(message.contains("describes no machine"), "{text:?}: {message}");
    }
}

#[test]
fn a_file_is_told_from_a_description() {
    let described = from_input("node:2 core:2 pu:1").unwrap();
    assert_eq!(described.source, Source::Synthetic("node:2 core:2 pu:1".to_owned()));
    assert_eq!(described.nodes.len(), 2);
    let missing = from_input("pack:2/nothing").unwrap_err().to_string();
    assert!(missing.contains("cannot read the machine file"), "{missing}");
    let word = from_input("machine").unwrap_err().to_string();
    assert!(word.contains("cannot read the machine file"), "{word}");
}

#[test]
fn counts_in_brackets_are_no_cpus() {
    assert_eq!(too_many_cpus("pack:2 [numa(memory=137438953472)] l3:1(size=33554432) core:4 pu:2"), None);
    assert_eq!(too_many_cpus("pack:64 pu:128"), None);
    assert_eq!(too_many_cpus("pack:64 pu:129").as_deref(), Some("8256"));
    assert_eq!(too_many_cpus("99999 2").as_deref(), Some("199998"));
}

#[test]
fn files_that_people_touched_are_read_all_the_same() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/machines/two-socket-smt.xml");
    let text = std::fs::read_to_string(own).unwrap();
    let touched = text
        .replace("<topology", "<!-- a remark\n of two lines --><topology")
        .replace("type=\"Core\"", "type='Core'")
        .replace("></object>", ">\n\n</object>")
        .replace("os_index=\"0\"", "os_index = \"&#48;\"");
    assert_ne!(text, touched);
    let directory = tempfile::TempDir::new().unwrap();
    let file = directory.path().join("touched & renamed.xml");
    std::fs::write(&file, format!("\u{feff}{touched}")).unwrap();
    let machine = from_xml_file(&file).unwrap();
    assert_eq!(machine.cpus.len(), 16);
    assert_eq!(machine.nodes[0].distances, numawise_facts::Reading::Measured(vec![10, 21]));
}

#[test]
fn written_anew_it_is_the_same_document() {
    let text = "<topology version=\"2.0\"><info name=\"a&quot;&lt;b\" value='c&amp;d&#10;e'/><v length=\"4\">1 2 </v></topology>";
    let document = Document::parse(text).unwrap();
    let plain = plain::written(&document);
    let options = || ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let again = Document::parse_with_options(&plain, options()).unwrap();
    let info = again.descendants().find(|node| node.has_tag_name("info")).unwrap();
    assert_eq!(info.attribute("name"), Some("a\"<b"));
    assert_eq!(info.attribute("value"), Some("c&d\ne"));
    let values = again.descendants().find(|node| node.has_tag_name("v")).unwrap();
    assert_eq!(values.text(), Some("1 2 "));
}

#[test]
fn a_node_may_be_the_whole_machine_in_files_of_hwloc_1() {
    let sets = |words: u32| {
        ["cpuset", "complete_cpuset", "online_cpuset", "allowed_cpuset"]
            .map(|name| format!(" {name}=\"{words:#x}\""))
            .concat()
            + " nodeset=\"0x1\" complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\""
    };
    let cpu = |index: u32| format!("<object type=\"PU\" os_index=\"{index}\"{}/>", sets(1 << index));
    let node = format!("<object type=\"NUMANode\" os_index=\"0\"{} local_memory=\"4096\">", sets(3));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, format!("<topology>{node}{}{}</object></topology>", cpu(0), cpu(1))).unwrap();
    let machine = from_xml_file(file.path()).unwrap();
    assert_eq!((machine.nodes.len(), machine.online().to_string()), (1, "0-1".to_owned()));
}
