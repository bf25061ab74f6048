//! A report to download: its folder as a zip.

use std::io::{Cursor, Write};

use anyhow::Result;
use report::{Detail, Test};
use zip::CompressionMethod::Stored;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The report of a finding. What the compiler says today is not in it: a page runs no compiler.
pub fn report(detail: &Detail) -> Result<Vec<u8>> {
    let Detail { found, study, bug, .. } = detail;
    let test = Test::new(found, study.as_ref(), bug.as_ref())?;
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for file in report::files(&test, report::Format::default()) {
        let mode = if file.executable { 0o755 } else { 0o644 };
        let options =
            SimpleFileOptions::default().compression_method(Stored).unix_permissions(mode);
        zip.start_file(format!("gainsay-{}/{}", found.id, file.name), options)?;
        zip.write_all(&file.bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}
