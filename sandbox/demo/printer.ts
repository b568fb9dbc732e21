import { print as printLines } from '../../src/cli/print.ts';

/** Prints the steps of the demo. */
export interface Printer {
  /** Starts a numbered step. */
  step(title: string): void;
  /** Prints a result of the step. */
  fact(name: string, value: string): void;
}

/** Characters of a result's name, so that the values are aligned. */
const nameWidth = 16;

/** A printer that numbers its steps from 1. */
export function createPrinter(print: (line: string) => void = printLines): Printer {
  let number = 0;
  return {
    step(title) {
      number += 1;
      print(`\n${number}. ${title}`);
    },
    fact(name, value) {
      print(`   ${name.padEnd(nameWidth)}${value}`);
    },
  };
}
