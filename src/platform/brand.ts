declare const brand: unique symbol;

/** A type of its own for the compiler, and its base at run time. Only the constructors of `Name` make values of it. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
