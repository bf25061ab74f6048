//! The binary `gainsay` as a person or a script uses it. One program, so that it is linked once.

mod accounts;
mod cluster;
mod compare;
mod compilers;
mod counted;
mod coverage;
mod crossover;
mod documented;
mod emi;
mod faulty;
mod generate;
mod hunt;
mod kept;
mod llvm;
mod llvm_cc;
mod manual;
mod mistakes;
mod passes;
mod planted;
mod profile;
mod report;
mod run;
mod signals;
mod smith;
mod survives;
mod verify;
