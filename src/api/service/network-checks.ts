import { type Heartbeat, listHeartbeats, silentAfterSeconds } from '../../ledger/lanes/heartbeats.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { chainsOf } from '../../platform/chains.ts';
import type { Settings } from '../../platform/settings.ts';
import type { HealthCheck, HealthResult } from '../api.ts';

type Part = Pick<Heartbeat, 'component' | 'chain'>;

/** Health check of the other processes, by the heartbeats that they leave in the ledger: the API has no connection to them. */
export function createNetworkCheck(ledger: Ledger, settings: Settings): HealthCheck {
  const networks = chainsOf(settings.networks).flatMap((chain): Part[] => [
    { component: 'worker', chain },
    { component: 'indexer', chain },
  ]);
  const parts: Part[] = [{ component: 'common', chain: '' }, ...networks];
  return {
    names: parts.map(nameOf),
    async check() {
      const all = await listHeartbeats(ledger);
      return parts.map((part) => {
        const beats = all.filter(({ component, chain }) => component === part.component && chain === part.chain);
        return judge(nameOf(part), beats.find(({ facts }) => facts.ok === true) ?? beats[0]);
      });
    },
  };
}

function nameOf({ component, chain }: Part): string {
  return chain === '' ? component : `${component} ${chain}`;
}

function judge(name: string, beat: Heartbeat | undefined): HealthResult {
  if (!beat) return { name, ok: false, detail: 'has never run' };
  if (beat.age > silentAfterSeconds) return { name, ok: false, detail: `silent for ${Math.round(beat.age)} s` };
  if (beat.facts.ok === true)
    return isParked(beat) ? { name, ok: true, detail: 'a lane is parked: see `mintrail status`' } : { name, ok: true };
  const { component, facts } = beat;
  if (component === 'worker') return { name, ok: false, detail: 'the chain is unreachable' };
  return { name, ok: false, detail: facts.ready === true ? 'behind the chain' : 'reading past blocks' };
}

/** Whether something waits that the worker cannot send. Requests are served all the same; which signer it is, is nobody's business here. */
function isParked({ facts }: Heartbeat): boolean {
  const alarms = Array.isArray(facts['alarms']) ? (facts['alarms'] as { kind?: unknown }[]) : [];
  return alarms.some(({ kind }) => kind === 'lane_parked' || kind === 'gas_money');
}
