import type { Load } from './loaded-service.ts';
import { freezingAtOnce, freezingByTurns, killing, killTheSandbox, type Shot } from './shots.ts';

/** What happens to a service of whose every process a double runs, while there is work. */
export interface Campaign {
  /** As in docs/faults.md. */
  name: string;
  load: Load;
  shots: (random: () => number) => Shot[];
}

/** The campaigns that `npm run faults` runs. */
export const campaigns: readonly Campaign[] = [
  {
    name: 'a double of every process is frozen by turns, six times each',
    load: { mixed: { count: 500, longestPauseMs: 10_000 }, credits: 500, statements: 5 },
    shots: (random) => freezingByTurns(6, random),
  },
  {
    name: 'processes are killed, and then all of them',
    load: { mixed: { count: 300, longestPauseMs: 1_000 }, credits: 500, statements: 5 },
    shots: (random) => [...killing(11, random), killTheSandbox],
  },
];

/** The short form of both, in `npm test`: orders of every kind, and processes of three kinds, by the seed. */
export const shortCampaign: Campaign = {
  name: 'processes are frozen and killed',
  load: { mixed: { count: 20, longestPauseMs: 3_000 }, credits: 40, statements: 2 },
  shots: (random) => [freezingAtOnce(random), ...killing(3, random), killTheSandbox],
};
