/** How the values of a panel are written, by Grafana's names of units. */
export type PanelUnit = 'short' | 's' | 'reqps' | 'currency' | 'gwei' | 'eth' | 'blocks';

/** A panel of a board. */
export interface Panel {
  title: string;
  /** What is shown, and what to think of it. */
  description: string;
  kind: 'timeseries' | 'stat';
  unit: PanelUnit;
  /** PromQL, each with the text of its legend. */
  queries: readonly [expr: string, legend: string][];
  /** From which value on it is shown as bad. */
  badFrom?: number;
}

/** A board: panels in rows. */
export interface Board {
  name: string;
  title: string;
  description: string;
  /** Titles of the rows, with their panels. */
  rows: readonly [title: string, panels: readonly Panel[]][];
}
