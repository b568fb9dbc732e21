import Table from 'cli-table3';

/** Prints a table of names and values below a title. */
export function print(title: string, rows: [string, string][]): void {
  const table = new Table({ style: { head: [], border: [] } });
  table.push(...rows);
  console.log(`\n${title}\n${table.toString()}`);
}

/** A figure with its requirement, and whether it meets that. */
export function judged(text: string, isGood: boolean, requirement: string): string {
  return `${text} (${isGood ? 'met' : 'NOT MET'}: ${requirement})`;
}

/** A command line cut to fit into a table. */
export function shortened(text: string, length = 50): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
