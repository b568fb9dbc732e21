import { projectFiles, read } from './pages.ts';

/** Tables with a `state`, and the view of legs, whose transitions docs/transitions.md lists, by the heading there. */
export const stateTables = {
  Orders: 'orders',
  Legs: 'legs',
  Transactions: 'transactions',
  Payments: 'payments',
  Credits: 'credits',
  'Signature requests': 'signature_requests',
} as const;

export type StateTable = (typeof stateTables)[keyof typeof stateTables];

/** One line of a list of transitions. */
export interface DocumentedRow {
  table: StateTable;
  /** States before and after; `new` before the row is inserted. */
  from: string[];
  to: string[];
  by: string;
  /** Every word in backticks of the line: its states, and those that its condition names. */
  words: string[];
}

const inBackticks = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

/** The rows below the headings of {@link stateTables}. */
export function documentedRows(page: string): DocumentedRow[] {
  return Object.entries(stateTables).flatMap(([heading, table]) => {
    const section = new RegExp(`^## ${heading}\\n(.*?)^##`, 'ms').exec(page)?.[1] ?? '';
    const rows = [...section.matchAll(/^- ([^:]+) → ([^:]+): .+ \(`(\w+)`\)$/gm)];
    return rows.map(([row, from = '', to = '', by = '']) => ({
      table,
      from: from === 'new' ? ['new'] : inBackticks(from),
      to: inBackticks(to),
      by,
      words: inBackticks(row),
    }));
  });
}

/** `legs: ready → sent`, for every pair that the rows allow. */
export function transitionsOf(rows: DocumentedRow[]): string[] {
  const all = rows.flatMap(({ table, from, to }) => from.flatMap((before) => to.map((after) => `${table}: ${before} → ${after}`)));
  return [...new Set(all)].toSorted();
}

/** A function of the ledger that writes the state of a table, and the text of the function. */
export interface StateWriter {
  table: StateTable;
  name: string;
  text: string;
}

const camel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The functions of src that insert a row of a table with a state, or update its state. */
export function stateWriters(): StateWriter[] {
  return projectFiles('src')
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => topLevelFunctions(read(file)))
    .filter(({ name }) => !partsOfLegs.includes(name))
    .flatMap(({ name, text }) =>
      Object.values(stateTables)
        .filter((table) => writesState(text, table))
        .map((table) => ({ table, name, text })),
    );
}

function topLevelFunctions(source: string): { name: string; text: string }[] {
  const parts = source.split(/^(?=(?:export )?(?:async )?(?:function\*? |const \w+ = ))/m);
  return parts.flatMap((text) => {
    const name = /^(?:export )?(?:async )?(?:function\*? |const )(\w+)/.exec(text)?.[1];
    return name === undefined ? [] : [{ name, text }];
  });
}

/** The parts of which statements of legs are put together: whoever uses them writes. */
const partsOfLegs = ['beginLegs', 'endLegs', 'openAgain'];
const writesLegs = new RegExp(`\\$\\{(${partsOfLegs.join('|')})\\(`);

function writesState(text: string, table: StateTable): boolean {
  if (table === 'legs') return writesLegs.test(text) || writesColumn(text, 'open_legs');
  return writesColumn(text, table);
}

function writesColumn(text: string, table: string): boolean {
  const inserts = new RegExp(`insert into ${table}\\b|insertInto\\('${camel(table)}'\\)`);
  const updates = [
    ...text.matchAll(new RegExp(`update ${table}\\b(?:\\s+(?!set\\b)\\w+)?\\s+set\\b(.*?)(?:\\bwhere\\b|\\breturning\\b|$)`, 'gs')),
    ...text.matchAll(new RegExp(`updateTable\\('${camel(table)}'\\)\\s*\\.set\\((.*?)\\)\\s*\\.where`, 'gs')),
  ];
  return inserts.test(text) || updates.some(([, set = '']) => /\bstate\b\s*[=:]/.test(set));
}
