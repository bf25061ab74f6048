//! What modules claim that no execution of ours checks: attributes and metadata that we do not model.
//!
//! Passes may use such a claim, so a counterexample in a module that has one may be none: `"modular-format"`
//! on a call lets LLVM 22 replace the callee. Taking the claims out and asking again tells. A name that is
//! neither modelled nor known to bear on no result counts as not modelled; later versions of LLVM have names
//! that we have never heard of.

use std::collections::BTreeSet;

use irtext::{Attribute, Attributes, Function, Module, Op};

/// Attributes without quotes that are modelled, give what is asked about up (`strictfp`), or bear on no
/// result: inlining, size, stacks, unwinding, sanitizers.
const ATTRIBUTES: &str = "align alignstack allockind allocptr allocalign allocsize alwaysinline argmemonly \
    builtin byref byval captures cold convergent coro_only_destroy_when_complete dereferenceable \
    dereferenceable_or_null disable_sanitizer_instrumentation elementtype fn_ret_thunk_extern hot hybrid_patchable \
    immarg inaccessiblemem_or_argmemonly inaccessiblememonly inalloca initializes inlinehint inreg jumptable \
    memory minsize mustprogress naked nest noalias nobuiltin nocallback nocapture nocf_check nodivergencesource \
    noduplicate nofpclass nofree noimplicitfloat noinline nomerge nonlazybind nonnull noprofile norecurse \
    noredzone noreturn nosanitize_bounds nosanitize_coverage nosync noundef nounwind null_pointer_is_valid \
    optdebug optforfuzzing optnone optsize preallocated presplitcoroutine range readnone readonly returned \
    returns_twice safestack sanitize_address sanitize_hwaddress sanitize_memory sanitize_memtag \
    sanitize_numerical_stability sanitize_realtime sanitize_thread sanitize_type shadowcallstack signext \
    skipprofile speculatable speculative_load_hardening sret ssp sspreq sspstrong strictfp swiftasync swifterror \
    swiftself uwtable vscale_range willreturn writable writeonly zeroext";

/// Attributes in quotes that are modelled or bear on no result: which machine, frames, vectors' width, hints.
const QUOTED: &str = "denormal-fp-math denormal-fp-math-f32 disable-tail-calls frame-pointer \
    instcombine-no-verify-fixpoint less-precise-fpmad loader-replaceable min-legal-vector-width \
    no-frame-pointer-elim no-frame-pointer-elim-non-leaf no-inline-line-tables no-jump-tables \
    no-stack-arg-probe no-trapping-math null-pointer-is-valid polly-optimized prefer-vector-width \
    probe-stack stack-probe-size stack-protector-buffer-size target-cpu target-features thunk tune-cpu \
    uniform-work-group-size use-soft-float warn-stack-size";

/// Kinds of metadata that are modelled or bear on no result: profiles, debug information, hints.
const METADATA: &str = "DIAssignID align alias.scope annotation associated callees dbg dereferenceable \
    dereferenceable_or_null heapallocsite invariant.group invariant.load llvm.loop loop make.implicit memprof \
    callsite noalias noalias.addrspace nofpclass nonnull nontemporal nosanitize noundef pcsections prof range \
    srcloc tbaa tbaa.struct type unpredictable kcfi_type section_prefix";

/// Takes every claim that is not modelled out of a module; their names.
pub(crate) fn remove(module: &mut Module) -> BTreeSet<String> {
    let mut gone = BTreeSet::new();
    for (_, group) in &mut module.groups {
        attributes(group, &mut gone);
    }
    for global in &mut module.globals {
        attachments(&mut global.attachments, &mut gone);
    }
    for function in &mut module.functions {
        of_function(function, &mut gone);
    }
    gone
}

fn of_function(function: &mut Function, gone: &mut BTreeSet<String>) {
    attributes(&mut function.attributes, gone);
    attributes(&mut function.result_attributes, gone);
    attachments(&mut function.attachments, gone);
    for param in &mut function.params {
        attributes(&mut param.attributes, gone);
    }
    for block in &mut function.blocks {
        for instruction in &mut block.instructions {
            attachments(&mut instruction.attachments, gone);
            let (Op::Call(call) | Op::Invoke { call, .. } | Op::CallBr { call, .. }) =
                &mut instruction.op
            else {
                continue;
            };
            attributes(&mut call.attributes, gone);
            attributes(&mut call.result_attributes, gone);
            for argument in &mut call.arguments {
                attributes(&mut argument.attributes, gone);
            }
        }
    }
}

fn attributes(set: &mut Attributes, gone: &mut BTreeSet<String>) {
    set.0.retain(|attribute| {
        let (name, known) = match attribute {
            Attribute::Flag(name)
            | Attribute::Number(name, _)
            | Attribute::Typed(name, _)
            | Attribute::Words(name, _) => (name.to_string(), has(ATTRIBUTES, name)),
            Attribute::Text(key, _) => {
                // `"no-builtin-memcpy"` takes a claim back.
                (format!("\"{key}\""), has(QUOTED, key) || key.starts_with("no-builtin"))
            }
            Attribute::Range(..) | Attribute::Group(_) => return true,
        };
        if !known {
            gone.insert(name);
        }
        known
    });
}

fn attachments<T>(all: &mut Vec<(std::sync::Arc<str>, T)>, gone: &mut BTreeSet<String>) {
    all.retain(|(kind, _)| {
        let known = has(METADATA, kind);
        if !known {
            gone.insert(format!("!{kind}"));
        }
        known
    });
}

fn has(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|known| known == name)
}

/// A module's text without the claims that are not modelled. `None` if it has none, or is not understood.
pub fn without_unmodelled(module: &str) -> Option<String> {
    let mut module = irtext::parse(module).ok()?;
    (!remove(&mut module).is_empty()).then(|| irtext::print::module(&module))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = "declare i32 @printf(ptr noundef, ...) #0\n\
        define i32 @f(ptr dead_on_return %p) \"target-cpu\"=\"x86-64\" {\n  \
        %v = load i32, ptr %p, align 4, !fpmath !0, !tbaa !0\n  \
        %r = call i32 (ptr, ...) @printf(ptr %p) #1\n  ret i32 %v\n}\n\
        attributes #0 = { nounwind }\n\
        attributes #1 = { \"modular-format\"=\"printf,1,2,f,g,float\" }\n!0 = !{}\n";

    #[test]
    fn what_we_do_not_model_is_named_and_taken_out() {
        let mut module = irtext::parse(CALL).expect("a module");
        let gone: Vec<String> = remove(&mut module).into_iter().collect();
        assert_eq!(gone, ["!fpmath", "\"modular-format\"", "dead_on_return"]);
        let text = without_unmodelled(CALL).expect("another text");
        for (word, stays) in [
            ("modular-format", false),
            ("fpmath", false),
            ("dead_on_return", false),
            ("noundef", true),
            ("nounwind", true),
            ("target-cpu", true),
            ("!tbaa", true),
        ] {
            assert_eq!(text.contains(word), stays, "{word} in {text}");
        }
        assert_eq!(without_unmodelled(&text), None, "nothing is left to take out");
    }
}
