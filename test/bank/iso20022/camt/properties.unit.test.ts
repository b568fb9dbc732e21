import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { StopError } from '../../../../src/platform/errors.ts';
import { expectedCredits, generatedStatement } from './generated-statement.ts';
import { credits, read, references } from './reading.ts';
import { schemaFolder, schemasPresent } from '../schema-folder.ts';
import { messages, statementXml, versions } from './statement-xml.ts';

test('what a statement says is what is read', async () => {
  await fc.assert(
    fc.asyncProperty(generatedStatement, async ({ spec, entries }) => {
      const items = await read(statementXml(spec));
      expect(credits(items)).toEqual(expectedCredits(entries));
      expect(new Set(references(items)).size).toBe(references(items).length);
      expect(new Set(items.map(({ entry }) => entry.number)).size).toBe(entries.length);
    }),
    { numRuns: 200 },
  );
});

test('pieces cut anywhere, inside characters too, make no difference', async () => {
  const encodings = fc.constantFrom<BufferEncoding>('utf8', 'utf16le');
  await fc.assert(
    fc.asyncProperty(generatedStatement, encodings, fc.array(fc.nat(), { maxLength: 20 }), async ({ spec }, encoding, cuts) => {
      const xml = encoding === 'utf8' ? statementXml(spec) : `\uFEFF${statementXml(spec)}`;
      const bytes = Buffer.from(xml, encoding);
      const places = [0, ...cuts.map((cut) => cut % bytes.length), bytes.length].sort((a, b) => a - b);
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect(await read(...chunks)).toEqual(await read(statementXml(spec)));
    }),
    { numRuns: 100 },
  );
});

test('a file cut off anywhere is refused', async () => {
  await fc.assert(
    fc.asyncProperty(generatedStatement, fc.nat(), async ({ spec }, cut) => {
      const bytes = Buffer.from(statementXml(spec));
      await expect(read(bytes.subarray(0, cut % bytes.length))).rejects.toBeInstanceOf(StopError);
    }),
    { numRuns: 200 },
  );
});

test('a damaged file is refused, or accounts for every entry', async () => {
  const damage = fc.array(fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(generatedStatement, damage, async ({ spec, entries }, places) => {
      const bytes = Buffer.from(statementXml(spec));
      for (const { at, byte } of places) bytes[at % bytes.length] = byte;
      const items = await readOrRefuse(bytes);
      if (items === undefined) return;
      expect(new Set(items.map(({ entry }) => entry.number)).size).toBe(entries.length);
      for (const { amount = 0n, reference } of credits(items)) expect(amount > 0n && reference.length > 0).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('a damaged digit of an amount inside a batch never becomes a credit', async () => {
  await fc.assert(
    fc.asyncProperty(generatedStatement, fc.nat(), fc.integer({ min: 1, max: 9 }), async ({ spec }, pick, shift) => {
      const batch = { ...spec, entries: (spec.entries ?? []).filter((entry) => (entry.transactions?.length ?? 0) > 1) };
      const xml = statementXml(batch);
      const digits = [...xml.matchAll(/(?<=<Amt Ccy="(?:EUR|CHF)">[\d.]*)\d/g)]
        .map(({ index }) => index)
        .filter((index) => index > xml.indexOf('<Ntry>'));
      if (digits.length === 0 || !xml.includes('<Ntry>')) return;
      const at = digits[pick % digits.length] ?? 0;
      const damaged = `${xml.slice(0, at)}${(Number(xml[at]) + shift) % 10}${xml.slice(at + 1)}`;
      const whole = new Set(credits(await read(xml)).map(({ amount, reference }) => `${reference} ${amount}`));
      for (const { amount, reference } of credits(await read(damaged))) expect(whole).toContain(`${reference} ${amount}`);
    }),
    { numRuns: 200 },
  );
});

describe.skipIf(!schemasPresent())('against the schemas', () => {
  test.each(versions.flatMap((version) => messages.map((message) => ({ version, message }))))(
    'what the tests generate is valid $message.001.$version',
    ({ version, message }) => {
      using schema = XmlDocument.fromBuffer(readFileSync(join(schemaFolder, `${message}.001.${version}.xsd`)));
      using validator = XsdValidator.fromDoc(schema);
      fc.assert(
        fc.property(generatedStatement, ({ spec }) => {
          using document = XmlDocument.fromString(statementXml({ ...spec, version, message }));
          validator.validate(document);
        }),
        { numRuns: 50 },
      );
    },
  );
});

/** The items of a file, or `undefined` when it is refused; any other error fails the test. */
async function readOrRefuse(bytes: Uint8Array): Promise<Awaited<ReturnType<typeof read>> | undefined> {
  try {
    return await read(bytes);
  } catch (error) {
    if (error instanceof StopError) return undefined;
    throw error;
  }
}
