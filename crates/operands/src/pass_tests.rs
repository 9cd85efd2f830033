use iced_x86::code_asm::*;

use super::*;
use crate::code::{RAX, RBX, RCX, RDI, RSI, function, registers_at};

fn addresses(pass: &Pass) -> Vec<u64> {
    pass.accesses.iter().map(|access| access.address).collect()
}

/// `for (k...) to[k] = from[k] + 1`, with four bytes an element.
fn copying() -> Listing {
    function(|a| {
        let mut again = a.create_label();
        a.set_label(&mut again).unwrap();
        a.mov(eax, ptr(rsi + rcx * 4)).unwrap();
        a.add(eax, 1).unwrap();
        a.mov(ptr(rdi + rcx * 4), eax).unwrap();
        a.inc(rcx).unwrap();
        a.cmp(rcx, rdx).unwrap();
        a.jne(again).unwrap();
        a.ret().unwrap();
    })
}

#[test]
fn a_loop_is_followed_from_wherever_it_was_interrupted() {
    let listing = copying();
    let from_head = once_around(&listing, &registers_at(&listing, 0)).unwrap();
    assert_eq!(addresses(&from_head), [RSI + 4 * RCX, RDI + 4 * RCX]);
    assert!(from_head.is_certain && from_head.unknown.is_empty());
    let from_middle = once_around(&listing, &registers_at(&listing, 2)).unwrap();
    assert_eq!(addresses(&from_middle), [RDI + 4 * RCX, RSI + 4 * (RCX + 1)]);
    assert_eq!(once_around(&listing, &registers_at(&listing, 6)), None, "behind the loop");
}

#[test]
fn a_pointer_that_is_loaded_is_followed_no_further() {
    let chase = function(|a| {
        let mut again = a.create_label();
        a.set_label(&mut again).unwrap();
        a.mov(rax, ptr(rax)).unwrap();
        a.mov(rbx, ptr(rax + 8)).unwrap();
        a.dec(rcx).unwrap();
        a.jne(again).unwrap();
    });
    let pass = once_around(&chase, &registers_at(&chase, 0)).unwrap();
    assert_eq!((addresses(&pass), pass.unknown), (vec![RAX], vec![chase.steps()[1].ip()]));
}

#[test]
fn a_way_that_parts_is_not_certain() {
    let listing = function(|a| {
        let mut again = a.create_label();
        let mut over = a.create_label();
        a.set_label(&mut again).unwrap();
        a.test(rcx, 1).unwrap();
        a.jne(over).unwrap();
        a.mov(rax, ptr(rbx)).unwrap();
        a.set_label(&mut over).unwrap();
        a.add(rbx, 8).unwrap();
        a.dec(rcx).unwrap();
        a.jne(again).unwrap();
    });
    let pass = once_around(&listing, &registers_at(&listing, 0)).unwrap();
    assert!(!pass.is_certain);
    assert_eq!(addresses(&pass), [RBX]);
}

#[test]
fn a_loop_that_calls_tells_nothing() {
    let listing = function(|a| {
        let mut again = a.create_label();
        a.set_label(&mut again).unwrap();
        a.mov(rax, ptr(rbx)).unwrap();
        a.call(rsi).unwrap();
        a.jmp(again).unwrap();
    });
    assert_eq!(once_around(&listing, &registers_at(&listing, 0)), None);
}

#[test]
fn the_inner_loop_is_the_one_that_is_followed() {
    let listing = function(|a| {
        let (mut outer, mut inner) = (a.create_label(), a.create_label());
        a.set_label(&mut outer).unwrap();
        a.mov(rdi, ptr(rsi)).unwrap();
        a.set_label(&mut inner).unwrap();
        a.mov(rax, ptr(rdi)).unwrap();
        a.add(rdi, 8).unwrap();
        a.dec(rcx).unwrap();
        a.jne(inner).unwrap();
        a.add(rsi, 8).unwrap();
        a.jmp(outer).unwrap();
    });
    let pass = once_around(&listing, &registers_at(&listing, 2)).unwrap();
    assert_eq!(addresses(&pass), [RDI + 8]);
    assert!(pass.is_certain);
    let outer = once_around(&listing, &registers_at(&listing, 0)).unwrap();
    assert!(!outer.is_certain, "how often the inner one goes round is not known");
}
