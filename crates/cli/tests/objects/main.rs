//! `numawise objects`: programs that know who touches and uses their memory objects, held against what is said of them.

mod compare;
mod known;
mod placed;
mod truth;
