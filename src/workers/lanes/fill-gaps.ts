import type { Endpoint } from '../../chain/endpoints/endpoints.ts';
import { feeCeiling, newOffer } from '../../chain/fee-policy.ts';
import type { MarketReader } from '../../chain/market-reader.ts';
import type { Rpc } from '../../chain/endpoints/rpc.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type NewTransaction, recordTransaction } from '../../ledger/lanes/transactions.ts';
import { recordedNow } from '../../ledger/lanes/unmined-transactions.ts';
import type { Log } from '../../platform/log.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
import type { Alarms } from '../alarms.ts';
import { broadcast } from './broadcast.ts';
import { logFailedAnswer } from './tracking/failed-answer.ts';
import type { Nonces } from './nonces.ts';
import { selfTransferGasBound, signSelfTransfer } from './self-transfer.ts';
import type { WatchedSigner } from './watched-signer.ts';

interface GapDeps {
  ledger: Ledger;
  rpc: Rpc;
  /** Each endpoint of the network; without them, `rpc` alone. */
  endpoints?: readonly Endpoint[] | undefined;
  signer: WatchedSigner;
  network: NetworkSettings;
  market: Pick<MarketReader, 'forNew'>;
  log: Log;
}

/**
 * Fills what the sender has left of the free nonces below live transactions: each with a transfer of nothing to the signer itself, since nothing
 * above a free nonce can be mined. `block` is the head.
 */
export async function fillGaps(deps: GapDeps, nonces: Nonces, block: bigint): Promise<void> {
  const { ledger, signer, network, log } = deps;
  const gaps = nonces.gaps();
  if (gaps.length === 0) return;
  if (!(await signer.signs())) return;
  const market = await deps.market.forNew().catch((error: unknown) => logFailedAnswer(log, error));
  const fees = market && newOffer(market, feeCeiling(network, selfTransferGasBound));
  // Above the fee ceiling nothing is sent; the alarm lasts meanwhile.
  if (!fees) return;
  for (const nonce of gaps) {
    // Without a signature the gap stays, and the next turn tries again.
    const signed = await signSelfTransfer(deps, { nonce, fees }).catch(() => undefined);
    if (!signed) return;
    const { gasLimit, ...attempt } = signed;
    const lane = { chain: network.chain, signer: signer.address };
    const transfer = {
      ...lane,
      nonce,
      kind: 'cancel' as const,
      currency: null,
      gasLimit,
      sentAtBlock: block,
      attempt,
      legs: [],
    } satisfies NewTransaction;
    nonces.take(recordedNow(await recordTransaction(ledger, transfer), transfer));
    log.warn({ signer: signer.address, nonce: nonce.toString(), txHash: signed.hash }, 'a nonce gap is filled with a transfer of nothing');
    await broadcast(deps, signed);
  }
}

/** Shows the operator the gaps of a lane while there are any. */
export function alarmGaps({ alarms, signer: { address } }: { alarms: Alarms; signer: { address: string } }, nonces: Nonces): void {
  const gaps = nonces.gaps();
  if (gaps.length === 0) return alarms.clear('nonce_gap', address);
  alarms.raise(
    'nonce_gap',
    address,
    `No transaction has nonce ${gaps.join(', ')} of ${address}, and ${nonces.inFlight()} later ones wait. Legs fill it, or transfers of nothing ` +
      `to the signer itself; if this lasts, see whether the signer signs and can pay for gas.`,
  );
}
