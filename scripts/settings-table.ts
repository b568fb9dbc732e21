// Writes the README's table of settings from the schema that reads them; with --check it only says whether the table is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';
import { networkSettingsSchema, settingsSchema } from '../src/platform/settings.ts';

const file = new URL('../README.md', import.meta.url);
const [begin, end] = ['<!-- settings -->', '<!-- /settings -->'];

const text = readFileSync(file, 'utf8');
const [before, after] = [text.slice(0, text.indexOf(begin) + begin.length), text.slice(text.indexOf(end))];
const written = `${before}\n${table(settingsSchema, '')}\n\nFor each network, with its name in capitals before it:\n\n${table(networkSettingsSchema, 'GNOSIS_')}\n${after}`;

if (!process.argv.includes('--check')) writeFileSync(file, written);
else if (written !== text) {
  console.error('The table of settings in README.md is stale: run `npm run docs`');
  process.exitCode = 1;
}

function table(schema: z.ZodObject, prefix: string): string {
  const rows = Object.entries(schema.shape).map(
    ([name, field]) => `| \`${prefix}${name}\` | ${standard(field as z.ZodType)} | ${(field as z.ZodType).description ?? ''} |`,
  );
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
