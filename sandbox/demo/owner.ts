import { randomBytes } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createClient } from '../../client/index.ts';
import { registerApplication } from '../../src/ledger/access/applications/register-application.ts';
import { withLedger } from '../../src/cli/with-ledger.ts';
import { customerDetails, customerForm, document } from './onboarding.ts';
import { createPageVisitor, type PageVisitor, type VisitedPage } from './page-visitor.ts';
import { type DemoContext, waitFor } from './shared-steps.ts';

/**
 * The owner of a private application, whom the operator names, becomes a customer on the hosted pages: by their forms, as a browser without
 * JavaScript submits them. The application then acts for the owner's profile.
 */
export async function demonstrateOwner(context: DemoContext): Promise<void> {
  const { file, printer, chains } = context;
  printer.step('An operator names the owner of a private application, who becomes a customer on the hosted pages');
  // Each run brings a new owner, because an address is registered once.
  const email = `owner-${randomBytes(4).toString('hex')}@example.org`;
  const registration = {
    kind: 'private' as const,
    name: 'Treasury',
    owner: email,
    redirectUris: [],
    origins: [],
    permission: 'read' as const,
  };
  const { id: clientId, secret: clientSecret } = await withLedger((ledger) => registerApplication(ledger, registration, 'sandbox'));
  const visitor = createPageVisitor(file.apiUrl);
  const details = await signUp(context, visitor, email);
  printer.fact('owner', `${email} proved the address by a code from a mail`);
  const form = await visitor.submit(details, 'details', { fields: customerDetails });
  const answers = Object.entries(customerForm).map(([name, value]) => [name, Array.isArray(value) ? value : String(value)] as const);
  await sendDocuments(visitor, await visitor.submit(form, 'form', { fields: Object.fromEntries(answers) }));
  const address = await waitFor('The review', async () => {
    const page = await visitor.open('/account');
    return page.url.pathname.endsWith('/address') ? page : undefined;
  });
  const account = privateKeyToAccount(generatePrivateKey());
  const chain = chains.home;
  const message = linkingMessage(address, account.address, chain);
  const fields = { chain, address: account.address, message, signature: await account.signMessage({ message }) };
  const overview = await visitor.submit(address, 'address', { fields });
  printer.fact('overview', /You are verified\./.exec(overview.html)?.[0] ?? overview.url.pathname);

  const client = createClient({ baseUrl: file.apiUrl, clientId, clientSecret });
  await client.post('/ibans', { body: { address: account.address, chain } });
  const iban = await waitFor('The IBAN', async () => (await client.get('/ibans')).ibans.find(({ state }) => state === 'approved')?.iban);
  printer.fact('IBAN', iban);
}

async function signUp({ file }: DemoContext, visitor: PageVisitor, email: string): Promise<VisitedPage> {
  const fields = { name: 'Anna', email, password: randomBytes(16).toString('hex') };
  const verification = await visitor.submit(await visitor.open('/account/sign-up'), 'sign-up', { fields });
  const client = createClient({ baseUrl: file.apiUrl, ...file.applications.private });
  const code = await waitFor('The mail with the code', async () => {
    const { mails } = await client.get('/sandbox/mail');
    const id = mails.find(({ recipient }) => recipient === email)?.id;
    if (id === undefined) return undefined;
    const { text } = await client.get('/sandbox/mail/{id}', { path: { id } });
    return /^Your code is (\d+)\./.exec(text)?.[1];
  });
  return visitor.submit(verification, 'verify-email', { fields: { code } });
}

/** The message of the page of the address, with address and chain, which the script of the page puts in for a wallet. */
function linkingMessage({ html }: VisitedPage, address: string, chain: string): string {
  const template = /data-message="([^"]*)"/.exec(html)?.[1] ?? '';
  return template.replace('{address}', address).replace('{chain}', chain);
}

/** Sends a document for each verification, on the page to which the one before led. */
async function sendDocuments(visitor: PageVisitor, first: VisitedPage): Promise<void> {
  let page = first;
  while (page.url.pathname.endsWith('/verification')) {
    const isIdentity = page.html.includes('name="front"');
    const content = isIdentity ? { fields: { kind: 'passport' }, files: { front: document } } : { files: { file: document } };
    page = await visitor.submit(page, 'verification', content);
  }
}
