//! The inlining crossover (FLUX, III-B, Algorithm 1): one function's body at an operand of another's.
//!
//! A call of the source is put before an instruction of the destination, given values that dominate it,
//! and its result replaces one operand. LLVM then inlines that call. Beyond the paper: a source without a
//! result is called anywhere, and nothing is replaced.

use choice::Choices;
use llvmhost::{Builder, Linkage, Module, Running, TypeKind, Value};

use crate::facts::FrameProperties;
use crate::fitness;
use crate::host::{Host, Location};
use crate::mutate::CrossoverFailure;

/// Inlines the source into the destination, both by name. [`CrossoverFailure::NoLocation`], [`CrossoverFailure::NoArguments`]
/// and [`CrossoverFailure::Unfit`] leave the module as it was.
pub(crate) fn inline(
    module: &mut Module<'_>,
    destination: &str,
    source: &str,
    choices: &mut Choices,
) -> Result<(), CrossoverFailure> {
    let find = |name: &str| {
        let found = module.function(name).filter(|function| !function.is_declaration());
        found.ok_or_else(gone)
    };
    let (host, guest) = (find(destination)?, find(source)?);
    fitness::check_host(host).and_then(|()| fitness::check_inlinable(guest)).map_err(unfit)?;
    if !FrameProperties::of(host).agrees(&FrameProperties::of(guest)) {
        return Err(unfit("other ways of collection, unwinding or floating point"));
    }
    let frame = Host::new(host);
    let (location, arguments) = place(&frame, guest, choices)?;
    insert(module, &frame, host, guest, &location, &arguments);
    prepare(host, guest);
    // Checked on both sides, so that it is known whose mistake an invalid module is.
    module.verify().map_err(|e| CrossoverFailure::Invalid(e.0))?;
    let before = module.bitcode();
    module
        .run("always-inline", None, Running::default())
        .map_err(|e| CrossoverFailure::NotInlined(e.0))?;
    module.verify().map_err(|e| CrossoverFailure::Broken { why: e.0, before })?;
    check(module, destination, source)
}

/// Where the call goes and what it gets: the first location in random order that has what it needs.
fn place<'c>(
    frame: &Host<'c>,
    guest: Value<'c>,
    choices: &mut Choices,
) -> Result<(Location<'c>, Vec<Value<'c>>), CrossoverFailure> {
    let ty = guest.content_type();
    let result = ty.result().ok_or(CrossoverFailure::NoLocation)?;
    let mut locations = match result.kind() {
        TypeKind::Void => frame.places(),
        _ => frame.operands(|ty| ty == result).into_iter().map(|(location, _)| location).collect(),
    };
    if locations.is_empty() {
        return Err(CrossoverFailure::NoLocation);
    }
    choices.shuffle(&mut locations);
    for location in locations {
        let parameters = ty.parameters().into_iter();
        let arguments: Option<Vec<Value<'c>>> =
            parameters.map(|ty| choices.pick(&frame.candidates(&location, ty)).copied()).collect();
        if let Some(arguments) = arguments {
            return Ok((location, arguments));
        }
    }
    Err(CrossoverFailure::NoArguments)
}

/// Puts the call in, marked to be inlined.
fn insert<'c>(
    module: &Module<'c>,
    frame: &Host<'c>,
    host: Value<'c>,
    guest: Value<'c>,
    location: &Location<'c>,
    arguments: &[Value<'c>],
) {
    let context = module.context();
    let builder = Builder::before(context, frame.instruction(location));
    let call = builder.call(guest, arguments);
    call.add_call_attribute(context, "alwaysinline");
    if let Some((user, operands)) = &location.user {
        operands.iter().for_each(|&operand| user.set_operand(operand, call));
    }
    // With debug information, a call must say where it is.
    let located = || frame.around(location).any(|other| call.take_location(other));
    if host.has_subprogram() && !located() {
        module.strip_debug();
    }
}

/// Takes away what would keep the call from being inlined.
fn prepare(host: Value<'_>, guest: Value<'_>) {
    for name in ["noinline", "optnone"] {
        guest.remove_attribute(name);
    }
    host.remove_attribute("optnone");
    guest.set_linkage(Linkage::Internal);
}

/// Looks whether the call is gone.
fn check(module: &Module<'_>, destination: &str, source: &str) -> Result<(), CrossoverFailure> {
    let host = module.function(destination).ok_or_else(gone)?;
    let Some(guest) = module.function(source) else { return Ok(()) };
    let mut all = host.blocks().into_iter().flat_map(|block| block.instructions());
    match all.any(|instruction| instruction.called() == Some(guest)) {
        true => Err(CrossoverFailure::NotInlined("the call is still there".to_string())),
        false => Ok(()),
    }
}

fn unfit(why: &str) -> CrossoverFailure {
    CrossoverFailure::Unfit(why.to_string())
}

fn gone() -> CrossoverFailure {
    unfit("the function is gone")
}
