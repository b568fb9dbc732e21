/** Tells the story of the demo, one step after the other. */
export interface Narrator {
  /** Begins a step. */
  step(title: string): void;
  /** One thing that happened in it. */
  fact(name: string, value: string): void;
}

/** Width of the names, so that the values stand below each other. */
const nameWidth = 16;

export function createNarrator(print: (line: string) => void = console.log): Narrator {
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
