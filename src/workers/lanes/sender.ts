import { type Hex, size } from 'viem';
import { chainFacts, largestTransactionGas } from '../../platform/chains.ts';
import { suggestFees } from '../../chain/fees.ts';
import { describeRevert, encodeIssue, encodeRedeem } from '../../chain/token/calls.ts';
import { isAlreadyKnown, revertData } from '../../chain/rpc.ts';
import { type ClaimedLeg, claimLegs, releaseClaims } from '../../ledger/lanes/legs.ts';
import { parkLane, unparkLane } from '../../ledger/lanes/parked-lanes.ts';
import { recordTransaction } from '../../ledger/lanes/transactions.ts';
import { messageOf } from '../../platform/errors.ts';
import type { LaneDeps } from './deps.ts';
import type { WatchedSigner } from './watched-signer.ts';

/** Transactions under way at once: what go-ethereum's pool keeps for one account without conditions. */
const maxInFlight = 16;

/** An estimate holds for the state it was made on; the transaction may meet another one. */
const gasMargin = (estimate: bigint) => estimate + estimate / 5n;

/** Pause before a parked lane probes again, in milliseconds. Probing is an estimate: it costs nothing. */
const probeInterval = 5_000;

export interface LaneSender {
  nonce: bigint;
  inFlight: number;
  /** Sends all that is ready, as far as the lane has room. `block` is the head. */
  sendReady(block: bigint): Promise<void>;
}

type Estimate = { gas: bigint } | { refused: string } | { tooLarge: true };

/** The sending half of a lane that is held. Whoever gets an error from it drops the lane and begins anew from the ledger. */
export function createLaneSender(deps: LaneDeps & { signer: WatchedSigner }, firstNonce: bigint): LaneSender {
  const { ledger, rpc, signer, network, log } = deps;
  const { chain } = network;
  const { id: chainId, transactionBytes } = chainFacts(chain);
  const gasCap = largestTransactionGas(chain);
  const parked = new Map<string, number>();
  let limit = network.maxBatch;

  const sender: LaneSender = { nonce: firstNonce, inFlight: 0, sendReady };

  async function sendReady(block: bigint): Promise<void> {
    if (!(await signer.signs())) return;
    while (sender.inFlight < maxInFlight && signer.outage() === undefined && (parked.get('gas') ?? 0) <= Date.now()) {
      const stillParked = [...parked].filter(([, until]) => until > Date.now()).map(([scope]) => scope);
      const legs = await claimLegs(ledger, { chain, signer: signer.address, limit, tokens: network.tokens, parked: stillParked });
      if (legs.length === 0) return;
      await send(legs, block);
    }
  }

  async function send(legs: ClaimedLeg[], block: bigint): Promise<void> {
    const [first] = legs as [ClaimedLeg];
    const scope = `${first.kind} ${first.currency}`;
    const to = network.tokens[first.currency] as Hex;
    const data = encode(legs);
    const [estimate, fees, money] = await Promise.all([
      estimateGas(to, data),
      suggestFees(rpc),
      rpc.getBalance({ address: signer.address }),
    ]);
    if ('tooLarge' in estimate) {
      limit = Math.max(1, Math.floor(legs.length / 2));
      await giveBack(legs.length === 1 ? { scope, reason: 'one order alone is too large for a transaction of this network' } : undefined);
      return;
    }
    if ('refused' in estimate) {
      await giveBack({ scope, reason: estimate.refused });
      return;
    }
    const gasLimit = gasMargin(estimate.gas) < gasCap ? gasMargin(estimate.gas) : gasCap;
    if (money < gasLimit * fees.maxFeePerGas) {
      await giveBack({
        scope: 'gas',
        reason: `${signer.address} holds ${money} wei and may need ${gasLimit * fees.maxFeePerGas} for gas: send it more`,
      });
      return;
    }
    await unpark(scope);
    await unpark('gas');
    limit = Math.min(limit * 2, network.maxBatch);
    const nonce = sender.nonce;
    const signed = await trySigning({
      type: 'eip1559',
      chainId,
      nonce: Number(nonce),
      to,
      data,
      gas: gasLimit,
      ...fees,
    });
    if (!signed) {
      await giveBack(undefined);
      return;
    }
    const { raw, hash } = signed;
    await recordTransaction(ledger, {
      chain,
      signer: signer.address,
      nonce,
      kind: first.kind,
      currency: first.currency,
      gasLimit,
      sentAtBlock: block,
      attempt: { raw, hash, ...fees },
      legs: legs.map((leg) => leg.id),
    });
    sender.nonce += 1n;
    sender.inFlight += 1;
    log.info(
      { signer: signer.address, nonce: nonce.toString(), txHash: hash, kind: first.kind, currency: first.currency, legs: legs.length },
      'transaction sent',
    );
    await broadcast(raw, hash);
  }

  /** Nothing is recorded before this: without an answer the legs go to another lane, or out under the same nonce later. */
  function trySigning(transaction: Parameters<WatchedSigner['sign']>[0]): Promise<{ raw: Hex; hash: Hex } | undefined> {
    return signer.sign(transaction).catch(() => undefined);
  }

  /** From here on the transaction is recorded: a failure to broadcast is mended by the tracker, which sends it again. */
  async function broadcast(raw: Hex, hash: Hex): Promise<void> {
    try {
      await rpc.sendRawTransaction({ serializedTransaction: raw });
    } catch (error) {
      if (!isAlreadyKnown(error)) log.warn({ txHash: hash, err: messageOf(error) }, 'broadcast failed; it will be repeated');
    }
  }

  async function estimateGas(to: Hex, data: Hex): Promise<Estimate> {
    // A node would estimate it, and refuse it only when it is broadcast, after it was recorded.
    if (size(data) > transactionBytes) return { tooLarge: true };
    try {
      const gas = await rpc.estimateGas({ account: signer.address, to, data });
      return gas > gasCap ? { tooLarge: true } : { gas };
    } catch (error) {
      const revert = revertData(error);
      if (revert !== undefined && revert !== '0x') return { refused: describeRevert(revert) };
      if (/exceeds allowance|out of gas|gas limit|gas cap/i.test(messageOf(error))) return { tooLarge: true };
      throw error;
    }
  }

  /** Nothing was sent: the legs stay ready, for another lane too. */
  async function giveBack(park: { scope: string; reason: string } | undefined): Promise<void> {
    await releaseClaims(ledger, chain, signer.address);
    if (!park) return;
    const { scope, reason } = park;
    if (!parked.has(scope))
      log.error({ signer: signer.address, scope, reason }, 'the lane is parked: nothing of this goes out until the cause is mended');
    parked.set(scope, Date.now() + probeInterval);
    await parkLane(ledger, { chain, signer: signer.address, scope, reason });
  }

  async function unpark(scope: string): Promise<void> {
    if (!parked.delete(scope)) return;
    log.info({ signer: signer.address, scope }, 'the lane sends again');
    await unparkLane(ledger, chain, signer.address, scope);
  }

  return sender;
}

function encode(legs: ClaimedLeg[]): Hex {
  if (legs[0]?.kind === 'issue') return encodeIssue(legs.map((leg) => ({ ...leg, sequence: leg.sequence as bigint })));
  return encodeRedeem(legs.map((leg) => ({ ...leg, message: leg.message ?? '', signature: (leg.signature ?? '0x') as Hex })));
}
