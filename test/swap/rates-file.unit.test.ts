import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRatesFile } from '../../src/swap/rates-file.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();
const file = path.join(folder, 'rates.json');

const now = (offset = 0) => new Date(Date.now() + offset * 1_000).toISOString();
const rates = (change: object = {}) => ({ time: now(), usd: { eur: '1.16', gbp: '1.32', isk: '0.0079' }, ...change });

function write(content: unknown): void {
  writeFileSync(`${file}.new`, typeof content === 'string' ? content : JSON.stringify(content));
  renameSync(`${file}.new`, file);
}

describe('a file of rates', () => {
  beforeEach(() => write(rates()));

  it('tells dollars for a unit of each currency, exactly', async () => {
    const { usd } = await createRatesFile({ file, maxAgeSeconds: 60 })();
    expect(usd).toEqual({ eur: 1_160_000_000_000_000_000n, gbp: 1_320_000_000_000_000_000n, isk: 7_900_000_000_000_000n, usd: 10n ** 18n });
  });

  it('is read again when it changes', async () => {
    const read = createRatesFile({ file, maxAgeSeconds: 60 });
    await read();
    write(rates({ usd: { eur: '1.2' } }));
    expect((await read()).usd).toEqual({ eur: 12n * 10n ** 17n, usd: 10n ** 18n });
  });

  it('does not fall back on what it read before, and recovers', async () => {
    const read = createRatesFile({ file, maxAgeSeconds: 60 });
    await read();
    write('{"time": ');
    await expect(read()).rejects.toMatchObject({ code: 'price_unavailable', retryable: true });
    rmSync(file);
    await expect(read()).rejects.toMatchObject({ code: 'price_unavailable', message: expect.stringContaining('ENOENT') as string });
    write(rates());
    await expect(read()).resolves.toBeDefined();
  });

  it('goes stale while it lies there, unless it may live for ever', async () => {
    write(rates({ time: now(-61) }));
    await expect(createRatesFile({ file, maxAgeSeconds: 60 })()).rejects.toMatchObject({
      code: 'price_unavailable',
      message: expect.stringContaining('older than the 60 s') as string,
    });
    await expect(createRatesFile({ file, maxAgeSeconds: 0 })()).resolves.toBeDefined();
  });

  it.each([
    ['a time in the future', rates({ time: now(120) }), 'in the future'],
    ['no time', { usd: {} }, 'time:'],
    ['a time without a zone', rates({ time: '2026-11-21T12:00:00' }), 'time:'],
    ['a number', rates({ usd: { eur: 1.16 } }), 'usd.eur:'],
    ['a rate of zero', rates({ usd: { eur: '0' } }), 'must be a decimal greater than 0'],
    ['a negative rate', rates({ usd: { eur: '-1' } }), 'usd.eur:'],
    ['an exponent', rates({ usd: { eur: '1e9' } }), 'usd.eur:'],
    ['an unknown currency', rates({ usd: { chf: '1' } }), 'chf'],
    ['another base', rates({ usd: { usd: '0.86' } }), 'usd.usd: must be "1"'],
    ['another field', rates({ eur: '1.16' }), 'eur'],
  ])('with %s gives no price, and the error says why', async (_, content, reason) => {
    write(content);
    await expect(createRatesFile({ file, maxAgeSeconds: 60 })()).rejects.toMatchObject({
      code: 'price_unavailable',
      message: expect.stringContaining(reason) as string,
    });
  });
});
