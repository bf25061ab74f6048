//! What a statement can see: variables by what can be done with them.

use ctree::VarId;

/// Kinds of variables that leaves and targets are chosen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(super) enum Shelf {
    ReadLocal,
    ReadGlobal,
    ReadArray,
    ReadRecord,
    ReadPointer,
    ReadVolatile,
    WriteLocal,
    WriteGlobal,
    WriteOutput,
    WriteArray,
    WriteRecord,
    WritePointer,
    WriteVolatile,
    /// Pointers that can be made to point elsewhere.
    MovePointer,
    /// Locals of the outermost block whose address may be taken.
    Addressable,
}

const SHELVES: usize = Shelf::Addressable as usize + 1;

/// The variables in scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    shelves: [Vec<VarId>; SHELVES],
}

/// How far each shelf was filled.
pub(super) type Mark = [usize; SHELVES];

impl Scope {
    pub(super) fn add(&mut self, shelf: Shelf, var: VarId) {
        self.shelves[shelf as usize].push(var);
    }

    pub(super) fn all(&self, shelf: Shelf) -> &[VarId] {
        &self.shelves[shelf as usize]
    }

    pub(super) fn mark(&self) -> Mark {
        std::array::from_fn(|i| self.shelves[i].len())
    }

    /// Takes everything away that was added since.
    pub(super) fn reset(&mut self, mark: &Mark) {
        for (shelf, &len) in self.shelves.iter_mut().zip(mark) {
            shelf.truncate(len);
        }
    }

    /// Takes away every way to write.
    pub(super) fn make_read_only(&mut self) {
        for shelf in Shelf::WriteLocal as usize..SHELVES {
            self.shelves[shelf].clear();
        }
    }
}
