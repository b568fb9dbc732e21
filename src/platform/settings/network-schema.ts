import { z } from 'zod';
import '../validation-messages.ts';
import { parseSigners, parseTokens, parseUrls } from './setting-values.ts';
import { variable } from './variable.ts';

/** The settings of one network, from variables that begin with its name in capitals, such as `GNOSIS_TOKENS`. */
export const networkSettingsSchema = z.object({
  tokens: variable(
    'TOKENS',
    'token contracts, `eur:0x…,gbp:0x…`; a network without it is not configured',
    z.string().transform(parseTokens),
  ),
  rpcUrls: variable(
    'RPC_URLS',
    'RPC endpoints, comma separated; the first that answers is used. The API needs none',
    z.string().default('').transform(parseUrls),
  ),
  rpcQuorum: variable(
    'RPC_QUORUM',
    'HTTP endpoints that must agree before an order is settled. By default 1 with one endpoint, 2 with more',
    z.coerce.number().int().min(1).optional(),
  ),
  signers: variable(
    'SIGNERS',
    'signers, comma separated, one lane each: `keystore:PATH`, `awskms:KEY`, `web3signer:URL/0xADDRESS`; in the sandbox also `0x…`, a raw key, or `file:PATH` of raw keys',
    z.string().default('').transform(parseSigners),
  ),
  keystorePassword: variable(
    'KEYSTORE_PASSWORD',
    'password of the keystores among the signers; better `file:PATH` of a file that holds it',
    z.string().optional(),
  ),
  deployer: variable(
    'DEPLOYER',
    'signer that pays for `mintrail safe create`, `mintrail token deploy` and `mintrail token upgrade`, in the form of the signers; it never holds a role',
    z.string().optional(),
  ),
  deployerPassword: variable(
    'DEPLOYER_PASSWORD',
    "password of the deployer's keystore; better `file:PATH` of a file that holds it",
    z.string().optional(),
  ),
  confirmations: variable(
    'CONFIRMATIONS',
    'blocks on top before an outcome counts, or `safe` or `finalized`',
    z.union([z.coerce.number().int().min(0), z.enum(['safe', 'finalized'])]),
  ),
  startBlock: variable('START_BLOCK', 'block from which the tokens are indexed', z.coerce.number().int().min(0).default(0)),
  blockTimeSeconds: variable('BLOCK_TIME', 'usual seconds between blocks; paces polling and fee replacement', z.coerce.number().positive()),
  overdueSeconds: variable(
    'OVERDUE_SECONDS',
    'seconds within which a leg is carried out and confirmed; `mintrail status` names older ones. By default it follows from the block time and the confirmations',
    z.coerce.number().int().positive().optional(),
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
    'what orders of a profile may cost in a day of UTC, in the currency of gas: redemptions signed by contracts, those below 1.00 (of ISK 100.00), and issues that carry out redemptions from other networks. What is over it waits for the next day; 0 is no limit',
    z.coerce.number().min(0).max(1_000_000),
  ),
  inheritedTokens: variable(
    'INHERITED_TOKENS',
    'currencies, comma separated, whose token was in circulation before `START_BLOCK`; needed only by forks of the sandbox',
    z
      .string()
      .default('')
      .transform((text) => text.split(',').filter(Boolean)),
  ),
  openingRpcUrl: variable(
    'OPENING_RPC_URL',
    'endpoint with the state behind the block before `START_BLOCK`, from which the balances of those tokens are read; needed only by forks of the sandbox',
    z.url().optional(),
  ),
  genesis: variable(
    'GENESIS',
    'name of this instance of the chain; needed only by local chains, which can start anew under the same id',
    z.string().default(''),
  ),
});
