import { z } from 'zod';
import '../validation-messages.ts';
import { parseGenesis, parseSigners, parseTokens, parseUrls } from './setting-values.ts';
import { variable } from './variable.ts';

/** The settings of one network, from variables that begin with its name in capitals, such as `GNOSIS_TOKENS`. */
export const networkSettingsSchema = z.object({
  tokens: variable(
    'TOKENS',
    'token contracts, `eur:0x…,gbp:0x…`; a network without it is not configured',
    z.string().transform(parseTokens),
    'needed',
  ),
  rpcUrls: variable(
    'RPC_URLS',
    'RPC endpoints, comma separated; the first that answers is used. The API needs none',
    z.string().default('').transform(parseUrls),
    'needed',
  ),
  rpcQuorum: variable(
    'RPC_QUORUM',
    'HTTP endpoints that must agree before an order is settled. By default 1 with one endpoint, 2 with more',
    z.coerce.number().int().min(1).optional(),
    'usual',
  ),
  signers: variable(
    'SIGNERS',
    'signers, comma separated: `keystore:PATH`, `awskms:KEY`, `web3signer:URL/0xADDRESS`; in the sandbox also `0x…`, a raw key, or `file:PATH` of raw keys',
    z.string().default('').transform(parseSigners),
    'needed',
  ),
  keystorePassword: variable(
    'KEYSTORE_PASSWORD',
    'password of the keystores among the signers; better `file:PATH`',
    z.string().optional(),
    'usual',
  ),
  deployer: variable(
    'DEPLOYER',
    'signer that pays for `mintrail safe create`, `token deploy` and `token upgrade`',
    z.string().optional(),
    'usual',
  ),
  deployerPassword: variable(
    'DEPLOYER_PASSWORD',
    "password of the deployer's keystore; better `file:PATH`",
    z.string().optional(),
    'usual',
  ),
  confirmations: variable(
    'CONFIRMATIONS',
    'blocks on top before an outcome counts, or `safe` or `finalized`',
    z.union([z.coerce.number().int().min(0), z.enum(['safe', 'finalized'])]),
    'usual',
  ),
  startBlock: variable('START_BLOCK', 'block from which the tokens are indexed', z.coerce.number().int().min(0).default(0), 'usual'),
  blockTimeSeconds: variable(
    'BLOCK_TIME',
    'usual seconds between blocks; paces polling and fee replacement',
    z.coerce.number().positive(),
    'sandbox',
  ),
  feeCeilingGwei: variable(
    'FEE_CEILING',
    'most gwei that a transaction offers for a gas; at a higher price nothing is sent',
    z.coerce.number().min(1e-9).max(1e9),
  ),
  transactionFeeCeiling: variable(
    'TRANSACTION_FEE_CEILING',
    'most that a transaction offers for its whole gas, in the currency of gas; below what nodes refuse to send',
    z.coerce.number().min(1e-9).max(1e9),
  ),
  maxBatch: variable('MAX_BATCH', 'most orders in one transaction', z.coerce.number().int().min(1).max(500)),
  gasBudget: variable(
    'GAS_BUDGET',
    'what dear orders of a profile may cost in a day of UTC, in the currency of gas: redemptions signed by contracts, below 1.00 (of ISK 100.00) or to other networks; 0 is no limit',
    z.coerce.number().min(0).max(1_000_000),
  ),
  genesis: variable(
    'GENESIS',
    'name of this instance of a local chain, which can start anew under the same id. Of a fork also the inherited tokens, and the endpoint of balances before `START_BLOCK`: `NAME,eur+gbp@URL`',
    z.string().default('').transform(parseGenesis),
    'sandbox',
  ),
});
