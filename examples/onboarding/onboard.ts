// A partner (a whitelabel application) brings a customer: profile, details, form, documents, the address of the customer, and an IBAN that leads to it.
//   API=… CLIENT_ID=… CLIENT_SECRET=… node examples/onboarding/onboard.ts
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, linkMessageFor, type Schemas } from 'mintrail-client';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const { API: baseUrl = '', CLIENT_ID: clientId = '', CLIENT_SECRET: clientSecret = '' } = process.env;
const mintrail = createClient({ baseUrl, clientId, clientSecret });
const chain = 'chiado';
const kinds = ['idDocument', 'facialSimilarity', 'proofOfResidency', 'sourceOfFunds'] as const;

const read = (name: string) => readFileSync(new URL(`../operations/${name}`, import.meta.url));

// What the customer has typed into your own pages, and the documents that were uploaded there. In the sandbox the review is simulated.
const { id: profile } = await mintrail.post('/profiles', { body: { kind: 'personal' } });
const path = { profile };
await mintrail.patch('/profiles/{profile}/details', {
  path,
  body: { personal: JSON.parse(String(read('details.json'))) as Schemas['PersonalDetails'] },
});
await mintrail.patch('/profiles/{profile}/form', {
  path,
  body: { personal: JSON.parse(String(read('form.json'))) as Schemas['PersonalForm'] },
});
const { id: fileId } = await mintrail.upload(new File([read('document.pdf')], 'document.pdf'));
const documents = [{ fileId }];
await mintrail.patch('/profiles/{profile}/verifications', { path, body: { personal: kinds.map((kind) => ({ kind, documents })) } });

// By a webhook you would not have to ask: profile.updated and iban.updated.
const state = await eventually(async () => {
  const answer = await mintrail.get('/profiles/{profile}', { path });
  return answer.state === 'approved' || answer.state === 'rejected' || answer.state === 'incomplete' ? answer.state : undefined;
});
console.log(`The profile ${profile} is ${state}.`);
if (state !== 'approved') process.exit(1);

// The customer's wallet signs that the address is theirs, for you and this profile alone. Here a new key stands in for it.
const wallet = privateKeyToAccount(generatePrivateKey());
const account = { address: wallet.address, chain, profile } as const;
const message = linkMessageFor({ address: wallet.address, chain, profile, baseUrl });
await mintrail.post('/addresses', { body: { ...account, message, signature: await wallet.signMessage({ message }) } });
await mintrail.post('/ibans', { body: { address: wallet.address, chain } });
const iban = await eventually(async () => {
  const { ibans } = await mintrail.get('/ibans', { query: { profile } });
  return ibans.find((each) => each.state === 'approved')?.iban;
});
console.log(`Money to ${iban} becomes tokens at ${wallet.address}.`);

async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await delay(500);
  }
}
