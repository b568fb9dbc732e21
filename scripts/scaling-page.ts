// Computes the tables of docs/scaling.md from the inputs on that page; with --check it only says whether they are stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { chainFacts, chains } from '../src/platform/chains.ts';

const file = 'docs/scaling.md';
const ordersPerDay = [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
const secondsOfDay = 86_400;

/** The most gas of a redemption that a key has signed (src/chain/gas-bounds.ts). */
const gasOfOrder = 50_000;

const page = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const inputs = page.slice(page.indexOf('\n## Inputs\n'), page.indexOf('\n## The table\n'));
write(between('scaling', loadTable(), between('blocks', networkTable(), page)));

function loadTable(): string {
  const head = [
    'orders a day',
    'average',
    'busiest',
    'PostgreSQL',
    'API',
    'network workers',
    'indexers',
    'common worker',
    'processes',
    'connections',
    'disk',
  ];
  return table(head, ordersPerDay.map(loadRow));
}

function loadRow(orders: number): string[] {
  const average = orders / secondsOfDay;
  const busiest = average * input('peak');
  const cores = (process: string) => (busiest * millisecondsOf(process)) / 1_000 / (input('load') / 100);
  const networks = input('networks');
  const copies = {
    api: Math.max(2, Math.ceil(cores('API'))),
    worker: networks * Math.max(2, Math.ceil(cores('network worker') / networks)),
    common: Math.max(2, Math.ceil(cores('common worker'))),
  };
  const clients = (copies.api + copies.worker + copies.common) * input('pool') + networks * 4;
  const direct = copies.worker * (input('signers') + 2) + networks * 4;
  const pooled = Math.max(20, Math.ceil(cores('PostgreSQL') * input('waiting')));
  const processes = copies.api + copies.worker + copies.common + networks;
  return [
    thousands(orders),
    decimal(average),
    decimal(busiest),
    ...['PostgreSQL', 'API', 'network worker', 'indexer', 'common worker'].map((process) => decimal(cores(process))),
    thousands(processes),
    `${thousands(pooled + direct)} (${thousands(clients + direct)})`,
    bytes(diskOfYear(orders)),
  ];
}

/** Processor time of an order, as redemptions and credits are mixed. */
function millisecondsOf(process: string): number {
  const [redemption, credit] = row(process).map(number);
  const share = input('redemptions') / 100;
  return share * (redemption ?? Number.NaN) + (1 - share) * (credit ?? Number.NaN);
}

function diskOfYear(orders: number): number {
  const rows = [...inputs.matchAll(/^\| [^|]+ \| ([\d,]+) \| (ever|[\d,]+) \|$/gm)];
  const perDay = rows.map(([, size = '', days = '']) => number(size) * (days === 'ever' ? 365 : Math.min(365, number(days))));
  return orders * perDay.reduce((sum, size) => sum + size, 0) * (1 + input('spare') / 100);
}

function networkTable(): string {
  const rows = chains.flatMap((chain) => {
    const { isTestnet, blockGas, blockTimeSeconds } = chainFacts(chain);
    const perSecond = Number(blockGas) / 2 / gasOfOrder / blockTimeSeconds;
    return isTestnet ? [] : [[`\`${chain}\``, decimal(perSecond), millions(perSecond * secondsOfDay)]];
  });
  return table(['network', 'orders a second', 'a day'], rows);
}

/** The value of an input. */
function input(name: string): number {
  return number(row(`\`${name}\``)[0] ?? '');
}

/** The cells behind the first one of the row that begins with a text. */
function row(first: string): string[] {
  const line = inputs.split('\n').find((text) => text.startsWith(`| ${first} |`));
  if (line === undefined) throw new Error(`${file} has no input ${first}`);
  return line
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());
}

function number(text: string): number {
  const value = Number(text.replaceAll(',', ''));
  if (text === '' || Number.isNaN(value)) throw new Error(`${file}: "${text}" is not a number`);
  return value;
}

function table(head: string[], rows: string[][]): string {
  const lines = [head, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.toSpliced(1, 0, `|${'---|'.repeat(head.length)}`).join('\n');
}

function decimal(value: number): string {
  if (value < 0.01) return '< 0.01';
  return value < 10 ? value.toFixed(value < 1 ? 2 : 1) : thousands(Math.round(value));
}

function thousands(value: number): string {
  return value.toLocaleString('en');
}

function millions(value: number): string {
  return `${decimal(value / 1e6)} million`;
}

function bytes(value: number): string {
  return value < 1e12 ? `${decimal(value / 1e9)} GB` : `${decimal(value / 1e12)} TB`;
}

/** The text with what is between the two comments of a name replaced. */
function between(name: string, content: string, whole: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [whole.indexOf(begin), whole.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no ${begin} and ${end}`);
  return `${whole.slice(0, from + begin.length)}\n${content}\n${whole.slice(to)}`;
}

function write(text: string): void {
  if (!process.argv.includes('--check')) return writeFileSync(new URL(`../${file}`, import.meta.url), text);
  if (page === text) return;
  console.error(`${file} is stale: run \`npm run docs\``);
  process.exitCode = 1;
}
