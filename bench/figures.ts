/** Something that the benchmark measures: a line of the table at the end of a run, and a chart of bench/history.md. */
export interface Figure {
  what: string;
  unit: string;
  /** Decimals that are printed. */
  decimals?: number;
  /** What the project wants to reach. A figure without either is only shown. */
  atLeast?: number;
  atMost?: number;
  /** What would be better still. */
  aim?: string;
}

/** All figures, in the order in which they are printed; bench/README.md explains them. New ones are added in their places. */
export const figures = {
  machineLoop: { what: 'the machine: turns of an integer loop on one core', unit: 'M/s' },
  machineReads: { what: 'the machine: reads of a row, one connection', unit: '/s' },
  machineCommits: { what: 'the machine: commits of one row, one connection', unit: '/s' },
  redemptions: { what: 'signed redemptions placed, 32 clients, pipeline running', unit: '/s', atLeast: 600, aim: '1,000' },
  redemptionP50: { what: 'the same: answered, median', unit: 'ms' },
  redemptionP99: { what: 'the same: answered, 99th percentile', unit: 'ms' },
  offeredP50: { what: 'redemptions at an offered 150/s, median', unit: 'ms', decimals: 1 },
  offeredP99: { what: 'redemptions at an offered 150/s, 99th percentile', unit: 'ms', decimals: 1, atMost: 50 },
  alone: { what: 'an order alone on an idle machine, median', unit: 'ms', decimals: 1, atMost: 4 },
  aloneStatements: { what: 'the same: statements of the API', unit: '', decimals: 1 },
  loadedStatements: { what: 'statements of the API per redemption, 32 clients', unit: '', decimals: 1 },
  creditStatements: { what: 'statements of all processes for a credit until it is processed', unit: '', decimals: 1, aim: '25' },
  redemptionStatements: { what: 'statements of all processes for a redemption until it is paid', unit: '', decimals: 1, aim: '35' },
  idleStatements: { what: 'statements of an idle sandbox with three networks, a second', unit: '', decimals: 1, aim: '25' },
  credits: { what: 'single credits over HTTP', unit: '/s', atLeast: 1_500, aim: '3,000' },
  creditPostgres: { what: 'the same: PostgreSQL per credit', unit: 'ms', decimals: 2 },
  file: { what: 'credits of a large bank file, after the first block', unit: '/s', atLeast: 2_500 },
  fileLastTenth: { what: 'rate of its last tenth, of that of its first', unit: '%', atLeast: 80 },
  fileGas: { what: 'share of the block gas limit used meanwhile', unit: '%', aim: '90' },
  fileSmall: { what: 'credits of a bank file of 5,000, after the first block', unit: '/s' },
  fileSmallPostgres: { what: 'the same: PostgreSQL per credit', unit: 'ms', decimals: 2 },
  filePostgres: { what: 'PostgreSQL per credit of the large file', unit: 'ms', decimals: 2 },
  fileFlat: { what: 'PostgreSQL per credit, large file against 5,000', unit: '×', decimals: 2, atMost: 1.25 },
  cpuPostgres: { what: 'PostgreSQL per placed and settled redemption', unit: 'ms', decimals: 2, atMost: 1, aim: '0.5' },
  cpuApi: { what: 'API per placed and settled redemption', unit: 'ms', decimals: 2, atMost: 0.8, aim: '0.4' },
  cpuWorkers: { what: 'workers per placed and settled redemption', unit: 'ms', decimals: 2, atMost: 0.6, aim: '0.3' },
  cpuIndexer: { what: 'indexers per placed and settled redemption', unit: 'ms', decimals: 2 },
  cpuAnvil: { what: 'Anvil per placed and settled redemption', unit: 'ms', decimals: 2 },
  cpuClient: { what: 'the client itself per redemption', unit: 'ms', decimals: 2 },
  legsPerTransaction: { what: 'legs of a transaction under load, mean', unit: '', decimals: 1, atLeast: 100 },
  transactionsPerBlock: { what: 'transactions per block and lane under load', unit: '', decimals: 2, atMost: 2 },
  questionMedian: { what: 'hot queries, slowest median', unit: 'ms', decimals: 1, atMost: 10 },
  questionP99: { what: 'hot queries, slowest 99th percentile', unit: 'ms', decimals: 1, atMost: 25 },
  questionScans: { what: 'hot queries that read a table or partition from end to end', unit: '', atMost: 0 },
  consoleFirstPage: { what: 'console, first page interactive with an empty cache, median', unit: 'ms', atMost: 1_000 },
  consoleBundle: { what: 'console, JavaScript and CSS of the first page, compressed', unit: 'kB', atMost: 300 },
  consoleScrollP99: { what: 'console, frame while 100,000 orders are scrolled, 99th percentile', unit: 'ms', atMost: 50, aim: '17' },
  consoleScrollLongest: { what: 'the same: longest task of the page', unit: 'ms', atMost: 200 },
  consoleScrollMemory: { what: 'the same: heap of the page at the end', unit: 'MB', atMost: 300 },
  rpcCalls: { what: 'RPC calls per block and lane, without 2 per mined transaction', unit: '', decimals: 1, atMost: 6 },
  mintSettled: { what: 'mint in a block → order processed, 95th percentile', unit: 'ms', atMost: 250, aim: '150' },
  burnSettled: { what: 'burn in a block → order processed, 95th percentile', unit: 'ms', atMost: 250, aim: '150' },
  steady: { what: 'credit → processed at 10/s, 1 s blocks, 95th percentile', unit: 's', decimals: 2, atMost: 1.15, aim: '1.1' },
  idleCpu: { what: 'idle sandbox with three networks, of a core', unit: '%', decimals: 1, atMost: 10, aim: '5' },
  idleMemory: { what: 'idle sandbox with three networks, memory', unit: 'MB', atMost: 1_200, aim: '1,000' },
  restMemory: { what: 'a chain of the sandbox in three days at rest, most memory', unit: 'MB', atMost: 150 },
  restDisk: { what: 'the same: most on the disk', unit: 'MB', decimals: 1, atMost: 100 },
  restBlock: { what: 'the same: time of a block, median', unit: 'ms', decimals: 1, atMost: 50 },
  workerMemory: { what: 'memory of a chain worker, most', unit: 'MB', atMost: 200 },
  apiMemory: { what: 'memory of the API, most', unit: 'MB', atMost: 200 },
  indexerMemory: { what: 'memory of an indexer, most', unit: 'MB', atMost: 400 },
  startFirst: { what: '`npm start`, first time with packages installed', unit: 's', decimals: 1, atMost: 12, aim: '8' },
  startAgain: { what: '`npm start`, second time', unit: 's', decimals: 1, atMost: 6, aim: '4' },
} as const satisfies Record<string, Figure>;

