//! What a statement can see: variables by what can be done with them.

use ctree::VarId;

/// Kinds of variables that leaves and targets are chosen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(super) enum VarPool {
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

const POOLS: usize = VarPool::Addressable as usize + 1;

/// The variables in scope.
#[derive(Clone, Debug, Default)]
pub(super) struct VisibleVars {
    pools: [Vec<VarId>; POOLS],
}

/// How far each shelf was filled.
pub(super) type ScopeMark = [usize; POOLS];

impl VisibleVars {
    pub(super) fn add(&mut self, pool: VarPool, var: VarId) {
        self.pools[pool as usize].push(var);
    }

    pub(super) fn all(&self, pool: VarPool) -> &[VarId] {
        &self.pools[pool as usize]
    }

    pub(super) fn mark(&self) -> ScopeMark {
        std::array::from_fn(|i| self.pools[i].len())
    }

    /// Takes everything away that was added since.
    pub(super) fn reset(&mut self, mark: &ScopeMark) {
        for (pool, &len) in self.pools.iter_mut().zip(mark) {
            pool.truncate(len);
        }
    }

    /// Takes away every way to write.
    pub(super) fn make_read_only(&mut self) {
        for pool in VarPool::WriteLocal as usize..POOLS {
            self.pools[pool].clear();
        }
    }
}
