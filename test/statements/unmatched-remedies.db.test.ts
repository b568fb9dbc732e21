import { describe, expect, it } from 'vitest';
import { unmatchedReasons } from '../../src/bank/iso20022/camt/entry.ts';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import { matchAgain, matchCredit } from '../../src/ledger/bank/unmatched/match-unmatched.ts';
import { matchToPayment, planPaymentMatch } from '../../src/ledger/bank/returns/payment-match.ts';
import { explainDebit } from '../../src/ledger/bank/debits/explain-debit.ts';
import { repeatCredit } from '../../src/ledger/bank/unmatched/repeat-credit.ts';
import { waitingMoney } from '../../src/ledger/bank/waiting-money.ts';
import { returnCredit } from '../../src/ledger/bank/unmatched/return-credit.ts';
import { settleCredit } from '../../src/ledger/bank/unmatched/settle-credit.ts';
import { remediesOf } from '../../src/ledger/bank/unmatched/unmatched-remedies.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { holdReasons } from '../../src/statements/money/money.ts';
import { boundsOf } from '../../src/problems/bounds.ts';
import { ledgerProblems } from '../../src/problems/ledger-problems.ts';
import { payeeIban, payerIban, randomHash, testPayments } from '../ledger/bank/payments-ledger.ts';

const at = testPayments({ isShared: true });

const options = { source: 'test', defaultMemo: 'memo', tokens: ['chiado:eur'] };
const settings = loadSettings({ DATABASE_URL: 'postgres://unused' });
const reasons = [null, ...unmatchedReasons, ...holdReasons];

async function unmatched(railReason: string | null): Promise<string> {
  const reference = randomHash();
  const credit = {
    reference,
    bankAccount: 'sandbox',
    iban: at.customer.iban,
    currency: 'eur',
    amount: minorUnits(1250n),
    payer: { name: 'Jón', iban: payerIban },
    unmatched: 'for a reason',
    ...(railReason !== null && { railReason }),
  };
  const [recorded] = await recordCredits(at.ledger, [credit], options);
  expect(recorded?.state).toBe('unmatched');
  return reference;
}

/** What the commands of `remediesOf` call, by the command. */
const remedies: [RegExp, (reference: string) => Promise<unknown>][] = [
  [/^mintrail bank match REF$/, (reference) => matchCredit(at.ledger, reference, options)],
  [
    /^mintrail bank match REF --payment ID$/,
    async (reference) => {
      const { id } = await at.sentPayout();
      await at.decide(id, null);
      await matchToPayment(at.ledger, await planPaymentMatch(at.ledger, reference, id));
    },
  ],
  [
    /^mintrail bank match REF --again --iban IBAN --reason TEXT$/,
    (reference) => matchAgain(at.ledger, { reference, iban: at.customer.iban, reason: 'the payer says so' }, options),
  ],
  [
    /^mintrail bank repeat REF$/,
    async (reference) => {
      const other = await unmatched(null);
      await repeatCredit(at.ledger, reference, [other]);
      await settleCredit(at.ledger, { reference: other, as: 'own', reason: 'mine', operator: 'jane' });
    },
  ],
  [/^mintrail bank return REF$/, (reference) => returnCredit(at.ledger, reference)],
  [
    /^mintrail bank return REF --to-iban IBAN --to-name NAME$/,
    (reference) => returnCredit(at.ledger, reference, { name: 'Jane', iban: payeeIban }),
  ],
  [
    /^mintrail bank settle REF --as own\|difference:DEBIT\|debit --reason TEXT$/,
    async (reference) => {
      await settleCredit(at.ledger, { reference, as: 'debit', reason: 'it left', operator: 'jane' });
      await explainDebit(at.ledger, reference, { explanation: { as: 'own' }, reason: 'mine', operator: 'jane' });
    },
  ],
  [
    /^mintrail bank settle REF --as own\|difference:DEBIT --reason TEXT$/,
    (reference) => settleCredit(at.ledger, { reference, as: 'own', reason: 'mine', operator: 'jane' }),
  ],
];

describe('money that is unmatched', () => {
  it.each(reasons)('for the reason %s has remedies, each of which ends it', async (reason) => {
    expect(remediesOf(reason)).not.toEqual([]);
    for (const command of remediesOf(reason)) {
      const reference = await unmatched(reason);
      const [, apply] = remedies.find(([pattern]) => pattern.test(command)) ?? [];
      await apply?.(reference);
      expect([command, (await at.credit(reference)).state]).toEqual([
        command,
        expect.stringMatching(/^(matched|returned|settled|repeated)$/),
      ]);
    }
    expect(await waitingMoney(at.ledger)).toEqual([]);
  });

  it('is one problem of status, with its oldest credit and the remedy', async () => {
    const oldest = await unmatched('sum_differs');
    await unmatched(null);
    const problems = await ledgerProblems(at.ledger, boundsOf(settings, new Date()));
    expect(problems.filter(({ kind }) => kind === 'credits_unmatched')).toEqual([
      {
        kind: 'credits_unmatched',
        chain: '',
        subject: 'credits',
        since: expect.any(Date),
        text: `2 unmatched credits wait; the oldest is ${oldest} (for a reason): \`mintrail bank unmatched\` names a remedy for each`,
      },
    ]);
  });
});
