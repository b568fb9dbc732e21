import { type Heartbeat, listHeartbeats, silentAfterSeconds } from '../../ledger/lanes/heartbeats.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { chainsOf } from '../../platform/chains.ts';
import type { Settings } from '../../platform/settings.ts';
import type { HealthCheck } from '../api.ts';

/** Health checks of the other processes, by the heartbeats that they leave in the ledger: the API has no connection to them. */
export function createNetworkChecks(ledger: Ledger, settings: Settings): HealthCheck[] {
  const checkOf = (component: Heartbeat['component'], chain: Heartbeat['chain']): HealthCheck => ({
    name: [component, chain].filter(Boolean).join(' '),
    check: async () => {
      const beats = (await listHeartbeats(ledger)).filter((beat) => beat.component === component && beat.chain === chain);
      return judge(beats.find(({ facts }) => facts.ok === true) ?? beats[0]);
    },
  });
  const networks = chainsOf(settings.networks).flatMap((chain) => [checkOf('worker', chain), checkOf('indexer', chain)]);
  return [checkOf('common', ''), ...networks];
}

function judge(beat: Heartbeat | undefined): { ok: boolean; detail?: string } {
  if (!beat) return { ok: false, detail: 'has never run' };
  if (beat.age > silentAfterSeconds) return { ok: false, detail: `silent for ${Math.round(beat.age)} s` };
  if (beat.facts.ok === true) return { ok: true };
  const { component, facts } = beat;
  if (component === 'worker') return { ok: false, detail: 'the chain is unreachable' };
  return { ok: false, detail: facts.ready === true ? 'behind the chain' : 'reading past blocks' };
}
