import type { Chain } from '../../platform/chains.ts';
import { describeRpcError } from '../node-answer.ts';
import { type Finding, warning } from './finding.ts';
import type { OpenSigner } from './network.ts';

const check = 'only here';

/**
 * Finds the signers of a network that are signers of other networks too. It reads no chain: only signers are opened, so another network's endpoints
 * need not answer. A signer of another network that cannot be opened here is a warning, because it may be the same key. Never throws.
 *
 * The reason: a payment message of an account with a key names no network. Each network's token burns it once, if the account holds enough
 * there. Whoever steals an operator's key has that power on every network on which the key operates.
 */
export async function findSharedKeys(chain: Chain, signers: Partial<Record<Chain, readonly OpenSigner[]>>): Promise<Finding[]> {
  const own = await addressesOf(signers[chain] ?? []);
  const findings: Finding[] = [];
  const users = new Map<string, Chain[]>();
  if (own.size === 0) return findings;
  for (const [other, opens = []] of Object.entries(signers) as [Chain, readonly OpenSigner[]][]) {
    if (other === chain) continue;
    const { unopened, addresses } = await openAll(other, opens);
    findings.push(...unopened);
    for (const address of addresses) if (own.has(address)) users.set(address, [...(users.get(address) ?? []), other]);
  }
  for (const [address, others] of users)
    findings.push({
      subject: `signer ${address}`,
      check,
      ...warning(
        `it is a signer of ${others.join(', ')} too: who steals its key can burn a holder's message once on each of these networks`,
        'give each network a signer of its own: mintrail signer create',
      ),
    });
  return findings;
}

async function openAll(chain: Chain, opens: readonly OpenSigner[]): Promise<{ addresses: Set<string>; unopened: Finding[] }> {
  const addresses = new Set<string>();
  const unopened: Finding[] = [];
  for (const [index, open] of opens.entries()) {
    try {
      addresses.add((await open()).address);
    } catch (error) {
      const result = warning(
        `not compared with this network's signers: ${describeRpcError(error)}`,
        'run this check where it can be opened',
      );
      unopened.push({ subject: `signer ${index + 1} of ${chain}`, check, ...result });
    }
  }
  return { addresses, unopened };
}

/** The addresses of the signers that can be opened; the check of their own network names the others. */
async function addressesOf(opens: readonly OpenSigner[]): Promise<Set<string>> {
  const addresses = new Set<string>();
  for (const open of opens)
    await open().then(
      (signer) => addresses.add(signer.address),
      () => undefined,
    );
  return addresses;
}
