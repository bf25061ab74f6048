//! Allocation, blocks of memory and strings (7.22.3, 7.24).

use super::{LibCall, LibFunc};
use crate::exec::Machine;
use crate::memory::{Access, offset_of, slot_of, with_offset};
use crate::outcome::{UbKind, UnspecKind};
use crate::stop::{ExecResult, Stop, ub, unspecified, unsupported};

/// Largest allocation; a larger one returns a null pointer, as on a real system.
const MAX_ALLOC: u64 = (1 << 28) - 1;

impl Machine<'_> {
    fn allocate(&mut self, size: u64) -> ExecResult<u64> {
        if size > MAX_ALLOC {
            if size < 1 << 40 {
                return Err(Box::new(Stop::OutOfMemory(format!("an allocation of {size} bytes"))));
            }
            return Ok(0);
        }
        match self.memory.heap_alloc(&self.code.classes, size as u32)? {
            Some(pointer) => Ok(pointer),
            None => Err(Box::new(Stop::OutOfMemory("the heap limit was reached".into()))),
        }
    }

    pub(super) fn allocation(&mut self, lib: LibFunc, c: LibCall) -> ExecResult<()> {
        let arg = |s: &Self, i| s.argument(c.base, c.site, i);
        let result = match lib {
            LibFunc::Malloc => self.allocate(arg(self, 0))?,
            LibFunc::Calloc => {
                let size = arg(self, 0).saturating_mul(arg(self, 1));
                let pointer = self.allocate(size)?;
                if pointer != 0 {
                    let at = self.range(pointer, size as u32, Access::Store)?;
                    self.fill(at, size as u32, 0)?;
                }
                pointer
            }
            LibFunc::Realloc => self.reallocate(arg(self, 0), arg(self, 1))?,
            _ => {
                self.free(arg(self, 0))?;
                0
            }
        };
        self.set_result(c.base, result);
        Ok(())
    }

    fn free(&mut self, pointer: u64) -> ExecResult<()> {
        if pointer == 0 {
            return Ok(());
        }
        self.check_freeable(pointer)?;
        // A sibling operand that touched the block is in conflict with its end.
        let size = self.memory.objects[slot_of(pointer) as usize].size;
        self.order(pointer, size)?;
        self.memory.heap_free(slot_of(pointer));
        Ok(())
    }

    fn check_freeable(&self, pointer: u64) -> ExecResult<()> {
        if !self.is_heap(pointer) {
            let why = if self.memory.is_live(pointer) {
                "not an allocated block"
            } else {
                "freed already, or not an object"
            };
            return ub(UbKind::BadFree, format!("the pointer's object: {why}"));
        }
        if offset_of(pointer) != 0 {
            return ub(
                UbKind::BadFree,
                format!("the pointer points {} bytes into the block", offset_of(pointer)),
            );
        }
        Ok(())
    }

    fn reallocate(&mut self, old: u64, size: u64) -> ExecResult<u64> {
        if old == 0 {
            return self.allocate(size);
        }
        self.check_freeable(old)?;
        if size == 0 {
            return unsupported("`realloc` to size 0, which is implementation-defined");
        }
        let new = self.allocate(size)?;
        if new != 0 {
            let kept = self.memory.objects[slot_of(old) as usize].size.min(size as u32);
            self.move_bytes(new, old, kept)?;
            self.free(old)?;
        }
        Ok(new)
    }

    fn size_argument(&self, c: LibCall, i: usize) -> ExecResult<u32> {
        let n = self.argument(c.base, c.site, i);
        if n > MAX_ALLOC {
            return ub(UbKind::OutOfBounds, format!("{n} bytes"));
        }
        Ok(n as u32)
    }

    fn valid_argument(&self, pointer: u64) -> ExecResult<()> {
        if pointer == 0 {
            return ub(
                UbKind::Library,
                "a null pointer is passed to a string or memory function".into(),
            );
        }
        self.memory.check_valid(pointer)
    }

    pub(super) fn block_call(&mut self, lib: LibFunc, c: LibCall) -> ExecResult<()> {
        let (mut a, mut b) = (self.argument(c.base, c.site, 0), self.argument(c.base, c.site, 1));
        let n = self.size_argument(c, if lib == LibFunc::Bzero { 1 } else { 2 })?;
        if lib == LibFunc::Bcopy {
            std::mem::swap(&mut a, &mut b);
        }
        self.valid_argument(a)?;
        self.spend_bytes(n)?;
        let result = match lib {
            LibFunc::Memcpy | LibFunc::Mempcpy | LibFunc::Memmove | LibFunc::Bcopy => {
                self.valid_argument(b)?;
                let from = self.range(b, n, Access::Load)?;
                let to = self.range(a, n, Access::Store)?;
                let overlap = from < to + n && to < from + n;
                if overlap && !matches!(lib, LibFunc::Memmove | LibFunc::Bcopy) {
                    return ub(
                        UbKind::Overlap,
                        format!("memcpy of {n} bytes between overlapping ranges"),
                    );
                }
                self.move_bytes(a, b, n)?;
                if lib == LibFunc::Mempcpy { with_offset(a, offset_of(a) + n) } else { a }
            }
            LibFunc::Memset | LibFunc::Bzero => {
                let byte = if lib == LibFunc::Memset { b as u8 } else { 0 };
                let to = self.range(a, n, Access::Store)?;
                self.fill(to, n, byte)?;
                let none = vec![0; n as usize];
                self.memory.set_stored(&self.code.classes, a, &none);
                a
            }
            LibFunc::Memcmp => {
                self.valid_argument(b)?;
                self.range(a, n, Access::Load)?;
                self.range(b, n, Access::Load)?;
                self.compare((a, b), Some(n), false, c.site)?
            }
            _ => {
                let mut found = 0;
                for i in 0..n {
                    let at = with_offset(a, offset_of(a) + i);
                    if self.read_char(at)? == b as u8 {
                        found = at;
                        break;
                    }
                }
                found
            }
        };
        self.set_result(c.base, result);
        Ok(())
    }

    /// Lexical comparison; C specifies only the sign of the result.
    fn compare(
        &mut self,
        (a, b): (u64, u64),
        limit: Option<u32>,
        strings: bool,
        site: u32,
    ) -> ExecResult<u64> {
        let mut i = 0;
        while limit.is_none_or(|n| i < n) {
            let x = self.read_char(with_offset(a, offset_of(a) + i))?;
            let y = self.read_char(with_offset(b, offset_of(b) + i))?;
            if x != y {
                if !self.code.sites[site as usize].sign_only {
                    return unspecified(
                        UnspecKind::ImplementationValue,
                        "more than the sign of a comparison's result is used".into(),
                    );
                }
                return Ok(if x < y { -1i64 as u64 } else { 1 });
            }
            if strings && x == 0 {
                break;
            }
            i += 1;
        }
        Ok(0)
    }

    /// Writes a string and, if asked, its end.
    fn put_string(&mut self, to: u64, bytes: &[u8], end: bool) -> ExecResult<()> {
        let mut all = bytes.to_vec();
        if end {
            all.push(0);
        }
        self.valid_argument(to)?;
        let at = self.range(to, all.len() as u32, Access::Store)?;
        self.write_bytes(at, &all)
    }

    fn overlap_check(&self, to: u64, from: u64, size: u32) -> ExecResult<()> {
        if slot_of(to) == slot_of(from)
            && offset_of(to) < offset_of(from) + size
            && offset_of(from) < offset_of(to) + size
        {
            return ub(UbKind::Overlap, "a string is copied onto itself".into());
        }
        Ok(())
    }

    pub(super) fn string_call(&mut self, lib: LibFunc, c: LibCall) -> ExecResult<()> {
        let (a, b) = (self.argument(c.base, c.site, 0), self.argument(c.base, c.site, 1));
        let limit = self.argument(c.base, c.site, 2).min(MAX_ALLOC) as u32;
        self.valid_argument(a)?;
        let result = match lib {
            LibFunc::Strlen => self.read_string(a, None)?.len() as u64,
            LibFunc::Strnlen => self.read_string(a, Some(b as usize))?.len() as u64,
            LibFunc::Strcmp => {
                self.valid_argument(b)?;
                self.compare((a, b), None, true, c.site)?
            }
            LibFunc::Strncmp => {
                self.valid_argument(b)?;
                self.compare((a, b), Some(limit), true, c.site)?
            }
            LibFunc::Strcpy | LibFunc::Stpcpy => {
                self.valid_argument(b)?;
                let s = self.read_string(b, None)?;
                self.overlap_check(a, b, s.len() as u32 + 1)?;
                self.put_string(a, &s, true)?;
                if lib == LibFunc::Stpcpy {
                    with_offset(a, offset_of(a) + s.len() as u32)
                } else {
                    a
                }
            }
            LibFunc::Strncpy => {
                self.valid_argument(b)?;
                let mut s = self.read_string(b, Some(limit as usize))?;
                s.resize(limit as usize, 0);
                self.overlap_check(a, b, limit)?;
                self.put_string(a, &s, false)?;
                a
            }
            LibFunc::Strcat | LibFunc::Strncat => {
                self.valid_argument(b)?;
                let head = self.read_string(a, None)?.len() as u32;
                let max = if lib == LibFunc::Strncat { Some(limit as usize) } else { None };
                let s = self.read_string(b, max)?;
                let to = with_offset(a, offset_of(a) + head);
                self.overlap_check(to, b, s.len() as u32 + 1)?;
                self.put_string(to, &s, true)?;
                a
            }
            _ => self.search(lib, a, b)?,
        };
        self.set_result(c.base, result);
        Ok(())
    }

    fn search(&mut self, lib: LibFunc, a: u64, b: u64) -> ExecResult<u64> {
        let hay = self.read_string(a, None)?;
        let at = |i: usize| with_offset(a, offset_of(a) + i as u32);
        if matches!(lib, LibFunc::Strchr | LibFunc::Strrchr) {
            let mut all = hay;
            all.push(0);
            let found = match lib {
                LibFunc::Strchr => all.iter().position(|&c| c == b as u8),
                _ => all.iter().rposition(|&c| c == b as u8),
            };
            return Ok(found.map_or(0, at));
        }
        self.valid_argument(b)?;
        let needle = self.read_string(b, None)?;
        Ok(match lib {
            LibFunc::Strstr if needle.is_empty() => a,
            LibFunc::Strstr => hay.windows(needle.len()).position(|w| w == needle).map_or(0, at),
            LibFunc::Strspn => hay.iter().take_while(|c| needle.contains(c)).count() as u64,
            LibFunc::Strcspn => hay.iter().take_while(|c| !needle.contains(c)).count() as u64,
            _ => hay.iter().position(|c| needle.contains(c)).map_or(0, at),
        })
    }
}
