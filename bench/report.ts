import Table from 'cli-table3';

/** Prints rows of a name and a value below a title. */
export function print(title: string, rows: [string, string][]): void {
  const table = new Table({ style: { head: [], border: [] } });
  table.push(...rows);
  console.log(`\n${title}\n${table.toString()}`);
}

/** A figure beside what it has to be, so that nobody has to look that up. */
export function judged(text: string, isGood: boolean, wanted: string): string {
  return `${text} (${isGood ? 'as wanted' : 'NOT as wanted'}: ${wanted})`;
}

/** A command line, short enough for a table. */
export function shortened(text: string, length = 50): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
