import type { Chain } from '../../src/platform/chains.ts';

/** What keeps an upstream from answering. */
export type UpstreamFault = 'unreachable' | 'slow' | 'limited' | 'refused' | 'pruned';

/** The upstream of a fork gave no answer to a request. Its message names the chain, the host and the remedy, and no secret. */
export class UpstreamError extends Error {
  readonly fault: UpstreamFault;

  constructor(fault: UpstreamFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** The upstream answered a request with an error of the call itself, such as a revert: the same request has the same answer tomorrow. */
export class UpstreamAnswerError extends Error {
  readonly error: { code: number; message: string; data?: unknown };

  constructor(error: { code: number; message: string; data?: unknown }) {
    super(error.message);
    this.error = error;
  }
}

/** Says what is wrong with an upstream. `detail` is what was seen, without a URL. */
export function upstreamError(
  fault: UpstreamFault,
  { chain, url, block }: { chain: Chain; url: string; block?: number | undefined },
  detail = '',
): UpstreamError {
  const at = `The upstream of the fork of ${chain}, ${new URL(url).host},`;
  const seen = detail === '' ? '' : ` (${detail})`;
  const other = `restart with another endpoint: npm start -- --fork ${chain}=URL`;
  const texts: Record<UpstreamFault, string> = {
    unreachable: `${at} cannot be reached${seen}: check that it runs, or ${other}`,
    slow: `${at} does not answer in time${seen}: wait until it is well, or ${other}`,
    limited: `${at} limits how often it is called${seen}: wait, raise the limit of your account there, or ${other}`,
    refused: `${at} refuses the requests${seen}: check the key in its URL, or ${other}`,
    pruned: `${at} has no state of block ${block ?? 'of the fork'} any more${seen}: ${other} that is an archive node, or begin anew at a recent block with --fresh`,
  };
  return new UpstreamError(fault, texts[fault]);
}
