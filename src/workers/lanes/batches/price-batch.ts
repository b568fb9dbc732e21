import { formatGwei, formatUnits, type Hex, size } from 'viem';
import type { AgreedMarket } from '../../../chain/agreed-market.ts';
import { feeCeiling, newOffer, unprovenTip } from '../../../chain/fee-policy.ts';
import type { FeeMarket, Fees } from '../../../chain/fees.ts';
import { l1DataFee } from '../../../chain/l1-data-fee.ts';
import type { MarketReader } from '../../../chain/market-reader.ts';
import type { Rpc } from '../../../chain/endpoints/rpc.ts';
import type { Signer } from '../../../chain/signers/signer.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { type UnminedCost, unminedCost } from '../../../ledger/lanes/unmined-transactions.ts';
import { chainFacts } from '../../../platform/chains.ts';
import { type NetworkSettings, networkVariable } from '../../../platform/settings.ts';
import type { Nonces } from '../nonces.ts';
import type { GasMoney } from './gas-money.ts';
import { feeScope, gasScope, type Obstacle } from '../parked-scopes.ts';

/** Bytes of a signed transaction besides its calldata, with fees and gas of any size. */
const envelopeBytes = 160;

const nothingUnmined: UnminedCost = { transactions: 0, gasWei: 0n, longestBytes: 0 };

/** What the fees of a batch depend on. */
interface PriceDeps {
  ledger: Ledger;
  rpc: Rpc;
  market: Pick<MarketReader, 'forNew'>;
  gasMoney: GasMoney;
  nonces: Pick<Nonces, 'inFlight'>;
  signer: Pick<Signer, 'address'>;
  network: NetworkSettings;
}

/** A batch as far as its price depends on it. */
export interface BatchSize {
  data: Hex;
  gasLimit: bigint;
  /** Whether a part of it could be sent alone. */
  isDivisible: boolean;
}

/** The fees that a batch offers and what it costs with them at most, or why it is not sent: an obstacle, or so much gas that only a part of it may be paid for at once. */
export type BatchPrice = { fees: Fees; mostWei: bigint } | { obstacle: Obstacle } | { tooLarge: true };

/**
 * The fees of a batch, within the ceilings of its network. The signer must be able to pay for it and for all its transactions in flight, raised
 * once, with what their publication on Ethereum costs where that is paid separately. Throws what the node throws.
 */
export async function priceBatch(deps: PriceDeps, batch: BatchSize): Promise<BatchPrice> {
  const { ledger, rpc, signer, network, gasMoney, nonces } = deps;
  const readUnmined = async () => (nonces.inFlight() === 0 ? nothingUnmined : unminedCost(ledger, network.chain, signer.address));
  const [market, unmined] = await Promise.all([deps.market.forNew(), readUnmined()]);
  const ceiling = feeCeiling(network, batch.gasLimit);
  if (batch.isDivisible && isForSmaller(market, ceiling, network)) return { tooLarge: true };
  const fees = newOffer(market, ceiling);
  if (!fees) return { obstacle: { scope: feeScope, reason: aboveCeiling(network, market, batch) } };
  const longestBytes = Math.max(size(batch.data) + envelopeBytes, unmined.longestBytes);
  const publicationWei = await l1DataFee(rpc, network.chain, longestBytes);
  const ownWei = withRaise(batch.gasLimit * fees.maxFeePerGas) + publicationWei;
  const needWei = ownWei + withRaise(unmined.gasWei) + publicationWei * BigInt(unmined.transactions);
  const balance = await gasMoney.read(needWei);
  if (balance >= needWei) {
    gasMoney.spend(ownWei);
    return { fees, mostWei: batch.gasLimit * fees.maxFeePerGas + publicationWei };
  }
  return { obstacle: { scope: gasScope, reason: tooLittle(deps, balance, { needWei, ownWei, unmined }) } };
}

/**
 * Whether the base fee, with a usual tip, is more than so large a transaction may offer, but not more than a small one may. A tip beyond what is
 * believed without evidence is cut instead.
 */
function isForSmaller({ baseFeePerGas, tipPerGas }: FeeMarket, ceiling: bigint, network: NetworkSettings): boolean {
  const believedTip = unprovenTip(network);
  const price = baseFeePerGas + (tipPerGas < believedTip ? tipPerGas : believedTip);
  return price > ceiling && price <= feeCeiling(network, 1n);
}

/** A replacement offers an eighth more at least: gas money for one is kept. */
function withRaise(wei: bigint): bigint {
  return wei + wei / 8n;
}

function tooLittle(
  { signer, network }: PriceDeps,
  balance: bigint,
  { needWei, ownWei, unmined }: { needWei: bigint; ownWei: bigint; unmined: UnminedCost },
): string {
  const { symbol, decimals } = chainFacts(network.chain).currency;
  const amount = (wei: bigint) => `${formatUnits(wei, decimals)} ${symbol}`;
  const need = `${amount(ownWei)} for the next transaction, ${amount(needWei)} with the ${unmined.transactions} in flight`;
  return `${signer.address} holds ${amount(balance)} for gas and may need ${need}: send it at least ${amount(needWei - balance)}`;
}

function aboveCeiling(
  { chain, feeCeilingGwei, transactionFeeCeiling }: NetworkSettings,
  { baseFeePerGas, sources }: AgreedMarket,
  { gasLimit }: BatchSize,
): string {
  const { symbol } = chainFacts(chain).currency;
  const price = `a gas costs ${formatGwei(baseFeePerGas)} gwei now${sources && ` (${sources})`}, and the next transaction takes ${gasLimit}`;
  const gasCeiling = `${networkVariable(chain, 'feeCeilingGwei')} allows ${feeCeilingGwei} gwei`;
  const wholeCeiling = `${networkVariable(chain, 'transactionFeeCeiling')} ${transactionFeeCeiling} ${symbol}`;
  return `${price}: ${gasCeiling}, and ${wholeCeiling} for a transaction; nothing is sent until the price falls or they are raised`;
}
