//! Mutations of JSON at its nodes: what stays JSON, and mostly stays what a reader expects.

use serde_json::{Number, Value};

use crate::Random;

/// Texts that do harm where they are shown, and lists at the edges. None of them looks like a quantity.
const TEXTS: [&str; 22] = [
    "",
    "0",
    "0-3",
    "3-0",
    "0-8191",
    "0-65535",
    "4000000000",
    "8192",
    "os",
    "interleave",
    "measured",
    "\u{1b}[31mred\u{1b}]0;title\u{7}",
    "\u{9b}2J\u{85}",
    "\u{202e}gnp.exe\u{2066}",
    "\u{200b}\u{feff}\u{ad}\u{e0041}",
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "a\r\nb\tc\u{0}d",
    "'\"`$(id)&amp;<!--",
    "{threads}{task}",
    "../../etc/passwd",
    "unavailable",
];

/// A text of the list, or a long one.
pub(super) fn text(random: &mut Random) -> String {
    if random.once_in(12) {
        "x".repeat(1 << (4 + random.below(17)))
    } else {
        (*random.of_these(&TEXTS)).to_owned()
    }
}

const INTEGERS: [i64; 22] = [
    0,
    1,
    -1,
    2,
    3,
    64,
    255,
    1023,
    1024,
    8191,
    8192,
    65_535,
    65_536,
    70_000,
    i32::MAX as i64,
    u32::MAX as i64,
    1 << 32,
    1 << 52,
    1 << 57,
    i64::MAX,
    i64::MIN,
    1_000_000_000,
];

pub(super) fn integer(random: &mut Random) -> i64 {
    INTEGERS[random.below(INTEGERS.len())]
}

const REALS: [f64; 14] = [
    0.0,
    -0.0,
    0.5,
    1.0,
    -1.0,
    1.5,
    1e-320,
    1e-31,
    1e-30,
    1e30,
    1e31,
    1e300,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

pub(super) fn real(random: &mut Random) -> f64 {
    REALS[random.below(REALS.len())]
}

/// The text with some of its nodes changed; as it is where it is no JSON.
pub(super) fn mutated(text: &[u8], random: &mut Random) -> Vec<u8> {
    let Ok(mut value) = serde_json::from_slice::<Value>(text) else { return text.to_vec() };
    for _ in 0..1 + random.below(3) {
        let nodes = count(&value);
        let mut at = random.below(nodes);
        visit(&mut value, &mut at, random);
    }
    value.to_string().into_bytes()
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

/// Changes the node of this number, in the order of the text.
fn visit(value: &mut Value, at: &mut usize, random: &mut Random) -> bool {
    if *at == 0 {
        change(value, random);
        return true;
    }
    *at -= 1;
    match value {
        Value::Array(list) => list.iter_mut().any(|value| visit(value, at, random)),
        Value::Object(fields) => fields.values_mut().any(|value| visit(value, at, random)),
        _ => false,
    }
}

fn change(value: &mut Value, random: &mut Random) {
    match value {
        Value::Array(list) if !list.is_empty() && !random.once_in(4) => {
            let (one, other) = (random.below(list.len()), random.below(list.len()));
            match random.below(5) {
                0 => list.swap(one, other),
                1 => list.insert(other, list[one].clone()),
                2 => drop(list.remove(one)),
                3 => list.clear(),
                _ => list.extend(vec![list[one].clone(); 1 << random.below(10)]),
            }
        }
        Value::Object(fields) if !fields.is_empty() && !random.once_in(4) => {
            let keys: Vec<String> = fields.keys().cloned().collect();
            let key = &keys[random.below(keys.len())];
            let old = fields.remove(key);
            match (random.below(3), old) {
                (0, Some(old)) => drop(fields.insert(keys[random.below(keys.len())].clone(), old)),
                (1, Some(old)) => drop(fields.insert(text(random), old)),
                _ => {}
            }
        }
        Value::Number(number) => *value = near(number, random),
        Value::String(old) if random.once_in(3) => old.push_str(&text(random)),
        Value::String(_) if !random.once_in(6) => *value = Value::String(text(random)),
        other => *other = any(random),
    }
}

fn near(number: &Number, random: &mut Random) -> Value {
    match (random.below(4), number.as_i64()) {
        (0, Some(number)) => Value::from(number.wrapping_add(1)),
        (1, Some(number)) => Value::from(number.wrapping_sub(1)),
        (2, _) => Number::from_f64(real(random)).map_or(Value::Null, Value::Number),
        _ => Value::from(integer(random)),
    }
}

fn any(random: &mut Random) -> Value {
    match random.below(8) {
        0 => Value::Null,
        1 => Value::Bool(random.once_in(2)),
        2 => Value::from(integer(random)),
        3 => Value::from(u64::MAX),
        4 => Number::from_f64(real(random)).map_or(Value::Null, Value::Number),
        5 => Value::Array(Vec::new()),
        6 => serde_json::json!({ "unavailable": text(random) }),
        _ => Value::String(text(random)),
    }
}
