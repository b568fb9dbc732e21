// Writes the README's table of settings from the schema that reads them; with --check it only says whether the table is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';
import { chainFacts, chains } from '../src/platform/chains.ts';
import { networkDefaults, networkSettingsSchema, settingsSchema } from '../src/platform/settings.ts';

const byNetwork = new Set(Object.keys(networkDefaults('gnosis')));
const file = new URL('../README.md', import.meta.url);

const text = readFileSync(file, 'utf8');
const settings = `${table(settingsSchema, '')}\n\nFor each network, with its name in capitals before it:\n\n${table(networkSettingsSchema, 'GNOSIS_')}`;
const written = between('networks', networks(), between('settings', settings, text));

if (!process.argv.includes('--check')) writeFileSync(file, written);
else if (written !== text) {
  console.error('The tables of settings in README.md are stale: run `npm run docs`');
  process.exitCode = 1;
}

/** The text with what is between the two comments of a name replaced. */
function between(name: string, content: string, whole: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [whole.indexOf(begin), whole.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no ${begin} and ${end}`);
  return `${whole.slice(0, from + begin.length)}\n${content}\n${whole.slice(to)}`;
}

function networks(): string {
  const rows = chains.map((chain) => {
    const { name, id, currency, explorer } = chainFacts(chain);
    const { confirmations, blockTimeSeconds, maxBatch } = networkDefaults(chain);
    return `| \`${chain}\` | [${name}](${explorer}) | ${id} | ${currency.symbol} | \`${confirmations}\` | \`${blockTimeSeconds}\` | \`${maxBatch}\` |`;
  });
  return [
    '| network |  | chain id | gas in | `CONFIRMATIONS` | `BLOCK_TIME` | `MAX_BATCH` |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function table(schema: z.ZodObject, prefix: string): string {
  const rows = Object.entries(schema.shape).map(([name, field]) => {
    const { variable, description = '' } = (field as z.ZodType).meta() ?? {};
    return `| \`${prefix}${String(variable)}\` | ${byNetwork.has(name) ? 'by network' : standard(field as z.ZodType)} | ${description} |`;
  });
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

function standard(field: z.ZodType): string {
  let inner: unknown = field;
  while (inner) {
    const { def } = inner as { def: { type: string; defaultValue?: unknown; innerType?: unknown; in?: unknown } };
    if (def.type === 'default') return def.defaultValue === '' ? '' : `\`${String(def.defaultValue)}\``;
    if (def.type === 'optional') return '';
    inner = def.innerType ?? def.in;
  }
  return 'required';
}
