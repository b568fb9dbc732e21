/** All orders of values. */
export function permutations<T>(values: readonly T[]): T[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((value, index) => permutations(values.toSpliced(index, 1)).map((rest) => [value].concat(rest)));
}
