//! Transplants a snippet to a site: its free variables become visible ones of the same type, or new
//! uninitialised ones.

use choice::Choices;
use ctree::{Program, Quals, RecordId, StmtId, StmtKind, Storage, Ty, TypeKind, VarId};

use super::copy::{Destination, TreeCopier};
use super::survey::{BYTES, FreeVar, Requirements};
use crate::grow::Visible;
use crate::site::{Site, Sites};

/// A site for snippets.
pub(super) struct TransplantSite<'a> {
    site: &'a Site,
    visible: Visible,
    ret: Ty,
}

impl<'a> TransplantSite<'a> {
    /// The site before a statement.
    pub fn new(program: &mut Program, sites: &Sites, site: &'a Site) -> TransplantSite<'a> {
        let ret = program.types.as_function(program.func(site.func).ty).map_or(Ty::VOID, |f| f.ret);
        let ret = program.types.canon(ret).unqual();
        TransplantSite { site, visible: Visible::at(program, sites, site), ret }
    }

    /// Copies a statement to the site; `None` if it does not fit. `same` if it is from the same seed.
    pub fn transplant(
        &self,
        (from, stmt, needs): (&Program, StmtId, &Requirements),
        same: bool,
        to: &mut Program,
        choices: &mut Choices,
    ) -> Option<StmtId> {
        if needs.breaks && !self.site.breaks || needs.continues && !self.site.continues {
            return None;
        }
        if same && !self.has_types(from, needs) {
            return None;
        }
        let Visible { funcs, library, .. } = &self.visible;
        let into = Destination::Site { funcs, library, ret: self.ret };
        let vars = Default::default();
        let mut copier = TreeCopier { from, to, same, into, vars, decls: Vec::new() };
        for free_var in &needs.free_vars {
            self.bind(&mut copier, free_var, choices)?;
        }
        let code = copier.stmt(stmt)?;
        let mut list = std::mem::take(&mut copier.decls);
        if list.is_empty() {
            return Some(code);
        }
        match &to.stmt(code).kind {
            StmtKind::Block(own) => list.extend(own),
            _ => list.push(code),
        }
        Some(to.block(list))
    }

    /// Whether the types of a snippet mean the same here.
    fn has_types(&self, program: &Program, needs: &Requirements) -> bool {
        let free_vars = needs
            .free_vars
            .iter()
            .filter_map(|free_var| inner(program, program.var(free_var.var).ty));
        let mut records = needs.records.iter().copied().chain(free_vars);
        records.all(|id| self.visible.knows(program, id))
            && needs.types.iter().all(|&ty| self.visible.can_write(program, ty))
    }

    fn bind(
        &self,
        copier: &mut TreeCopier,
        free_var: &FreeVar,
        choices: &mut Choices,
    ) -> Option<()> {
        let ty = copier.ty(copier.from.var(free_var.var).ty)?;
        let mut fitting = Vec::new();
        for &v in &self.visible.vars {
            if fits(copier.to, free_var, ty, v) && self.visible.is_complete(copier.to, ty) {
                fitting.push(v);
            }
        }
        let var = match choices.pick(&fitting) {
            Some(&var) => var,
            None => {
                let is_small = copier.to.types.size_of(ty).is_some_and(|size| size <= BYTES);
                if !is_small || !self.visible.can_write(copier.to, ty) {
                    return None;
                }
                let var = copier.local(ty);
                copier.declare(var);
                var
            }
        };
        copier.vars.insert(free_var.var, var);
        Some(())
    }
}

/// The record that a type is made of, through pointers and arrays.
fn inner(program: &Program, ty: Ty) -> Option<RecordId> {
    match *program.types.shape(ty) {
        TypeKind::Record(id) => Some(id),
        TypeKind::Pointer(to) => inner(program, to),
        TypeKind::Array(elem, _) => inner(program, elem),
        _ => None,
    }
}

/// Whether a variable can replace one of type `ty`.
fn fits(program: &mut Program, free_var: &FreeVar, ty: Ty, v: VarId) -> bool {
    if free_var.addressed && program.var(v).storage == Storage::Register {
        return false;
    }
    let own = program.types.canon(program.var(v).ty);
    // Added qualifiers only matter if its address is taken.
    let looser =
        !free_var.addressed && ty.qualified(Quals::VOLATILE) == own.qualified(Quals::VOLATILE);
    own == ty || looser
}
