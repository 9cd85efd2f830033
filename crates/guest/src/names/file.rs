//! The tables of a file that is loaded, as the loader itself reads them.
//!
//! They are read before the C library's functions may be called: those that compare and copy may be a sanitizer's, which has not begun. So names
//! are read byte by byte, in a way that the compiler does not take for one of these functions.

use core::ffi::CStr;

/// A name in a table of strings, with a zero at its end.
#[derive(Clone, Copy)]
pub struct Name(pub *const u8);

impl Name {
    pub fn of(text: &'static CStr) -> Name {
        Name(text.as_ptr().cast())
    }

    /// # Safety
    /// As of all below: the name must be one, and have so many bytes, its end included.
    pub unsafe fn byte(self, place: usize) -> u8 {
        // SAFETY: the caller's promise. What is volatile is read one by one.
        unsafe { self.0.add(place).read_volatile() }
    }

    pub unsafe fn is(self, other: Name) -> bool {
        let mut place = 0;
        // SAFETY: both end where one of them does, or differ before.
        unsafe {
            while self.byte(place) == other.byte(place) {
                if self.byte(place) == 0 {
                    return true;
                }
                place += 1;
            }
        }
        false
    }

    /// Whether it begins so, in small letters or in capitals.
    pub unsafe fn begins(self, with: &[u8]) -> bool {
        // SAFETY: what differs at its end is not read on.
        with.iter().enumerate().all(|(place, byte)| unsafe { self.byte(place) }.eq_ignore_ascii_case(byte))
    }

    /// The hash of the table `.gnu.hash`.
    pub unsafe fn hash(self) -> u32 {
        let (mut hash, mut place) = (5381u32, 0);
        // SAFETY: up to its end.
        unsafe {
            while self.byte(place) != 0 {
                hash = hash.wrapping_mul(33).wrapping_add(u32::from(self.byte(place)));
                place += 1;
            }
        }
        hash
    }
}

/// An entry of a dynamic section (elf.h: Elf64_Dyn).
#[repr(C)]
pub struct Entry {
    tag: i64,
    value: usize,
}

/// A relocation (elf.h: Elf64_Rela).
#[repr(C)]
pub struct Relocation {
    pub place: usize,
    pub info: u64,
    pub addend: i64,
}

/// The tables of a file that is loaded.
#[derive(Clone, Copy)]
pub struct File {
    pub base: usize,
    pub symbols: *const libc::Elf64_Sym,
    strings: *const u8,
    gnu_hash: *const u32,
    hash: *const u32,
    /// Where tables of relocations lie, and their bytes.
    pub relocations: [(usize, usize); 2],
}

impl File {
    /// # Safety
    /// It must be the dynamic section of a file that stays loaded, or null.
    pub unsafe fn new(base: usize, dynamic: *const Entry) -> Option<File> {
        let mut file = File {
            base,
            symbols: core::ptr::null(),
            strings: core::ptr::null(),
            gnu_hash: core::ptr::null(),
            hash: core::ptr::null(),
            relocations: [(0, 0); 2],
        };
        let mut at: *const Entry = dynamic;
        if at.is_null() {
            return None;
        }
        // SAFETY: the section ends with an entry of tag 0.
        unsafe {
            while (*at).tag != 0 {
                let value = (*at).value;
                // The loader puts addresses into the section where it may write there.
                let address = if value < base { base.wrapping_add(value) } else { value };
                match (*at).tag {
                    5 => file.strings = core::ptr::with_exposed_provenance(address),
                    6 => file.symbols = core::ptr::with_exposed_provenance(address),
                    4 => file.hash = core::ptr::with_exposed_provenance(address),
                    0x6fff_fef5 => file.gnu_hash = core::ptr::with_exposed_provenance(address),
                    7 => file.relocations[0].0 = address,
                    8 => file.relocations[0].1 = value,
                    23 => file.relocations[1].0 = address,
                    2 => file.relocations[1].1 = value,
                    _ => {}
                }
                at = at.add(1);
            }
        }
        let has_no_hash = file.gnu_hash.is_null() && file.hash.is_null();
        (!(file.symbols.is_null() || file.strings.is_null() || has_no_hash)).then_some(file)
    }

