// rustc client.rs && ./client JAIL-ARGUMENTS… <stdin    such as: eval --profile python
//
// The standard library has no JSON, so this finds a field of the record's own, past what
// is in strings and in others, and shows it as it stands there. serde_json does it all.

use std::process::{Command, Stdio};

/// Starts jail with our stdin, and returns its record.
fn jail(args: &[String]) -> Result<String, String> {
    let output = Command::new("jail")
        .args(args)
        .stdin(Stdio::inherit())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("jail: {e}"))?;
    String::from_utf8(output.stdout).map_err(|e| e.to_string())
}

/// The JSON of a field, after what comes before it in whatever holds it.
fn field<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let key = format!("\"{name}\":");
    let (mut depth, mut quoted, mut escaped, mut start) = (0, false, false, None);
    for (at, c) in json.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => {
                if !quoted && depth == 1 && start.is_none() && json[at..].starts_with(&key) {
                    start = Some(at + key.len());
                }
                quoted = !quoted;
            }
            _ if quoted => {}
            '{' | '[' => depth += 1,
            ',' | '}' | ']' => {
                if depth == 1 && start.is_some() {
                    return Some(&json[start?..at]);
                }
                if c != ',' {
                    depth -= 1;
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether it is one whole record: an object that ends with the text, behind which is a newline.
fn is_record(json: &str) -> bool {
    let Some(line) = json.strip_suffix('\n') else { return false };
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return c == '}' && at + 1 == line.len() && text(field(line, "schema")) == "jail/1";
        }
    }
    false
}

/// A string of JSON without its quotes, or "".
fn text(json: Option<&str>) -> &str {
    json.and_then(|s| s.strip_prefix('"')?.strip_suffix('"')).unwrap_or("")
}

/// What a reason comes to: see the table in README.md.
fn answer_to(reason: &str) -> &str {
    match reason {
        "ok" => "value",
        "execution_failed" | "signaled" | "invalid_output" | "exec_failed" | "syscall_denied" => "mistake",
        "timeout" | "cpu_time" | "output_too_large" | "out_of_memory" | "pids_limit" | "disk_full" => "limit",
        "canceled" => "canceled",
        "setup_refused" => "host",
        "internal_error" => "broken",
        _ => "broken", // of a version that this program does not know
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let record = match jail(&args) {
        Ok(record) => record,
        Err(why) => {
            eprintln!("{why}");
            std::process::exit(1)
        }
    };
    if !is_record(&record) {
        eprintln!("jail left no record");
        std::process::exit(1)
    }
    let reason = text(field(&record, "reason"));
    match answer_to(reason) {
        "value" => {
            let out = field(&record, "stdout").unwrap_or("");
            match (field(&record, "value"), text(field(out, "encoding")), field(out, "text")) {
                (Some(value), ..) => println!("value {value}"), // of eval; the others of run
                (_, "", printed) => println!("value {}", printed.unwrap_or("null")),
                (_, encoding, printed) => println!("value {encoding} {}", printed.unwrap_or("null")),
            }
        }
        answer => println!("{answer} {reason}: {}", text(field(&record, "message"))),
    }
}
