/** An object without what is undefined: that may be missing. */
type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> } & {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
};

/** Facts without those that are not known. */
export function withoutUndefined<T extends object>(facts: T): Present<T> {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Present<T>;
}
