//! Typed indices into the arenas of a [`Program`](crate::Program).

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the arena.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// An expression node.
    ExprId;
    /// A statement node.
    StmtId;
    /// A variable: global, local or parameter.
    VarId;
    /// A function, declared or defined.
    FuncId;
    /// A label of a function.
    LabelId;
    /// A struct or union type.
    RecordId;
    /// An enumerated type.
    EnumId;
    /// A typedef name.
    TypedefId;
    /// A string literal.
    StrId;
    /// A translation unit.
    UnitId;
}
