import type { Hex } from 'viem';
import type { Signer } from '../../chain/signers/signer.ts';
import type { SignatureGasReader } from '../../chain/token/signature-gas.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { groupName, hasReadyLegs, type LegGroup, listReadyGroups, nextContractAccounts } from '../../ledger/lanes/leg-groups.ts';
import { type ClaimedLeg, claimLegs } from '../../ledger/lanes/legs.ts';
import { type NetworkWork, readNetworkWork } from '../../ledger/lanes/network-work.ts';
import { largestTransactionGas } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
import { createImportRest } from '../pacing/import-rest.ts';

interface ClaimsDeps {
  ledger: Ledger;
  signer: Pick<Signer, 'address'>;
  network: Pick<NetworkSettings, 'chain' | 'tokens' | 'maxBatch'>;
  /** The time in milliseconds; by default the process's clock. */
  now?: (() => number) | undefined;
}

/** What a lane takes next: groups of legs take turns, and within the redemptions signed by contracts their accounts do. */
export interface Claims {
  /** The groups that have something to claim, beginning behind the one that was claimed last; none while it rests from a long look during an import. */
  readyGroups(): Promise<LegGroup[]>;
  /** The same, with the duties of the network. */
  look(): Promise<NetworkWork>;
  /** Milliseconds after which a look is due, because it rests; undefined while it does not. */
  restMs(): number | undefined;
  /** Claims a batch of a group; empty when another lane was quicker, or all accounts with redemptions wait. */
  claim(group: LegGroup, block: bigint): Promise<ClaimedLeg[]>;
  /** Whether a batch of the group would be full. What contracts signed may have to wait, so that it is not known of them. */
  fillsBatch(group: LegGroup): Promise<boolean>;
  /** Whether the last claim, of so many legs, was of as many as a batch of its group can have: more may be ready. */
  wasFull(legs: number): boolean;
  /** A batch of this many legs was more than a transaction can carry: the next of its group has half as many. */
  halve(group: LegGroup, legs: number): void;
  /** A batch of the group can be sent: the next may be twice as large as the last. */
  grow(group: LegGroup): void;
}

/** Creates the claims of a lane. */
export function createClaims(
  { ledger, signer, network, now = () => performance.now() }: ClaimsDeps,
  signatureGas: SignatureGasReader,
): Claims {
  const { chain, tokens, maxBatch } = network;
  const currencies = Object.keys(tokens) as Currency[];
  const limits = new Map<string, number>();
  const lastAccounts = new Map<Currency, string>();
  let lastGroup = '';
  let lastLimit = 0;
  const rest = createImportRest(ledger, now);
  const limitOf = (group: LegGroup) => limits.get(groupName(group)) ?? maxBatch;

  /** What was found by a look that began at `startedAt`. */
  async function inTurns(ready: LegGroup[], startedAt: number): Promise<LegGroup[]> {
    if (ready.length === 0) await rest.lookedInVain(now() - startedAt);
    const groups = ready.toSorted((a, b) => (groupName(a) < groupName(b) ? -1 : 1));
    const next = groups.findIndex((group) => groupName(group) > lastGroup);
    return next <= 0 ? groups : [...groups.slice(next), ...groups.slice(0, next)];
  }

  async function claimInTurns(group: LegGroup, block: bigint): Promise<ClaimedLeg[]> {
    const { currency } = group;
    const limit = Math.min(limitOf(group), await mostContractItems(currency));
    lastLimit = limit;
    const after = lastAccounts.get(currency) ?? '';
    const turn = await nextContractAccounts(ledger, { chain, currency, after, block, limit });
    lastAccounts.set(currency, turn.last ?? '');
    if (turn.accounts.length > 0)
      return claimLegs(ledger, { chain, signer: signer.address, group, limit, tokens, block, accounts: turn.accounts });
    // Those before the last account have their turn now.
    return turn.last === null && after !== '' ? claimInTurns(group, block) : [];
  }

  /** More than this many stipends fit into no transaction. */
  async function mostContractItems(currency: Currency): Promise<number> {
    const most = largestTransactionGas(chain) / (await signatureGas.read(tokens[currency] as Hex));
    return Math.max(1, Number(most));
  }

  return {
    async look() {
      if (rest.leftMs() > 0) return readNetworkWork(ledger, chain, []);
      const startedAt = now();
      const { duties, groups } = await readNetworkWork(ledger, chain, currencies);
      return { duties, groups: await inTurns(groups, startedAt) };
    },
    async readyGroups() {
      if (rest.leftMs() > 0) return [];
      const startedAt = now();
      return inTurns(await listReadyGroups(ledger, chain, currencies), startedAt);
    },
    restMs: () => rest.leftMs() || undefined,
    async claim(group, block) {
      lastGroup = groupName(group);
      if (group.signedBy === 'contract' && !group.isRetry) return claimInTurns(group, block);
      lastLimit = limitOf(group);
      return claimLegs(ledger, { chain, signer: signer.address, group, limit: lastLimit, tokens, block });
    },
    async fillsBatch(group) {
      return group.signedBy !== 'contract' && !group.isRetry && hasReadyLegs(ledger, chain, group, limitOf(group));
    },
    wasFull: (legs) => legs >= lastLimit,
    halve(group, legs) {
      limits.set(groupName(group), Math.max(1, Math.floor(legs / 2)));
    },
    grow(group) {
      limits.set(groupName(group), Math.min(limitOf(group) * 2, maxBatch));
    },
  };
}
