//! Call sites: which call, at which address of the program, on which communicator.

use core::sync::atomic::Ordering::Relaxed;

use numawise_wire::snapshot::{NO_COMMUNICATOR, SITE_INDEX, SITES, Site, ThreadSlot, ThreadTables};

use super::communicators;
use crate::process;
use crate::system::SavedErrno;

/// What tells a site.
#[derive(Clone, Copy)]
pub struct SiteKey {
    pub call: u16,
    pub address: u64,
    /// The handle of a communicator that the call accepted; 0: none.
    pub handle: u64,
}

impl SiteKey {
    #[inline]
    fn hash(self) -> usize {
        let mixed = self.address ^ self.handle.rotate_left(20) ^ u64::from(self.call) << 48;
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize
    }

    #[inline]
    fn is_of(self, site: &Site, epoch: u32) -> bool {
        site.address.load(Relaxed) == self.address
            && site.handle.load(Relaxed) == self.handle
            && site.call.load(Relaxed) == self.call
            && (self.handle == 0 || site.epoch.load(Relaxed) == epoch)
    }
}

/// The entry of a site, which is made where there is none; `None` where the table is full.
#[inline]
pub fn site<'a>(slot: &ThreadSlot, tables: &'a ThreadTables, key: SiteKey) -> Option<&'a Site> {
    let epoch = communicators::epoch();
    let begin = key.hash();
    for step in 0..SITE_INDEX {
        let place = tables.site_index.get(begin.wrapping_add(step) % SITE_INDEX)?;
        let number = usize::from(place.load(Relaxed));
        if number == 0 {
            break;
        }
        let site = tables.sites.get(number - 1)?;
        if key.is_of(site, epoch) {
            return Some(site);
        }
    }
    first_seen(slot, tables, key, epoch)
}

#[cold]
#[inline(never)]
fn first_seen<'a>(slot: &ThreadSlot, tables: &'a ThreadTables, key: SiteKey, epoch: u32) -> Option<&'a Site> {
    let _errno = SavedErrno::new();
    let communicator = match key.handle {
        0 => NO_COMMUNICATOR,
        handle => communicators::find(handle).unwrap_or(NO_COMMUNICATOR),
    };
    let used = slot.sites_used.load(Relaxed) as usize;
    // The same site with a handle that meant the same communicator, or one of the same ranks, before.
    let same = |site: &&Site| {
        site.address.load(Relaxed) == key.address
            && site.call.load(Relaxed) == key.call
            && site.communicator.load(Relaxed) == communicator
    };
    let site = match tables.sites.iter().take(used).find(same) {
        Some(site) => site,
        None => {
            let site = tables.sites.get(used).filter(|_| used < SITES)?;
            site.address.store(key.address, Relaxed);
            site.call.store(key.call, Relaxed);
            site.communicator.store(communicator, Relaxed);
            slot.sites_used.store(used as u32 + 1, Relaxed);
            if let Some(header) = process::header() {
                process::note_module(header, key.address as usize);
            }
            site
        }
    };
    site.handle.store(key.handle, Relaxed);
    site.epoch.store(epoch, Relaxed);
    // Where the index ends or gets long, it is made anew: it may hold places of handles that are gone.
    if !insert(tables, key, site) {
        tables.site_index.iter().for_each(|place| place.store(0, Relaxed));
        let used = slot.sites_used.load(Relaxed) as usize;
        for site in tables.sites.iter().take(used) {
            let key = SiteKey {
                call: site.call.load(Relaxed),
                address: site.address.load(Relaxed),
                handle: site.handle.load(Relaxed),
            };
            insert(tables, key, site);
        }
    }
    Some(site)
}

/// False where there is no place near the one that the hash gives.
fn insert(tables: &ThreadTables, key: SiteKey, site: &Site) -> bool {
    const FARTHEST: usize = 64;
    let distance = (&raw const *site).addr().wrapping_sub(tables.sites.as_ptr().addr());
    let number = (distance / size_of::<Site>()) as u16 + 1;
    for step in 0..FARTHEST {
        let Some(place) = tables.site_index.get(key.hash().wrapping_add(step) % SITE_INDEX) else {
            return false;
        };
        if [0, number].contains(&place.load(Relaxed)) {
            place.store(number, Relaxed);
            return true;
        }
    }
    false
}