    pub unsafe fn name(&self, symbol: *const libc::Elf64_Sym) -> Name {
        // SAFETY: the caller's; names lie in the table of strings.
        unsafe { Name(self.strings.add((*symbol).st_name as usize)) }
    }

    /// Whether the file defines a symbol.
    pub unsafe fn defines(&self, name: Name, hash: u32) -> bool {
        // SAFETY: the tables are as the loader itself reads them.
        unsafe {
            if self.gnu_hash.is_null() { self.is_in_hash(name) } else { self.is_in_gnu_hash(name, hash) }
        }
    }

    pub unsafe fn is_in_gnu_hash(&self, name: Name, hash: u32) -> bool {
        // SAFETY: as above. Count of buckets, first symbol, words of the filter, its shift; then the filter, buckets and chains.
        unsafe {
            let table = self.gnu_hash;
            let (buckets, first, words, shift) = (*table, *table.add(1), *table.add(2), *table.add(3));
            if buckets == 0 || words == 0 {
                return false;
            }
            let filter = table.add(4).cast::<u64>();
            let word = filter.add(((hash / 64) & (words - 1)) as usize).read_unaligned();
            let bits = (1u64 << (hash % 64)) | (1u64 << ((hash >> (shift & 31)) % 64));
            if word & bits != bits {
                return false;
            }
            let buckets_at = filter.add(words as usize).cast::<u32>();
            let mut at = *buckets_at.add((hash % buckets) as usize);
            if at < first {
                return false;
            }
            let chains = buckets_at.add(buckets as usize);
            loop {
                let found = *chains.add((at - first) as usize);
                if (found ^ hash) >> 1 == 0 && self.is(at, name) {
                    return true;
                }
                if found & 1 != 0 {
                    return false;
                }
                at += 1;
            }
        }
    }

    pub unsafe fn is_in_hash(&self, name: Name) -> bool {
        let mut hash = 0u32;
        let mut place = 0;
        // SAFETY: as above. Counts of buckets and of symbols, buckets, chains.
        unsafe {
            while name.byte(place) != 0 {
                hash = (hash << 4).wrapping_add(u32::from(name.byte(place)));
                let high = hash & 0xf000_0000;
                hash = (hash ^ (high >> 24)) & !high;
                place += 1;
            }
            let (buckets, table) = (*self.hash, self.hash.add(2));
            if buckets == 0 {
                return false;
            }
            let mut at = *table.add((hash % buckets) as usize);
            while at != 0 {
                if self.is(at, name) {
                    return true;
                }
                at = *table.add(buckets as usize + at as usize);
            }
        }
        false
    }

    /// Whether the symbol at a place is defined and has the name.
    pub unsafe fn is(&self, at: u32, name: Name) -> bool {
        // SAFETY: as above.
        unsafe {
            let symbol = self.symbols.add(at as usize);
            (*symbol).st_shndx != 0 && (*symbol).st_value != 0 && self.name(symbol).is(name)
        }
    }

    /// The first symbol of ours that is exported.
    pub unsafe fn first_exported(&self) -> Option<usize> {
        // SAFETY: as in `is_in_gnu_hash`.
        (!self.gnu_hash.is_null()).then(|| unsafe { *self.gnu_hash.add(1) } as usize)
    }

    /// The first symbol of ours that is exported, and the one behind the last. The table of symbols has these last.
    pub unsafe fn exported(&self) -> Option<(usize, usize)> {
        if self.gnu_hash.is_null() {
            return None;
        }
        // SAFETY: as in `is_in_gnu_hash`.
        unsafe {
            let table = self.gnu_hash;
            let (buckets, first, words) = (*table as usize, *table.add(1), *table.add(2) as usize);
            let buckets_at = table.add(4).cast::<u64>().add(words).cast::<u32>();
            let mut last = (0..buckets).map(|bucket| *buckets_at.add(bucket)).max()?;
            if last < first {
                return None;
            }
            let chains = buckets_at.add(buckets);
            while *chains.add((last - first) as usize) & 1 == 0 {
                last += 1;
            }
            Some((first as usize, last as usize + 1))
        }
    }
}
