// rustc client.rs && ./client JAIL-ARGUMENTS… <stdin    such as: eval --profile python
//
// The standard library has no JSON, so this reads only the reason, which stands in the
// record before anything that the program could have written. With serde_json the
// record's other fields are as easy to have.

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

/// The reason of a record.
fn reason(record: &str) -> Option<&str> {
    if !record.starts_with("{\"schema\":\"jail/1\",") {
        return None;
    }
    let (_, rest) = record.split_once("\"reason\":\"")?;
    rest.split('"').next()
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
    match reason(&record) {
        Some(reason) => println!("{} {}: {}", answer_to(reason), reason, record.trim_end()),
        None => {
            eprintln!("jail left no record");
            std::process::exit(1)
        }
    }
}
