import type { Hex } from 'viem';
import { createEndpoints, rpcQuorum } from '../../chain/endpoints/endpoints.ts';
import { createEvidence, type Evidence } from '../../chain/evidence/evidence.ts';
import type { Rpc } from '../../chain/endpoints/rpc.ts';
import { isItemDecided } from '../../chain/token/item-effect.ts';
import type { FailingLeg } from '../../ledger/lanes/lone-reverts.ts';
import { chainFacts } from '../../platform/chains.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { NetworkSettings } from '../../platform/settings.ts';

/** What is final of a failing leg: it can never happen, or it has happened. */
export interface FinalLeg {
  leg: FailingLeg;
  possibility: 'never' | 'happened';
}

/** Finds out which failing legs can never happen. */
export interface LegPossibility {
  /**
   * Returns what has become final of failing legs since the last call. `head` is the head. Never throws: an endpoint that does not answer proves
   * nothing. One that hangs holds up the caller for a second at most: the result is then returned by a later call.
   */
  examine(legs: readonly FailingLeg[], head: bigint): Promise<FinalLeg[]>;
}

interface LegPossibilityDeps {
  network: NetworkSettings;
  log: Log;
  /** By default that of the network's endpoints. */
  evidence?: Evidence | undefined;
}

/** What a quorum said of a leg by the state behind a block. */
interface Sighting {
  possibility: FinalLeg['possibility'];
  failures: number;
  block: bigint;
  hash: Hex;
}

/** What one endpoint says of a block and of legs by the state behind it; a leg of which it does not know is missing. */
interface Testimony {
  hash: Hex;
  possibilities: Map<string, FinalLeg['possibility'] | 'open'>;
}

/** A round of requests that takes longer than this goes on while its caller does something else. */
const longestWaitMs = 1_000;

/** The state is read so far below the head that endpoints that lag a little have it, too. */
const lagSeconds = 4;

/**
 * Creates what examines the failing legs of a network. A leg can never happen when behind a final block every nonce of its transactions is used, the
 * contract has decided neither its message nor its sequence number, and has not done so since. Full nodes have no state as old as a final block of
 * many networks. So the state of a new block is read, as many endpoints as the quorum must say the same of it, and it counts once the confirmation
 * policy covers that very block, by its hash. What was read is held in memory: after a restart it is read anew.
 */
export function createLegPossibility({ network, log, evidence: shared }: LegPossibilityDeps): LegPossibility {
  const quorum = rpcQuorum(network);
  const depth = BigInt(Math.max(2, Math.ceil(lagSeconds / chainFacts(network.chain).blockTimeSeconds)));
  const sightings = new Map<string, Sighting>();
  let evidence = shared;
  let running: Promise<void> | undefined;
  let final: FinalLeg[] = [];

  async function examineAll(legs: readonly FailingLeg[], head: bigint): Promise<void> {
    forgetOthers(legs);
    evidence ??= createEvidence(network, createEndpoints(network, undefined, { checksChain: true }));
    const { upTo, answers } = await evidence.confirmedBlock(head);
    const usable = answers.flatMap((answer) => (answer.state === 'usable' ? [answer] : []));
    const due = legs.filter(({ id }) => (sightings.get(id)?.block ?? -1n) <= (upTo ?? -1n));
    if (due.length === 0 || usable.length < quorum) return;
    const block = head > depth ? head - depth : 0n;
    const testimonies = await testimoniesOf(usable, ({ endpoint }) => testify(endpoint.rpc, due, block));
    const hash = agreed(testimonies.map((testimony) => testimony.hash));
    if (hash === undefined) return;
    for (const leg of due) {
      const possibility = agreed(testimonies.flatMap(({ possibilities }) => possibilities.get(leg.id) ?? []));
      if (possibility === undefined) continue;
      const sighting = sightings.get(leg.id);
      if (sighting && sighting.possibility === possibility) {
        const witnesses = usable.filter((witness) => witness.upTo >= sighting.block);
        const hashes = await testimoniesOf(witnesses, ({ endpoint }) => hashOf(endpoint.rpc, sighting.block));
        const finalHash = agreed(hashes);
        if (finalHash === undefined) continue;
        if (finalHash === sighting.hash) final.push({ leg, possibility });
      }
      if (possibility === 'open') sightings.delete(leg.id);
      else sightings.set(leg.id, { possibility, failures: leg.failures, block, hash });
    }
  }

  /** What was said of a leg that has failed since concerns transactions of which not all were known. */
  function forgetOthers(legs: readonly FailingLeg[]): void {
    for (const [id, { failures }] of sightings) if (!legs.some((leg) => leg.id === id && leg.failures === failures)) sightings.delete(id);
  }

  /** What at least a quorum says and nobody contradicts. */
  function agreed<T>(said: readonly T[]): T | undefined {
    return said.length >= quorum && said.every((value) => value === said[0]) ? said[0] : undefined;
  }

  return {
    async examine(legs, head) {
      running ??= examineAll(legs, head)
        .catch((error: unknown) => log.warn({ err: messageOf(error) }, 'whether failing legs can still happen is not known'))
        .finally(() => {
          running = undefined;
        });
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([running, new Promise((resolve) => (timer = setTimeout(resolve, longestWaitMs)))]);
      clearTimeout(timer);
      const returned = final;
      final = [];
      return returned;
    },
  };
}

/** The answers of the witnesses that answer. */
async function testimoniesOf<W, T>(witnesses: readonly W[], ask: (witness: W) => Promise<T>): Promise<T[]> {
  const results = await Promise.allSettled(witnesses.map((witness) => ask(witness)));
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/** Throws when the block is replaced meanwhile: the state may be that of another. */
async function testify(rpc: Rpc, legs: readonly FailingLeg[], block: bigint): Promise<Testimony> {
  const hash = await hashOf(rpc, block);
  const possibilities: Testimony['possibilities'] = new Map();
  await Promise.allSettled(legs.map(async (leg) => possibilities.set(leg.id, await possibilityAt(rpc, leg, block))));
  if ((await hashOf(rpc, block)) !== hash) throw new Error(`block ${block} was replaced`);
  return { hash, possibilities };
}

async function hashOf(rpc: Rpc, blockNumber: bigint): Promise<Hex> {
  const { hash } = await rpc.getBlock({ blockNumber });
  return hash;
}

async function possibilityAt(rpc: Rpc, leg: FailingLeg, block: bigint): Promise<FinalLeg['possibility'] | 'open'> {
  const [isDecided, isDecidedNow, ...isUsed] = await Promise.all([
    isItemDecided(rpc, leg.item, block),
    isItemDecided(rpc, leg.item, 'latest'),
    ...leg.nonces.map(async ({ signer, nonce }) => BigInt(await rpc.getTransactionCount({ address: signer, blockNumber: block })) > nonce),
  ]);
  if (!isUsed.every(Boolean) || isDecided !== isDecidedNow) return 'open';
  return isDecided ? 'happened' : 'never';
}
