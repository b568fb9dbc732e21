import { submitSection } from '../../src/ledger/customers/profile-submissions.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';

const kinds = ['idDocument', 'facialSimilarity', 'proofOfResidency', 'sourceOfFunds'];

/** Submits everything that a personal profile needs, as the request `test`: it is in review then. Returns its id. */
export async function completeProfile(ledger: Ledger, id: string, lastName = 'Karlsson'): Promise<string> {
  await submitSection(ledger, id, { section: 'details', data: { firstName: 'Anna', lastName }, name: `Anna ${lastName}` }, 'test');
  await submitSection(ledger, id, { section: 'form', data: { tin: '1' } }, 'test');
  const updates = kinds.map((kind) => ({ kind, documents: [] }));
  await submitSection(ledger, id, { section: 'verifications', updates }, 'test');
  return id;
}
