//! Threads, a child, a panic.
use std::io::Read;

fn main() {
    let threads: Vec<_> = (0..8u64).map(|k| std::thread::spawn(move || (0..=k * 1000).sum::<u64>())).collect();
    let sums: Vec<u64> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    println!("{sums:?}");
    let child = std::process::Command::new("sh").args(["-c", "echo from a child; exit 3"]).output().unwrap();
    println!("{:?} {:?}", child.status.code(), String::from_utf8_lossy(&child.stdout));
    // The usual words carry the number of the thread.
    std::panic::set_hook(Box::new(|_| eprintln!("a thread fails")));
    let caught = std::thread::Builder::new().name("fails".into()).spawn(|| panic!("in a thread")).unwrap().join();
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    println!("{} {}", caught.is_err(), text.len());
    std::process::exit(13)
}
