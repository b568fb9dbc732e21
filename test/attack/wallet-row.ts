import { randomBytes } from 'node:crypto';
import { getAddress } from 'viem';
import { createSiweMessage } from 'viem/siwe';
import { verdictTimeoutMs } from '../../src/ledger/orders/await-verdict.ts';
import { type LowerAddress, lowerAddress } from '../../src/platform/addresses.ts';
import { chainIds } from '../../src/platform/chains.ts';
import { form } from './form.ts';
import { until } from '../support/until.ts';
import type { Attack, Row } from './row.ts';

/** Timers end up to a millisecond early, and clocks are rounded. */
const clockToleranceMs = 10;

/** Pairs of sign-ins that are sent at once: fewer than the free attempts of a network address. */
const pairsAtOnce = 20;

/** What tells a linked address from an unknown one by its answer, by when it comes, or by what it makes nodes do. */
export const walletRow: Row = {
  name: 'sign-ins by wallet with a foreign signature, for a linked address and for an unknown one',
  times: { short: 3, long: 100 },
  bound: { processorMs: 100, megabytes: 500 },
  async run(attack, times) {
    const { ledger, wallet } = attack.target;
    const unknown: LowerAddress[] = [];
    const answers = new Set<string>();
    let soonestMs = Infinity;
    for (let sent = 0; sent < times; sent += pairsAtOnce) {
      const pairs = Array.from({ length: Math.min(pairsAtOnce, times - sent) }, async (_, number) => {
        const from = attack.api.address(sent + number);
        const stranger = lowerAddress(`0x${randomBytes(20).toString('hex')}`);
        unknown.push(stranger);
        const startedAt = performance.now();
        const answered = async (address: LowerAddress) => {
          answers.add(await signIn(attack, address, from));
          soonestMs = Math.min(soonestMs, performance.now() - startedAt);
        };
        await Promise.all([answered(wallet.address), answered(stranger)]);
      });
      await Promise.all(pairs);
    }
    // An answer does not wait for the ledger, which may record a check after it.
    const { all, ofLinked } = await until('every sign-in by the linked address is recorded', async () => {
      const checks = await ledger
        .selectFrom('signatureRequests')
        .where('address', 'in', [wallet.address, ...unknown])
        .select('address')
        .execute();
      const linked = checks.filter(({ address }) => address === wallet.address).length;
      return linked >= times ? { all: checks.length, ofLinked: linked } : undefined;
    });
    return [
      ...(answers.size === 1 && [...answers][0]?.includes('error=access_denied')
        ? []
        : [`the answers tell them apart: ${[...answers].join(', ')}`]),
      ...(soonestMs >= verdictTimeoutMs - clockToleranceMs ? [] : [`an answer came after ${soonestMs} ms`]),
      ...(ofLinked === times ? [] : [`nodes were asked ${ofLinked} times for ${times} sign-ins by a linked address`]),
      ...(ofLinked === all ? [] : [`nodes were asked ${all - ofLinked} times about unknown addresses`]),
    ];
  },
};

/** The answer to a message of an address that bytes of nobody sign. */
async function signIn({ api, target }: Attack, address: string, from: string): Promise<string> {
  const { clientId, redirectUri, privacyPolicyUrl, termsUrl, chain } = target.wallet;
  const message = createSiweMessage({
    domain: new URL(redirectUri).host,
    address: getAddress(address),
    statement: 'Allow Shop to access my data.',
    uri: redirectUri,
    version: '1',
    chainId: chainIds[chain],
    nonce: randomBytes(12).toString('hex'),
    issuedAt: new Date(),
    expirationTime: new Date(Date.now() + 300_000),
    resources: [`${target.origin}/siwe`, privacyPolicyUrl, termsUrl],
  });
  const fields = {
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: 'A'.repeat(43),
    authentication_method: 'siwe',
    message,
    signature: `0x${randomBytes(65).toString('hex')}`,
  };
  const { status, location } = await api.send({ ...form(new URLSearchParams(fields)), path: '/auth', from });
  return `${status} ${location}`;
}
