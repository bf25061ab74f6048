//! The variables in scope, in pools by how they can be used.

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
    /// Pointers that can be assigned.
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

/// The size of each pool.
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

    /// Removes the variables that were added since.
    pub(super) fn reset(&mut self, mark: &ScopeMark) {
        for (pool, &len) in self.pools.iter_mut().zip(mark) {
            pool.truncate(len);
        }
    }

    /// Removes all pools of variables to write.
    pub(super) fn make_read_only(&mut self) {
        for pool in VarPool::WriteLocal as usize..POOLS {
            self.pools[pool].clear();
        }
    }
}
