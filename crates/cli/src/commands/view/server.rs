//! Answers a browser of this computer: whoever has the token that is in the address, and nobody that another page sends.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use numawise_facts::RankSet;
use numawise_report::snapshot::view::POLICY;
use numawise_tables::snapshot::AskedWindow;
use numawise_units::Nanoseconds;
use tiny_http::{Header, Method, Request, Response};

use super::source::{Source, begin};
use crate::exit::Failure;

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;

/// Requests that are answered at once.
const AT_ONCE: usize = 4;
/// How soon Ctrl-C is seen.
const LOOK: Duration = Duration::from_millis(50);

const HEADERS: [(&str, &str); 4] = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
];

pub struct Server {
    http: tiny_http::Server,
    source: Source,
    page: String,
    token: String,
    port: u16,
    address: String,
}

/// What is sent.
struct Answer {
    status: u16,
    kind: &'static str,
    body: Vec<u8>,
}

impl Answer {
    fn refused(status: u16, why: &str) -> Answer {
        Answer { status, kind: "text/plain; charset=utf-8", body: format!("{why}\n").into_bytes() }
    }

    fn of(kind: &'static str, body: impl Into<Vec<u8>>) -> Answer {
        Answer { status: 200, kind, body: body.into() }
    }
}

impl Server {
    /// `port` 0: a free one.
    pub fn of(source: Source, page: String, port: u16) -> Result<Server, Failure> {
        let token = token()?;
        let http = tiny_http::Server::http(("127.0.0.1", port)).map_err(|error| {
            Failure::new(format!(
                "--port {port}: cannot serve on 127.0.0.1: {error}; try another port, or none for a free one"
            ))
        })?;
        let port = http.server_addr().to_ip().map_or(port, |address| address.port());
        let address = format!("http://127.0.0.1:{port}/{token}/");
        Ok(Server { http, source, page, token, port, address })
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// Until it is to stop, or the trace turns out to be damaged.
    pub fn serve(self, stop: &Arc<AtomicBool>) -> Result<(), Failure> {
        let server = Arc::new(self);
        for _ in 0..AT_ONCE {
            let server = Arc::clone(&server);
            begin(Box::new(move || {
                while let Ok(request) = server.http.recv() {
                    server.answer(request);
                }
            }))?;
        }
        while !stop.load(Ordering::Relaxed) {
            if let Some(failure) = server.source.failure() {
                return Err(failure);
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }

    fn answer(&self, request: Request) {
        let host: Vec<&str> = request
            .headers()
            .iter()
            .filter(|of| of.field.equiv("Host"))
            .map(|of| of.value.as_str())
            .collect();
        let Answer { status, kind, body } = self.answer_to(request.method(), request.url(), &host);
        // What the page itself cannot say: nobody may frame it.
        let policy = format!("{POLICY}; frame-ancestors 'none'");
        let own = [("Content-Security-Policy", policy.as_str()), ("Content-Type", kind)];
        let headers = HEADERS.iter().copied().chain(own);
        let headers = headers.filter_map(|(name, value)| Header::from_bytes(name, value).ok()).collect();
        let length = body.len();
        let response = Response::new(status.into(), headers, body.as_slice(), Some(length), None)
            .with_chunked_threshold(usize::MAX);
        // A browser that is gone needs no answer.
        let _ = request.respond(response);
    }

    fn answer_to(&self, method: &Method, url: &str, host: &[&str]) -> Answer {
        let [by_number, by_name] = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        // Another page may name this address as a host of its own.
        if host != [by_number.as_str()] && host != [by_name.as_str()] {
            return Answer::refused(403, "This is no name of this server.");
        }
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let mut parts = path.strip_prefix('/').unwrap_or(path).splitn(2, '/');
        let token = parts.next().unwrap_or_default();
        if !is_same(token.as_bytes(), self.token.as_bytes()) {
            return Answer::refused(
                403,
                "Open the whole address that numawise view has printed: it has the token.",
            );
        }
        if !matches!(method, Method::Get | Method::Head) {
            return Answer::refused(405, "Only GET and HEAD are answered.");
        }
        match parts.next() {
            Some("") => Answer::of("text/html; charset=utf-8", self.page.as_bytes()),
            Some("names") => Answer::of("application/json", self.source.names()),
            Some("window") => match asked(query) {
                Some((asked, ranks)) => {
                    let asked = AskedWindow { ranks: ranks.as_ref(), ..asked };
                    Answer::of("application/octet-stream", self.source.window(asked))
                }
                None => Answer::refused(
                    400,
                    "expected from, to, top, bottom, columns, lines, phases: whole numbers; perhaps ranks: 0,3-5",
                ),
            },
            _ => Answer::refused(404, "There is nothing here."),
        }
    }
}

/// All of them, once each, and the ranks, where there are any.
fn asked(query: &str) -> Option<(AskedWindow<'static>, Option<RankSet>)> {
    let text = |name: &str| -> Option<&str> {
        let mut found =
            query.split('&').filter_map(|pair| pair.split_once('=')).filter(|(of, _)| *of == name);
        let value = found.next()?.1;
        found.next().is_none().then_some(value)
    };
    let number = |name: &str| -> Option<u64> { text(name)?.parse().ok() };
    let ranks = match text("ranks") {
        Some("") => None,
        Some(ranks) => Some(ranks.parse().ok()?),
        None if query.contains("&ranks=") => return None,
        None => None,
    };
    let small = |name: &str| number(name).map(|of| of.min(u32::MAX.into()) as u32);
    let asked = AskedWindow {
        ranks: None,
        from: Nanoseconds(number("from")?),
        to: Nanoseconds(number("to")?),
        top: small("top")?,
        bottom: small("bottom")?,
        columns: small("columns")?.clamp(1, 8192),
        lines: small("lines")?.clamp(1, 8192),
        with_phases: number("phases")? > 0,
    };
    Some((asked, ranks))
}

/// In a time that does not tell how much of them is the same.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differ =
        one.iter().zip(other).fold(0, |differ, (one, other)| std::hint::black_box(differ | (one ^ other)));
    one.len() == other.len() && differ == 0
}

/// 128 bits that nobody can guess.
fn token() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| Failure::new(format!("view: no random numbers from /dev/urandom: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
