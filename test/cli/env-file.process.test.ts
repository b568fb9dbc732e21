import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { constantFrom, sample, string } from 'fast-check';
import { expect, it } from 'vitest';
import { readEnvFile, writeEnvFile } from '../../src/cli/env-file.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();

const characters = constantFrom(...'aZ09 \t\'"`$\\#&;|<>()[]{}*?~!%=:,.@+-é€'.split(''));

it('a value is read back by a shell and by the command line as it was, or refused', () => {
  const file = path.join(folder, 'random.env');
  const samples = ["O'Neil #1 GmbH", '~/bank', ' x ', '', ...sample(string({ unit: characters, maxLength: 12 }), 500)];
  const values = Object.fromEntries(samples.map((value, index) => [`V${index}`, value]));
  for (const [name, value] of Object.entries(values)) {
    const isQuotable = !(value.includes("'") && /["$`\\]/.test(value));
    if (!isQuotable) delete values[name];
    const write = () => writeEnvFile(path.join(folder, 'single.env'), { [name]: value });
    if (!isQuotable) expect(write, value).toThrow(`The value of ${name} contains an apostrophe`);
  }
  writeEnvFile(file, values);
  expect(readEnvFile(file)).toEqual(values);
  const names = Object.keys(values);
  const printed = execFileSync('sh', ['-c', `. ${file}\nprintf '%s\\n' ${names.map((name) => `"$${name}"`).join(' ')}`], {
    encoding: 'utf8',
  });
  expect(
    Object.fromEntries(
      printed
        .split('\n')
        .slice(0, -1)
        .map((value, index) => [names[index], value]),
    ),
  ).toEqual(values);
});
