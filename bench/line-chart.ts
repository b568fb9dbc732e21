/** A chart over time for a page in Markdown. */
export interface LineChart {
  title: string;
  /** As Mermaid writes an axis: the values at which it was looked, or `0 --> 180`. */
  x: { title: string; values: string };
  unit: string;
  /** The y axis reaches at least to here. */
  least: number;
  /** The values of each line, one for each look. */
  lines: readonly (readonly number[])[];
}

/** The chart as Mermaid draws it. */
export function lineChart({ title, x, unit, least, lines }: LineChart): string {
  return [
    '```mermaid',
    'xychart-beta',
    `  title "${title}"`,
    `  x-axis "${x.title}" ${x.values}`,
    `  y-axis "${unit}" 0 --> ${Math.max(least, Math.ceil(Math.max(...lines.flat())))}`,
    ...lines.map((values) => `  line [${values.map((value) => Number(value.toPrecision(4))).join(', ')}]`),
    '```',
    '',
  ].join('\n');
}
