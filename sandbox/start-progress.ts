import { type Heartbeat, silentAfterSeconds } from '../src/ledger/lanes/heartbeats.ts';
import type { Chain } from '../src/platform/chains.ts';

/** An indexer that ended more often is not expected to get further: its heap has grown by then. */
const mostEnds = 3;

/**
 * Notices that a start gets further: the returned function takes the newest heartbeats, and answers whether an indexer that reads the past stands at a
 * later block than the last time. One that is ready follows the chain, which proves nothing of the others.
 */
export function createProgressWatch(): (heartbeats: readonly Heartbeat[]) => boolean {
  const blocks = new Map<string, number>();
  return (heartbeats) => {
    let hasAdvanced = false;
    for (const { chain, component, facts, age } of heartbeats) {
      if (component !== 'indexer' || facts['ready'] === true || age >= silentAfterSeconds || endsOf(facts) > mostEnds) continue;
      const block = Number(facts['block'] ?? 0);
      const last = blocks.get(chain);
      if (last !== undefined && block > last) hasAdvanced = true;
      blocks.set(chain, block);
    }
    return hasAdvanced;
  };
}

function endsOf(facts: Heartbeat['facts']): number {
  return (facts['ends'] as { count: number } | null | undefined)?.count ?? 0;
}

/** The workers and indexers of which no copy runs well, such as `indexer chiado`; an indexer does when it is near the head of its chain. */
export function listNotRunning(heartbeats: readonly Heartbeat[], chains: readonly Chain[]): string[] {
  const running = new Set(
    heartbeats
      .filter(({ age, facts }) => age < silentAfterSeconds && facts['ok'] === true)
      .map(({ component, chain }) => nameOf(component, chain)),
  );
  const needed = [nameOf('common', ''), ...chains.flatMap((chain) => [nameOf('worker', chain), nameOf('indexer', chain)])];
  return needed.filter((name) => !running.has(name));
}

function nameOf(component: Heartbeat['component'], chain: Chain | ''): string {
  return `${component} ${chain}`.trim();
}
