// C11 6.3.1.4p1: conversion from floating types does not wrap around (footnote 61).
int main(void) {
    double d = -1.0;
    unsigned u = d; //~ float-to-int
    return u != 0;
}
