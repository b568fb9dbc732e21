import { networksSince } from '../ledger/lanes/networks.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type Breach, openBreaches } from '../ledger/reserve/breaches.ts';
import { breachRemedy, comparedSides, describeBreach } from '../ledger/reserve/describe-breach.ts';
import { listComparisons, type RecordedComparison } from '../ledger/reserve/comparisons.ts';
import type { ComparisonName } from '../schema/column-types.ts';
import { type Chain, chainsOf } from '../platform/chains.ts';
import type { Settings } from '../platform/settings.ts';
import type { Problem } from './problem.ts';

/** A comparison is made every few seconds; an indexer that starts, or a node that is away for a while, delays it. */
const missingAfterMs = 10 * 60_000;

/** Comparisons that every network has. */
const ofNetworks = ['index', 'nodes'] as const satisfies readonly ComparisonName[];

/** The breaches that nobody has acknowledged, and the comparisons that have not been made for ten minutes. */
export async function comparisonProblems(ledger: Ledger, networks: Settings['networks'], now: Date): Promise<Problem[]> {
  const [breaches, comparisons, since] = await Promise.all([openBreaches(ledger), listComparisons(ledger), networksSince(ledger)]);
  return [
    ...breaches.map(ofBreach),
    ...lastMade(comparisons, networks, since).flatMap((made) =>
      now.getTime() - made.at.getTime() > missingAfterMs ? [ofMissing(made)] : [],
    ),
  ];
}

interface LastMade {
  comparison: ComparisonName;
  chain: Chain | '';
  currency: string;
  /** When it was made last; while it has never been, when the network was first used. */
  at: Date;
}

/** When the comparisons were made that should be: those of the configured networks, and others that have been made before. */
function lastMade(comparisons: readonly RecordedComparison[], networks: Settings['networks'], since: Map<Chain, Date>): LastMade[] {
  const expected = chainsOf(networks).flatMap((chain) => {
    const at = since.get(chain);
    // Where no process has used the network yet, `worker_missing` says so when it matters.
    if (at === undefined) return [];
    return Object.keys(networks[chain]?.tokens ?? {}).flatMap((currency) =>
      ofNetworks.map((comparison) => ({ comparison, chain, currency, at })),
    );
  });
  const made = comparisons
    .filter(({ chain, comparison, currency }) => chain === '' || isAmong(expected, { chain, comparison, currency }))
    .map(({ comparison, chain, currency, comparedAt }) => ({ comparison, chain, currency, at: comparedAt }));
  const never = expected.filter((subject) => !isAmong(made, subject));
  // The accounts of a comparison are compared together.
  return [...made, ...never].filter((subject, index, all) => !isAmong(all.slice(0, index), subject));
}

function isAmong(subjects: readonly LastMade[], { comparison, chain, currency }: Omit<LastMade, 'at'>): boolean {
  return subjects.some((subject) => subject.comparison === comparison && subject.chain === chain && subject.currency === currency);
}

function ofBreach({ comparison, currency, chain, account, difference, foundAt }: Breach): Problem {
  const remedy = breachRemedy({ comparison, currency, difference });
  const text = `${currency} is not issued, because ${describeBreach({ comparison, currency, account, difference })}: ${remedy}`;
  return { kind: `breach_${comparison}`, chain, subject: `${currency} ${account}`.trim(), since: foundAt, text };
}

function ofMissing({ comparison, chain, currency, at }: LastMade): Problem {
  const where = chain === '' ? '' : ` on ${chain}`;
  const text = `${comparedSides[comparison]} have not been compared${where} for ${currency}: look for a process that is silent, an indexer that is behind, endpoints that do not answer`;
  return { kind: 'comparison_missing', chain, subject: `${comparison} ${currency}`, since: at, text };
}
