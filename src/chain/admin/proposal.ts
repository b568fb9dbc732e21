import { getAddress, type Hex, isAddress, isHex } from 'viem';
import { z } from 'zod';
import { type Chain, chainFacts, chains } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { currencySchema } from '../../platform/money.ts';
import { recoverSigner } from '../signatures/ecdsa.ts';
import type { AdministeredToken } from '../token/administered-token.ts';
import { type AdminCall, decodeAdminCall, describeAdminCall } from './admin-call.ts';
import { hashSafeTransaction, type OwnerSignature, type SafeTransaction, safeTransactionData, safeVersions } from './safe-transaction.ts';

/** A transaction of a token's Safe, to be signed by its owners, wherever they are. */
export interface Proposal {
  token: AdministeredToken;
  transaction: SafeTransaction;
  /** The newest block when it was proposed; where to begin to look for its execution. */
  block: bigint;
  /** By owners, each once, in the order in which they signed. */
  signatures: readonly OwnerSignature[];
}

/** Longer than any file that this program writes. */
const maxCharacters = 100_000;

const format = 'mintrail-token-proposal-2';
/** Its words are others, so that what it says cannot be compared with what this release says. */
const formatBefore = 'mintrail-token-proposal-1';
const addressSchema = z
  .string()
  .refine((text) => isAddress(text), 'must be an address')
  .transform((text) => getAddress(text));
const hexSchema = z.string().refine((text) => isHex(text), 'must be hexadecimal');

const proposalSchema = z.strictObject({
  format: z.literal(format),
  summary: z.string(),
  chain: z.enum(chains as [Chain, ...Chain[]]),
  chainId: z.int(),
  currency: currencySchema,
  token: addressSchema,
  safe: addressSchema,
  safeVersion: z.enum(safeVersions),
  transaction: z.strictObject({
    to: addressSchema,
    value: z.string(),
    data: hexSchema,
    operation: z.int(),
    safeTxGas: z.string(),
    baseGas: z.string(),
    gasPrice: z.string(),
    gasToken: addressSchema,
    refundReceiver: addressSchema,
    nonce: z.int().nonnegative(),
  }),
  safeTxHash: hexSchema,
  block: z
    .string()
    .regex(/^\d{1,18}$/)
    .transform(BigInt),
  signatures: z.array(z.strictObject({ signer: addressSchema, data: hexSchema })).max(100),
});

/** The text of a proposal's file. */
export function writeProposal(proposal: Proposal): string {
  const { token, transaction, block, signatures } = proposal;
  const file: z.input<typeof proposalSchema> = {
    format,
    summary: summaryOf(proposal),
    chain: token.chain,
    chainId: transaction.chainId,
    currency: token.currency,
    token: getAddress(token.address),
    safe: getAddress(transaction.safe),
    safeVersion: transaction.version,
    transaction: safeTransactionData(transaction),
    safeTxHash: hashSafeTransaction(transaction),
    block: String(block),
    signatures: signatures.map(({ signer, data }) => ({ signer: getAddress(signer), data })),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/**
 * Reads the text of a proposal's file, which may come from anybody. Everything in it is computed again from the transaction, and each signature
 * must be that of its signer. Throws `bad_input` for another text, and `proposal_mismatch` for one that contradicts itself.
 */
export function readProposal(text: string): Proposal {
  const file = parse(text);
  const token = { chain: file.chain, currency: file.currency, address: file.token };
  const { to, data, nonce } = file.transaction;
  const transaction = { chainId: file.chainId, safe: file.safe, version: file.safeVersion, to, data, nonce };
  const proposal = { token, transaction, block: file.block, signatures: file.signatures };
  if (file.chainId !== chainFacts(file.chain).id) throw mismatch(`chain id ${file.chainId} is not that of ${file.chain}`);
  const expected = JSON.stringify(safeTransactionData(transaction));
  if (JSON.stringify({ ...safeTransactionData(transaction), ...file.transaction }) !== expected)
    throw mismatch('the transaction moves money, delegates or pays back gas, which no change of a token does');
  const hash = hashSafeTransaction(transaction);
  if (file.safeTxHash !== hash) throw mismatch(`the hash is ${file.safeTxHash}, and that of the transaction is ${hash}`);
  const summary = summaryOf(proposal);
  if (file.summary !== summary) throw mismatch(`the summary says “${file.summary}”, but what would be signed is: ${summary}`);
  requireSignatures(hash, file.signatures);
  return proposal;
}

/** What the proposal does. Throws `proposal_mismatch` for a call that is no change of its token. */
export function callOf({ token, transaction: { to, data } }: Proposal): AdminCall {
  const call = decodeAdminCall(to, data, token);
  if (call) return call;
  throw mismatch(`the call to ${to} is no change of the token ${token.address} that this program can describe`);
}

/** What the proposal does, in words that follow from its transaction alone. Throws what `callOf` throws. */
export function summaryOf(proposal: Proposal): string {
  return describeAdminCall(callOf(proposal), proposal.token);
}

/** The proposal with further signatures. One of an owner who has signed before is left out. */
export function withSignatures(proposal: Proposal, signatures: readonly OwnerSignature[]): Proposal {
  const bySigner = new Map([...signatures, ...proposal.signatures].map((signature) => [signature.signer.toLowerCase(), signature]));
  const order = new Set([...proposal.signatures, ...signatures].map(({ signer }) => signer.toLowerCase()));
  return { ...proposal, signatures: [...order].map((signer) => bySigner.get(signer) as OwnerSignature) };
}

function parse(text: string): z.output<typeof proposalSchema> {
  if (text.length > maxCharacters) throw invalid(`it is longer than ${maxCharacters} characters`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw invalid('it is not JSON');
  }
  if ((json as { format?: unknown } | null)?.format === formatBefore)
    throw invalid('it was written by an earlier release, which says the same in other words: propose the change again');
  const parsed = proposalSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
}

function requireSignatures(hash: Hex, signatures: readonly OwnerSignature[]): void {
  const signers = new Set<string>();
  for (const { signer, data } of signatures) {
    // In a Safe, other last bytes than 27 and 28 stand for other kinds of signatures.
    if (!/(1b|1c)$/i.test(data) || recoverSigner(hash, data) !== signer.toLowerCase())
      throw mismatch(`a signature is not that of ${signer} for this transaction`);
    if (signers.has(signer.toLowerCase())) throw mismatch(`${signer} stands among the signatures twice`);
    signers.add(signer.toLowerCase());
  }
}

function invalid(what: string): StopError {
  return new StopError({ code: 'bad_input', message: `This is not a proposal: ${what}` });
}

function mismatch(what: string): StopError {
  return new StopError({ code: 'proposal_mismatch', message: `Do not sign this file, which was altered or damaged: ${what}` });
}
