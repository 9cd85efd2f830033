//! What a known-answer program says of its objects: the lines that `native/workloads/objects/src/account.h` describes.

use std::collections::BTreeMap;

/// How the loops of a program use its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loops {
    /// One object at a time.
    Separable,
    /// Several at once.
    Mixed,
}

/// An object as the program knows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectTruth {
    /// `-` for what has no variable.
    pub name: String,
    pub kind: String,
    pub file: String,
    pub line: u64,
    /// Its size, where that alone tells it from others.
    pub bytes: Option<u64>,
}

/// What one thread has of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadTruth {
    pub object: ObjectTruth,
    pub tid: u64,
    pub share: f64,
    /// Of its time with the object; nothing of first touches.
    pub reads: Option<f64>,
}

/// All of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    pub loops: Loops,
    /// Shares of the time of all threads with all objects.
    pub uses: Vec<ThreadTruth>,
    /// Shares of the pages of the object.
    pub touches: Vec<ThreadTruth>,
}

/// A line that is none of a known-answer program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongLine(pub String);

impl Truth {
    /// Nothing where the program says that it cannot run on this processor.
    pub fn parse(output: &str) -> Result<Option<Truth>, WrongLine> {
        let mut truth = Truth { loops: Loops::Separable, uses: Vec::new(), touches: Vec::new() };
        let mut loops = None;
        for line in output.lines() {
            let Some(text) = line.strip_prefix("truth ") else { continue };
            let wrong = || WrongLine(line.to_owned());
            match text.split(['=', ' ']).next() {
                Some("skipped") => return Ok(None),
                Some("loops") => {
                    loops = Some(match text {
                        "loops=separable" => Loops::Separable,
                        "loops=mixed" => Loops::Mixed,
                        _ => return Err(wrong()),
                    });
                }
                Some("object") => truth.uses.push(thread(text, "time_share").ok_or_else(wrong)?),
                Some("touch") => truth.touches.push(thread(text, "share").ok_or_else(wrong)?),
                Some("faults" | "covered") => {}
                _ => return Err(wrong()),
            }
        }
        truth.loops = loops.ok_or_else(|| WrongLine("no line of its loops".to_owned()))?;
        if truth.uses.is_empty() {
            return Err(WrongLine("no line of an object".to_owned()));
        }
        Ok(Some(truth))
    }
}

fn thread(text: &str, share: &str) -> Option<ThreadTruth> {
    let fields: BTreeMap<&str, &str> = text.split(' ').filter_map(|word| word.split_once('=')).collect();
    let (file, line) = fields.get("at")?.split_once(':')?;
    let part = |name: &str| fields.get(name)?.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    Some(ThreadTruth {
        object: ObjectTruth {
            name: (*fields.get("object")?).to_owned(),
            kind: (*fields.get("kind")?).to_owned(),
            file: file.to_owned(),
            line: line.parse().ok()?,
            bytes: fields.get("bytes").and_then(|bytes| bytes.parse().ok()),
        },
        tid: fields.get("tid")?.parse().ok()?,
        share: part(share)?,
        reads: part("reads"),
    })
}

#[test]
fn the_lines_of_a_program_are_read() {
    let output = "sum 17\n\
        truth loops=mixed\n\
        truth object=grid kind=heap at=patterns.c:82 thread=1 tid=31 time_share=0.25 reads=1.000000\n\
        truth touch object=grid kind=heap at=patterns.c:82 thread=0 tid=30 share=1.000000\n\
        truth faults thread=0 tid=30 pages=16384 faults=16384\n\
        truth covered=0.954164\n";
    let truth = Truth::parse(output).unwrap().unwrap();
    assert_eq!(truth.loops, Loops::Mixed);
    let grid = ObjectTruth {
        name: "grid".into(),
        kind: "heap".into(),
        file: "patterns.c".into(),
        line: 82,
        bytes: None,
    };
    assert_eq!(truth.uses, [ThreadTruth { object: grid.clone(), tid: 31, share: 0.25, reads: Some(1.0) }]);
    assert_eq!(truth.touches, [ThreadTruth { object: grid, tid: 30, share: 1.0, reads: None }]);
    assert_eq!(Truth::parse("truth skipped=this processor has no AVX2\n"), Ok(None));
}

#[test]
fn lines_that_are_none_are_refused() {
    let object = "truth object=a kind=heap at=a.c:1 thread=0 tid=3 time_share=1 reads=1";
    assert!(Truth::parse(&format!("truth loops=separable\n{object}")).is_ok());
    for broken in [
        object.to_owned(),
        "truth loops=separable".to_owned(),
        format!("truth loops=nested\n{object}"),
        format!("truth loops=mixed\n{}", object.replace("time_share=1", "time_share=1.5")),
        format!("truth loops=mixed\n{}", object.replace("time_share=1", "time_share=nan")),
        format!("truth loops=mixed\n{}", object.replace("a.c:1", "a.c")),
        format!("truth loops=mixed\n{}", object.replace("tid=3 ", "")),
        format!("truth loops=mixed\n{object}\ntruth of something"),
    ] {
        assert!(Truth::parse(&broken).is_err(), "{broken}");
    }
}
