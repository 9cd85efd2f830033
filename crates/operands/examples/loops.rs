//! The loops of all functions of a program, and whether they work with several elements at once, one a line: `loops FILE...`. Columns: function,
//! address of the head, depth, whether it is innermost, bits, lanes, elements of arithmetic on one and on several, the same of loads and stores, calls,
//! addresses of its own instructions.

use numawise_operands::{Architecture, Listing, Nest, VectorUse, works};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("the file can be read");
        let file = object::File::parse(&*bytes).expect("an ELF file");
        let architecture = match file.architecture() {
            object::Architecture::Aarch64 => Architecture::Aarch64,
            _ => Architecture::X86_64,
        };
        for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0) {
            let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
            let code =
                section.and_then(|section| section.data_range(symbol.address(), symbol.size()).ok()?);
            if let Some(code) = code {
                print(architecture, symbol.name().unwrap_or("?"), symbol.address(), code);
            }
        }
    }
}

fn print(architecture: Architecture, name: &str, begin: u64, code: &[u8]) {
    let listing = Listing::of(architecture, begin, code);
    let works = works(architecture, &listing, begin, code);
    let nest = Nest::of(&listing);
    for of in &nest.loops {
        let used = VectorUse::of(&listing, &works, of);
        let own: Vec<String> =
            of.own_steps().map(|step| format!("{:x}", listing.steps()[step].ip())).collect();
        println!(
            "{name}\t{:x}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            listing.steps()[of.head].ip(),
            of.depth,
            of.is_innermost,
            used.bits,
            used.lanes,
            used.scalar_elements,
            used.packed_elements,
            used.scalar_moved,
            used.packed_moved,
            used.calls,
            own.join(",")
        );
    }
    if nest.irreducible > 0 {
        println!("{name}\tirreducible {}", nest.irreducible);
    }
}