export type FigureKey = keyof typeof figures;

/** A figure that was measured; the note says under which other conditions than the figure names. */
export interface Measured {
  value: number;
  note?: string | undefined;
}

/** What a run has measured so far. */
export interface Results {
  record(key: FigureKey, value: number, note?: string): void;
  measured: ReadonlyMap<FigureKey, Measured>;
}

/** Nothing is measured yet. */
export function createResults(): Results {
  const measured = new Map<FigureKey, Measured>();
  return { measured, record: (key, value, note) => void measured.set(key, { value, note }) };
}

/** Whether a value reaches what the project wants; undefined where nothing is wanted. A value that could not be measured reaches nothing. */
export function isMet(key: FigureKey, value: number): boolean | undefined {
  const { atLeast, atMost }: Figure = figures[key];
  if (atLeast === undefined && atMost === undefined) return undefined;
  return value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
}

/** A value with its unit, such as `92 /s`. */
export function shown(key: FigureKey, value: number): string {
  const { decimals = 0, unit }: Figure = figures[key];
  const number = value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return `${number} ${unit}`.trim();
}

/** What is to be reached, such as `at least 600 /s, aim 1,000`; empty where nothing is. */
export function requirementOf(key: FigureKey): string {
  const { atLeast, atMost, aim }: Figure = figures[key];
  const bounds = [
    atLeast === undefined ? '' : `at least ${shown(key, atLeast)}`,
    atMost === undefined ? '' : `at most ${shown(key, atMost)}`,
    aim === undefined ? '' : `aim ${aim}`,
  ];
  return bounds.filter(Boolean).join(', ');
}
