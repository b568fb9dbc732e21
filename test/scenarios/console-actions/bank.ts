import { expect } from 'vitest';
import { linkMessage } from '../../../client/index.ts';
import { sandboxPayees } from '../../../src/bank/sandbox-rail.ts';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import { creditTo } from '../../support/credits.ts';
import { until } from '../../support/until.ts';
import { recallXml } from '../../bank/iso20022/recalls/recall-xml.ts';
import { onboard, redeem } from '../customers.ts';
import { type ConsoleWorld, creditEntry, debitEntry, hostile, nobody } from './world.ts';

/** Amounts of the credits that the bank takes back, by their references. */
const takenBack = { 'TAKEN-1': '31.00', 'TAKEN-2': '32.00', 'TAKEN-3': '33.00' };

/** A report of one payment, which the bank makes under two references and two numbers of the invoice. */
function twin(reference: string, iban: string) {
  return creditEntry(reference, '40.00', iban, { EndToEndId: `INVOICE-8 ${reference}`, UETR: '6bd41a0c-2f5e-4d0b-9c6e-0c8f2a1b7d3e' });
}

/** What a treasurer does with the files of a day: the first brings credits, the second takes some back. */
export function bankExercises(world: ConsoleWorld) {
  const { client, ledger, account, asker, byOne, byTwo, upload, card, reaches, orderOf, creditState } = world;
  const debitState = async (reference: string) =>
    (await ledger.selectFrom('bankDebits').where('reference', 'like', `%${reference}`).select('state').executeTakeFirstOrThrow()).state;
  const claimRow = async (reference: string) => {
    await asker.open('/bank/claims');
    return asker.row(reference);
  };
  return {
    'bank.import': async () => {
      const credits = Object.entries(takenBack).map(([reference, amount]) => creditEntry(reference, amount, world.anna.iban));
      const strangers = [
        creditEntry('STRAY-1', '11.11', nobody, { name: hostile }),
        creditEntry('STRAY-2', '5.55', nobody),
        creditEntry('STRAY-3', '31.00', nobody),
      ];
      await upload(account.statement([...credits, ...strangers]));
      await asker.open('/bank/files');
      await asker.row('3 unmatched').click();
      await asker.page.getByRole('heading', { name: 'What it did' }).waitFor();
      expect(await creditState('STRAY-1')).toBe('unmatched');
    },
    'bank.return': async () => {
      await byTwo({ button: asker.button('Return', await card('STRAY-1')) });
      expect(await creditState('STRAY-1')).toBe('returned');
      await until('the return is booked', async () => {
        const payment = await ledger.selectFrom('payments').where('kind', '=', 'return').select(['state', 'amount']).executeTakeFirst();
        return payment?.state === 'accepted' || undefined;
      });
    },
    'bank.settle': async () => {
      await byTwo({ button: asker.button('Settle', await card('STRAY-2')), reason: hostile });
      expect(await creditState('STRAY-2')).toBe('settled');
    },
    'bank.match': async () => {
      const customer = await onboard(client);
      const { profile } = customer;
      const { address } = customer.account;
      await asker.open(`/customers/${profile}`);
      await byTwo({ button: asker.button('Release') });
      await upload(account.statement([creditEntry('STRAY-4', '17.00', customer.iban)]));
      expect(await creditState('STRAY-4')).toBe('unmatched');
      const signature = await customer.account.signMessage({ message: linkMessage });
      await client.post('/addresses', { body: { profile, address, chain: 'chiado', signature } });
      await byTwo({ button: asker.button('Match', await card('STRAY-4')) });
      await reaches(await orderOf('STRAY-4'), 'processed');
    },
    'bank.repeat': async () => {
      for (const reference of ['TWIN-1', 'TWIN-2']) await upload(account.notification([twin(reference, world.anna.iban)]));
      await reaches(await orderOf('TWIN-1'), 'processed');
      await upload(account.statement([twin('TWIN-1', world.anna.iban)]));
      await byTwo({ button: asker.button('Repeat', await card('TWIN-2')) });
      expect(await creditState('TWIN-2')).toBe('repeated');
    },
    'bank.not-booked': async () => {
      const bookedOn = new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10);
      await upload(account.notification([{ ...creditEntry('NEVER-1', '7.77', nobody), bookedOn }]));
      await asker.open('/bank/statements');
      await byTwo({ button: asker.button('Not booked'), reason: hostile });
      expect(await creditState('NEVER-1')).toBe('reversed');
    },
    'bank.accept-gap': async () => {
      for (const reference of Object.keys(takenBack)) await reaches(await orderOf(reference), 'processed');
      const reversals = Object.entries(takenBack).map(([reference, amount]) => debitEntry(reference, amount, { reversal: true }));
      await upload(account.statement([...reversals, debitEntry('CHARGED', '2.50', { info: hostile })], { missing: 1 }));
      await asker.open('/bank/statements');
      await byOne({ button: asker.button('Accept gap'), reason: hostile });
      const { gapReason } = await ledger
        .selectFrom('bankStatements')
        .where('gap', 'is not', null)
        .select('gapReason')
        .executeTakeFirstOrThrow();
      expect(gapReason).toBe(hostile);
    },
    'bank.recover-claim': async () => {
      const reference = (
        await ledger.selectFrom('credits').where('reference', 'like', '%STRAY-3').select('reference').executeTakeFirstOrThrow()
      ).reference;
      await byTwo({
        button: asker.button('Recover', await claimRow('TAKEN-1')),
        fill: async (dialog) => dialog.getByLabel('Unmatched credit with which it is paid').fill(reference),
      });
      expect(await creditState('STRAY-3')).toBe('settled');
    },
    'bank.write-off-claim': async () => {
      await byTwo({ button: asker.button('Write off', await claimRow('TAKEN-2')), reason: hostile });
    },
    'bank.undo-claim': async () => {
      await byTwo({ button: asker.button('Undo', await claimRow('TAKEN-3')), reason: hostile });
      expect(await debitState('TAKEN-3')).toBe('unexplained');
      const claims = await ledger.selectFrom('claims').where('state', '!=', 'void').select(['credit', 'state']).orderBy('credit').execute();
      expect(claims.map(({ state }) => state)).toEqual(['recovered', 'written_off']);
    },
    'bank.explain': async () => {
      await asker.open('/bank/debits');
      await byTwo({
        button: asker.button('Explain', asker.row('33.00')),
        fill: async (dialog) => {
          await dialog.getByLabel('What it was').selectOption('own');
          await dialog.getByLabel('Of which payments, credits or debits').fill('');
        },
        reason: hostile,
      });
      expect(await debitState('TAKEN-3')).toBe('explained');
      await asker.open('/bank/debits');
      await byTwo({
        button: asker.button('Explain', asker.row('2.50')),
        fill: async (dialog) => dialog.getByLabel('What it was').selectOption('fee'),
        reason: hostile,
      });
      expect(await debitState('CHARGED')).toBe('explained');
    },
    'bank.accept-recall': async () => {
      await upload(account.statement([creditEntry('STRAY-5', '4.44', nobody)]));
      const settledOn = new Date().toISOString().slice(0, 10);
      await upload(
        recallXml(
          { transactionId: 'STRAY-5', amount: '4.44', settledOn },
          { cancellationId: 'CXL-2', transactionId: 'NEVER', amount: '6.66' },
        ),
      );
      await asker.open('/bank/recalls');
      await byTwo({ button: asker.button('Accept', asker.row('4.44')) });
      expect(await creditState('STRAY-5')).toBe('returned');
    },
    'bank.refuse-recall': async () => {
      await asker.open('/bank/recalls');
      await byOne({
        button: asker.button('Refuse', asker.row('6.66')),
        fill: async (dialog) => dialog.getByLabel('Why').selectOption('NOOR'),
      });
      const answers = await ledger.selectFrom('recalls').orderBy('answer').select(['answer', 'reason']).execute();
      expect(answers).toEqual([
        { answer: 'accepted', reason: null },
        { answer: 'refused', reason: 'NOOR' },
      ]);
    },
    'bank.undo-recall': async () => {
      const answeredAt = new Date(Date.now() - 6 * 86_400_000);
      await ledger.updateTable('recalls').set({ answeredAt }).where('answer', '=', 'accepted').execute();
      await asker.open('/bank/recalls');
      await byTwo({ button: asker.button('Undo', asker.row('4.44')), reason: hostile });
      expect(await creditState('STRAY-5')).toBe('unmatched');
    },
    'bank.reject-payment': async () => {
      const order = await redeem(client, world.anna, '12.34', sandboxPayees.slow);
      const payment = await until('the payout is sent', async () => {
        const row = await ledger.selectFrom('payments').where('state', '=', 'sent').select(['id', 'state']).executeTakeFirst();
        return row?.id;
      });
      expect(payment).toBeTruthy();
      world.orders.rejected = order;
      await world.block(world.anna.account.address);
      await asker.open('/bank/payments?state=sent');
      await byTwo({ button: asker.button('Reject', asker.row('12.34')), reason: hostile });
    },
    'orders.give-back': async () => {
      const order = world.orders.rejected;
      await asker.open(`/orders/${order}`);
      await asker.page.getByText('Only an operator can end this order.').waitFor();
      await world.unblock(world.anna.account.address);
      await byTwo({ button: asker.button('Give back'), reason: hostile });
      await reaches(order, 'rejected');
    },
    'orders.release': async () => {
      // In the sandbox nothing waits by itself.
      const options = { source: 'sandbox', defaultMemo: 'memo', tokens: ['chiado:eur'], dustWaitSeconds: 3_600 };
      const [recorded] = await recordCredits(ledger, [creditTo(world.anna.iban, 50n)], options);
      await asker.open('/networks');
      await byOne({
        button: asker.button('Send what waits'),
        reason: hostile,
      });
      await reaches(recorded?.orderId as string, 'processed');
    },
    'reserve.acknowledge': async () => {
      await upload(account.statement([], { wrongBy: 700 }));
      await asker.open('/');
      await byTwo({
        button: asker.button('Acknowledge'),
        fill: async (dialog) => dialog.getByLabel('What explains it').fill('7.00 the bank will correct it'),
        reason: hostile,
      });
      await asker.open('/');
      expect(await asker.button('Acknowledge').count()).toBe(0);
    },
  };
}
