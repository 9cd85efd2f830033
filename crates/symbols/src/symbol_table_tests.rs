use super::*;

/// Type, section, value, size, and where the name begins.
fn table(symbols: &[(u8, u16, u64, u64, u32)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (kind, section, value, size, name) in symbols {
        bytes.extend(name.to_le_bytes());
        bytes.extend([0x10 | kind, 0]);
        bytes.extend(section.to_le_bytes());
        bytes.extend(value.to_le_bytes());
        bytes.extend(size.to_le_bytes());
    }
    bytes
}

const FUNCTION: u8 = 2;
const OBJECT: u8 = 1;

#[test]
fn the_function_around_an_address_is_the_one_that_begins_last() {
    let symbols = [
        (FUNCTION, 1, 0x100, 0x100, 0),
        (FUNCTION, 1, 0x120, 0x10, 0),
        (FUNCTION, 1, 0x300, 0, 0),
        (FUNCTION, 0, 0x400, 8, 0),
        (FUNCTION, 1, u64::MAX, 8, 0),
    ];
    let table = SymbolTable::parse(&table(&symbols), b"\0");
    for (address, expected) in [
        (0xff, None),
        (0x100, Some(0x100..0x200)),
        (0x125, Some(0x120..0x130)),
        (0x130, Some(0x100..0x200)),
        (0x1ff, Some(0x100..0x200)),
        (0x200, None),
        (0x300, None),
        (0x400, None),
        (u64::MAX, None),
    ] {
        assert_eq!(table.function(address), expected, "{address:#x}");
    }
}

#[test]
fn variables_have_names_and_count_once() {
    let symbols =
        [(OBJECT, 1, 64, 100, 1), (OBJECT, 1, 64, 100, 3), (OBJECT, 1, 8, 9, 1), (OBJECT, 1, 500, 200, 99)];
    let table = SymbolTable::parse(&table(&symbols), b"\0a\0b\0");
    let found: Vec<_> = table.variables(10).map(|symbol| (symbol.address, table.name(symbol))).collect();
    assert_eq!(found, [(64, Some(&b"a"[..])), (500, None)]);
}

#[test]
fn a_table_that_was_cut_ends_with_its_last_whole_symbol() {
    let bytes = table(&[(FUNCTION, 1, 1, 1, 0), (FUNCTION, 1, 2, 1, 0)]);
    assert_eq!(SymbolTable::parse(&bytes[..bytes.len() - 1], b"").function(2), None);
    assert!(SymbolTable::parse(&bytes[1..9], b"").is_empty());
}
