use super::*;
use crate::fixture::Tree;

fn written(numastat: &str, meminfo: &str) -> Tree {
    let fixture = Tree::new();
    fixture.write("sys/devices/system/node/node1/numastat", numastat);
    fixture.write("sys/devices/system/node/node1/meminfo", meminfo);
    fixture
}

#[test]
fn rows_have_the_kernels_names() {
    let fixture = written(
        "numa_hit 964488337\nnuma_miss 0\n",
        "Node 1 MemTotal:       24684084 kB\nNode 1 Active(anon):      24520 kB\nNode 1 HugePages_Total:     4\n",
    );
    let roots = Roots::at(fixture.path());
    let rows = allocations(&roots, NodeId(1)).unwrap();
    assert_eq!(rows, [("numa_hit".to_owned(), 964_488_337), ("numa_miss".to_owned(), 0)]);
    let rows = meminfo(&roots, NodeId(1)).unwrap();
    assert_eq!(rows[0], ("MemTotal".to_owned(), MeminfoAmount::Bytes(Bytes::kib(24_684_084))));
    assert_eq!((rows[1].0.as_str(), &rows[2].1), ("Active(anon)", &MeminfoAmount::Pages(4)));
    assert!(allocations(&roots, NodeId(0)).is_err() && meminfo(&roots, NodeId(0)).is_err());
}

#[test]
fn broken_lines_are_told_and_not_left_out() {
    for line in ["numa_hit", "numa_hit -1", "numa_hit many"] {
        let fixture = written(line, "");
        let error = allocations(&Roots::at(fixture.path()), NodeId(1)).unwrap_err().to_string();
        assert!(error.contains("a name and a number of pages"), "{line}: {error}");
    }
    for line in [
        "Node 1 MemTotal",
        "MemTotal: 4 kB",
        "Node 1 MemTotal: x kB",
        "Node 1 MemTotal: 99999999999999999999 kB",
    ] {
        let fixture = written("", line);
        let error = meminfo(&Roots::at(fixture.path()), NodeId(1)).unwrap_err().to_string();
        assert!(error.contains("a line such as"), "{line}: {error}");
    }
}
