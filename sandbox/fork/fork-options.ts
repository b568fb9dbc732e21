import { readFileSync } from 'node:fs';
import { getAddress, isAddress } from 'viem';
import { type Chain, chainName, chains } from '../../src/platform/chains.ts';
import { currencies, type Currency } from '../../src/platform/money.ts';

/** A live network to fork, as the command line names it. */
export interface ForkRequest {
  chain: Chain;
  /** Endpoint of the live network. Its path, query and user name may be secrets. */
  url: string;
  /** The last block of the live network that the fork has; undefined to take a recent one. */
  block?: number;
  /** Tokens of the live network that the fork uses instead of own ones. */
  tokens: Partial<Record<Currency, `0x${string}`>>;
}

/** A `--fork` or `--token` that cannot be meant; its message has no secret. */
export class InvalidForkOption extends Error {}

/**
 * Reads the values of `--fork CHAIN=URL[@BLOCK]`, or `CHAIN=file:PATH` with a file that holds `URL[@BLOCK]`, and `--token [CHAIN:]CURRENCY=ADDRESS`. Throws {@link InvalidForkOption}, whose message never
 * repeats a URL.
 */
export function parseForks(forks: readonly string[], tokens: readonly string[]): ForkRequest[] {
  const requests = forks.map(parseFork);
  const twice = requests.find(({ chain }, index) => requests.findIndex((other) => other.chain === chain) !== index);
  if (twice) throw new InvalidForkOption(`--fork names ${twice.chain} twice: a sandbox has one fork of a network`);
  for (const token of tokens) addToken(requests, token);
  return requests;
}

function parseFork(text: string): ForkRequest {
  const separator = text.indexOf('=');
  if (separator < 0) throw new InvalidForkOption('--fork must be of the form CHAIN=URL[@BLOCK], such as gnosis=https://rpc.example');
  const chain = parseChain(text.slice(0, separator), '--fork');
  const [, address = '', block] = /^(.*?)(?:@(\d+))?$/s.exec(urlText(text.slice(separator + 1), chain)) ?? [];
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(address))
    throw new InvalidForkOption(`The URL of --fork ${chain} has no scheme: write it as https://HOST or http://HOST`);
  if (hasUnreadableBlock(address))
    throw new InvalidForkOption(
      `The block of --fork ${chain} must be decimal digits after the @; an @ in a path or a query is written %40`,
    );
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new InvalidForkOption(`The URL of --fork ${chain} must be one of http or https`);
  if (block === undefined) return { chain, url: address, tokens: {} };
  if (!Number.isSafeInteger(Number(block))) throw new InvalidForkOption(`The block of --fork ${chain} is too large: ${block}`);
  return { chain, url: address, block: Number(block), tokens: {} };
}

/** Every user of the machine sees the command line (ps), and the URL may hold a key: it may be in a file instead. */
function urlText(value: string, chain: Chain): string {
  if (!value.startsWith('file:')) return value;
  const path = value.slice('file:'.length);
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new InvalidForkOption(`The file of --fork ${chain} cannot be read: ${path}`);
  }
}

/** What an Ethereum node takes for a block, and numbers that are no IP address in full. */
const blockLike = /^(latest|earliest|pending|safe|finalized|[+-].*|0x[\da-f]*|\d+(\.\d+){0,2})$/i;

/**
 * Whether what follows the last `@` is meant as a block. A URL takes `HOST:PORT@latest` for the host `latest` with a user and a password, to which
 * the sandbox would connect. A host of a single word after a password of digits is written with a slash: `http://user:1234@node/`.
 */
function hasUnreadableBlock(address: string): boolean {
  const [, before = '', after] = /^[^:]*:\/\/(.*)@([^@]*)$/s.exec(address) ?? [];
  if (after === undefined) return false;
  const isUserInfo = !/[/?#@]/.test(before);
  return !isUserInfo || after === '' || blockLike.test(after) || (/:\d+$/.test(before) && /^[^.:/?#[]+$/.test(after));
}

function addToken(requests: readonly ForkRequest[], text: string): void {
  const [, prefix, name = '', address = ''] = /^(?:([^:=]+):)?([^=]*)=(.*)$/s.exec(text) ?? [];
  const currency = currencies.find((known) => known === name.toLowerCase());
  if (!currency || !isAddress(address, { strict: false }))
    throw new InvalidForkOption(`--token ${text} is not of the form [CHAIN:]CURRENCY=ADDRESS, such as eur=0x… or gnosis:eur=0x…`);
  const chain = prefix === undefined ? undefined : parseChain(prefix, '--token');
  const [request, another] = chain ? requests.filter((candidate) => candidate.chain === chain) : requests;
  if (!request) throw new InvalidForkOption(`--token ${text} needs a --fork${chain ? ` of ${chain}` : ''}: only a fork has tokens already`);
  if (another) throw new InvalidForkOption(`--token ${text} must say of which fork: write ${requests[0]?.chain}:${currency}=${address}`);
  if (request.tokens[currency]) throw new InvalidForkOption(`--token names ${currency} of ${request.chain} twice`);
  request.tokens[currency] = getAddress(address.toLowerCase());
}

function parseChain(text: string, option: string): Chain {
  const name = chainName(text.trim().toLowerCase());
  const chain = chains.find((known) => known === name);
  if (chain) return chain;
  throw new InvalidForkOption(`${option} names the unknown chain "${text}": it must be one of ${chains.join(', ')}`);
}
