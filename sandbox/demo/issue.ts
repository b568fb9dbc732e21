import type { Schemas } from '../../client/index.ts';
import { accountOf, type DemoContext, compareBalance, followOrder, linkAddress, waitFor } from './shared-steps.ts';

const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };

/** Issue: an address is linked, gets an IBAN, and receives tokens for credits from the bank. Returns the IBAN. */
export async function demonstrateIssue(context: DemoContext): Promise<string> {
  const { client, chains, printer } = context;
  const { home, other } = chains;
  const account = accountOf(context, 0);

  printer.step('A customer proves by a signature that an address is theirs');
  await linkAddress(context, account, home);
  if (other) await linkAddress(context, account, other);

  printer.step('The address receives an IBAN');
  await client.post('/ibans', { body: { address: account.address, chain: home } });
  const { iban, ...leadsTo } = await waitFor('The IBAN', async () => {
    const { ibans } = await client.get('/ibans');
    return ibans.find(({ state }) => state === 'approved');
  });
  printer.fact('IBAN', iban);
  // The profile of a used sandbox has an IBAN already, which stays as its user has set it.
  const isElsewhere = leadsTo.address !== account.address || leadsTo.chain !== home;
  if (isElsewhere)
    printer.fact('leads to', `${leadsTo.address} on ${leadsTo.chain}: the payer names the customer's address in the remittance text`);

  printer.step('Somebody pays 125.50 euro to the IBAN: the money becomes tokens at the address');
  const remittance = isElsewhere ? `${home}:${account.address}` : 'Invoice 7';
  await receive(context, { iban, amount: '125.50', currency: 'eur', payer, remittance });
  await compareBalance(context, home, account.address, 'eur');

  if (!other) return iban;
  printer.step('A payer names another chain in the remittance text: the tokens are issued there');
  await receive(context, { iban, amount: '20.00', currency: 'gbp', payer, remittance: `${other}:${account.address}` });
  await compareBalance(context, other, account.address, 'gbp');
  return iban;
}

async function receive(context: DemoContext, payment: Schemas['SandboxCredit']): Promise<void> {
  const { credit, order } = await context.client.post('/sandbox/credits', { body: payment });
  context.printer.fact('credit', credit.ledgerReference);
  await followOrder(context, order?.id as string);
}
