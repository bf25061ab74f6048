//! What is to be said of a pipeline on a module, and which pass is to blame.

use std::io;

use llvmhost::{End, Fault, Limits, Ran, Running, Server, Signature};

use crate::work::{Answer, Item, stage};

/// What came of an item.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All is well.
    Fine(Answer),
    /// LLVM is at fault.
    Fault(Signature),
    /// It is no valid module, or there is no such pass.
    Refused(String),
    /// Our own trouble: never LLVM's.
    Trouble(String),
}

impl Verdict {
    /// Judges what a server says of an item.
    pub fn of(ran: &Ran) -> Verdict {
        match &ran.end {
            End::Done => match Answer::read(&ran.output) {
                Answer::Trouble(words) => Verdict::Trouble(words),
                Answer::Refused(words) => Verdict::Refused(words),
                Answer::Invalid(words) => Verdict::Fault(Signature::invalid(&words)),
                answer => Verdict::Fine(answer),
            },
            End::Panic(words) => Verdict::Trouble(words.clone()),
            end => match Signature::of(end) {
                // The reader itself verifies what it has brought up to date.
                Some(signature)
                    if signature.fault == Fault::InvalidIr && ran.stage < stage::PASSES =>
                {
                    Verdict::Refused(
                        end.crash().map_or(String::new(), |crash| crash.complaint().join("\n")),
                    )
                }
                Some(signature) if ran.stage == stage::CODE => Verdict::Fault(of_code(signature)),
                Some(signature) => Verdict::Fault(signature),
                None => Verdict::Trouble(format!("an end without a reason: {end:?}")),
            },
        }
    }
}

/// Who is to blame for a fault while code is made: passes are through then.
pub const CODE_GENERATOR: &str = "the code generator";

fn of_code(signature: Signature) -> Signature {
    Signature {
        key: format!("{CODE_GENERATOR}: {}", signature.key),
        summary: format!("{} in {CODE_GENERATOR}", signature.summary),
        pass: Some(CODE_GENERATOR.into()),
        ..signature
    }
}

/// Does one item alone. Where a pass broke the module and LLVM does not say which, as up to version 16,
/// it is done once more with a log of the passes; where LLVM 14 does not say what is wrong either, the verifier is
/// asked about what all passes leave.
pub fn judge(server: &mut Server, item: &Item, limits: Limits) -> io::Result<(Verdict, Ran)> {
    let (verdict, ran) = one(server, item, limits)?;
    match &verdict {
        Verdict::Fault(Signature { fault: Fault::InvalidIr, pass: None, .. }) => {}
        _ => return Ok((verdict, ran)),
    }
    let logged = running(item, Running { verify_each: true, log: true });
    let Some(logged) = logged else { return Ok((verdict, ran)) };
    match one(server, &logged, limits)? {
        (Verdict::Fault(signature), again) if signature.fault == Fault::InvalidIr => {
            let unsaid = running(item, Running { verify_each: false, log: false });
            let unsaid = unsaid.filter(|_| signature.complaint().is_empty());
            let at_end = unsaid.map(|item| one(server, &item, limits)).transpose()?;
            let signature = match at_end.map(|(verdict, _)| verdict) {
                Some(Verdict::Fault(end)) if end.fault == Fault::InvalidIr => {
                    signature.with_complaint_of(&end)
                }
                _ => signature,
            };
            Ok((Verdict::Fault(signature), again))
        }
        _ => Ok((verdict, ran)),
    }
}

/// An item whose passes run in another way, if it runs any.
fn running(item: &Item, running: Running) -> Option<Item> {
    let mut item = item.clone();
    match &mut item {
        Item::Optimise { pipeline, .. }
        | Item::Edit { pipeline, .. }
        | Item::Execute { pipeline, .. } => pipeline.running = running,
        Item::Link { .. } | Item::Print { .. } | Item::Count { .. } => return None,
    }
    Some(item)
}

fn one(server: &mut Server, item: &Item, limits: Limits) -> io::Result<(Verdict, Ran)> {
    let ran = server.run(vec![item.bytes()], limits, false)?;
    let ran = ran.into_iter().next().ok_or_else(|| io::Error::other("the server did nothing"))?;
    Ok((Verdict::of(&ran), ran))
}
