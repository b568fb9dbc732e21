import { expect, it } from 'vitest';
import { batchChecksum, writeSafeBatch } from '../../../src/chain/admin/safe-batch-file.ts';

const safe = `0x${'1'.repeat(40)}` as const;
const to = `0x${'2'.repeat(40)}` as const;
const text = writeSafeBatch(
  { chainId: 100, safe, version: '1.4.1', to, data: '0x8456cb59', nonce: 7 },
  { name: 'Mintrail', description: 'pause the token', createdAt: new Date(1_700_000_000_000) },
);
const { meta, ...file } = JSON.parse(text) as { meta: Record<string, string> };
const { checksum, ...described } = meta;

it("a file for Safe's own application has the transaction, the words, and a checksum that the application takes", () => {
  expect(file).toMatchObject({
    version: '1.0',
    chainId: '100',
    createdAt: 1_700_000_000_000,
    transactions: [{ to, value: '0', data: '0x8456cb59' }],
  });
  expect(described).toMatchObject({ name: 'Mintrail', description: 'pause the token', createdFromSafeAddress: safe });
  // Computed by code that was compared with the vector of apps/tx-builder/src/lib/checksum.test.js.
  expect(checksum).toBe('0x90aa34b6c90d36ddcbeeba8d2c5823e425419662d48646d373af13af65057f12');
});

it('the checksum does not depend on the order of the properties, and changes with any of them', () => {
  expect(batchChecksum({ meta: described, ...file })).toBe(checksum);
  expect(batchChecksum({ ...file, meta: { ...described, description: 'pause another token' } })).not.toBe(checksum);
});
