use super::*;

#[test]
fn linkers_names_are_those_of_the_source() {
    for (linkers, source) in [
        ("__grids_MOD_field", "grids::field"),
        ("table.3", "table"),
        ("buffer.0", "buffer"),
        ("_ZZ4makemE6buffer", "make(unsigned long)::buffer"),
        ("_ZN7physics9constantsE", "physics::constants"),
        ("plain", "plain"),
        ("t.4", "t"),
        ("i", "i"),
        (".5", ".5"),
        ("a.b", "a.b"),
        ("__MOD_", "__MOD_"),
        ("", ""),
    ] {
        assert_eq!(source_name(linkers), source, "{linkers}");
    }
}
