import * as fc from 'fast-check';
import { hashMessage, type Hex, parseEventLogs, toHex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { encodeIssue, encodeRedeem } from '../../../src/chain/token/calls.ts';
import { recoverSigner } from '../../../src/chain/signatures/ecdsa.ts';
import { messageProblem } from '../../../src/ledger/orders/payment-message.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { type Anvil, startAnvil } from '../../support/chain/anvil.ts';
import { connectLocalChain, fundedAccount, localAccount, type LocalChain, transact } from '../../support/chain/local-chain.ts';
import { deployToken } from '../../support/chain/token.ts';

const admin = fundedAccount(0);
const holder = localAccount(generatePrivateKey());
// Messages expire on chain, whose clock is that of this machine.
const now = Date.now();

let anvil: Anvil;
let chain: LocalChain;
beforeAll(async () => {
  anvil = await startAnvil({ blockTime: 1 });
  chain = connectLocalChain(anvil.url);
});
afterAll(() => anvil.stop());

/** Messages in every form of the grammar and beside it, each with an amount that it may or may not promise. */
const cents = fc.bigInt({ min: 1n, max: 10n ** 13n });
const written = fc
  .tuple(cents, fc.constantFrom('', '0', '000'), fc.constantFrom('full', 'short', 'three', 'none'))
  .map(([amount, zeros, form]) => {
    const [units, fraction] = [amount / 100n, (amount % 100n).toString().padStart(2, '0')];
    const decimals = {
      full: `.${fraction}`,
      short: fraction.endsWith('0') ? `.${fraction[0]}` : `.${fraction}`,
      three: `.${fraction}0`,
      none: '',
    }[form];
    return { amount, text: `${zeros}${units}${decimals}` };
  });
const iban = fc.constantFrom('DE89370400440532013000', 'DE89 3704 0044 0532 0130 00', 'DE89...3000', 'de89...3000');
const time = fc
  .tuple(fc.nat(10 ** 9), fc.constantFrom('Z', '+01:00', '.5Z', ' Z'))
  .map(([seconds, end]) => `${new Date(now + seconds * 1_000).toISOString().slice(0, 19)}${end}`);
const slip = fc.option(fc.tuple(fc.nat(60), fc.constantFrom(' ', '0', 'a', 'A', '.', '٣', '')), { nil: undefined, freq: 3 });
const candidate = fc.tuple(written, iban, time, slip).map(([{ amount, text }, iban, time, slip]) => {
  const message = `Send EUR ${text} to ${iban} at ${time}`;
  return { amount, message: slip === undefined ? message : message.slice(0, slip[0]) + slip[1] + message.slice(slip[0]) };
});

it('the token contract carries out every message that is accepted here', async () => {
  const token = await deployToken(chain, { admin });
  const endowment = { sequence: 0n, orderId: 'e'.repeat(32), account: holder.address, amount: minorUnits(10n ** 18n) };
  await transact(chain, { from: admin, to: token, data: encodeIssue([endowment]) });

  const candidates = fc.sample(candidate, 1_000);
  const accepted = candidates.filter(
    ({ amount, message }) =>
      messageProblem(
        message,
        { currency: 'eur', amount: minorUnits(amount), to: { standard: 'iban', iban: 'DE89370400440532013000' } },
        now,
      ) === undefined,
  );
  const distinct = [...new Map(accepted.map((each) => [each.message, each])).values()].slice(0, 150);
  expect(distinct.length).toBeGreaterThan(50);
  expect(distinct.length).toBeLessThan(candidates.length);

  const items = await Promise.all(
    distinct.map(async ({ amount, message }, index) => {
      const signature = otherForm(await holder.signMessage({ message }), index);
      expect(recoverSigner(hashMessage(message), signature)).toBe(holder.address.toLowerCase());
      const orderId = toHex(index, { size: 16 }).slice(2);
      return { orderId, account: holder.address, amount: minorUnits(amount), message, signature };
    }),
  );
  const { logs } = await transact(chain, { from: admin, to: token, data: encodeRedeem(items) });
  expect(parseEventLogs({ abi: eMoneyTokenAbi, logs, eventName: 'RedemptionRefused' })).toEqual([]);
  expect(parseEventLogs({ abi: eMoneyTokenAbi, logs, eventName: 'Redeemed' })).toHaveLength(items.length);
});

/** The other forms in which libraries write one signature: v as 0 or 1, and s in the upper half. */
function otherForm(signature: Hex, index: number): Hex {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const [r, s, v] = [signature.slice(2, 66), BigInt(`0x${signature.slice(66, 130)}`), Number(`0x${signature.slice(130)}`) - 27];
  const [highS, parity] = index % 2 === 0 ? [s, v] : [order - s, 1 - v];
  return `0x${r}${toHex(highS, { size: 32 }).slice(2)}${toHex(index % 3 === 0 ? parity : parity + 27, { size: 1 }).slice(2)}`;
}
