import { setTimeout as delay } from 'node:timers/promises';
import { createTestClient, http } from 'viem';
import { expect } from 'vitest';
import { shuffled } from '../support/seeded-random.ts';
import { signalAll } from '../support/processes/process-tree.ts';
import { until } from '../support/until.ts';
import { confirmations, type Double, isScaledOut, type LoadedService, untilProcessed } from './loaded-service.ts';

/** Something that happens to a service under load. Resolves with what was done. */
export type Shot = (service: LoadedService) => Promise<string>;

/** The processes of which two run. */
const doubled = { API: /main\.ts api/, worker: /main\.ts worker/, indexer: /main\.ts indexer/ } as const;

type Kind = keyof typeof doubled;
const kinds = Object.keys(doubled) as Kind[];
const doubles: readonly Double[] = ['sandbox', 'copies'];

/**
 * In each turn, first those of the sandbox and then the copies are frozen: one kind of process at a time, or as many as the seed says, as when their machine is
 * paused. They go on when a payment that was reported meanwhile is processed, by their doubles alone.
 */
export function freezingByTurns(turns: number, random: () => number): Shot[] {
  const sides = Array.from({ length: turns }, () => shuffled(doubles, random)).flat();
  return sides.map((double) => freeze(shuffled(kinds, random).slice(0, 1 + Math.floor(random() * kinds.length)), double));
}

/** All processes of one double are frozen, as when their machine is paused. */
export function freezingAtOnce(random: () => number): Shot {
  return freeze(kinds, shuffled(doubles, random)[0] ?? 'sandbox');
}

function freeze(frozen: readonly Kind[], double: Double): Shot {
  return async (service) => {
    const processes = frozen.flatMap((kind) => service.find(doubled[kind], double));
    const startedAt = performance.now();
    signalAll(processes, 'SIGSTOP');
    try {
      await untilProcessed(service, await service.pay());
    } finally {
      signalAll(processes, 'SIGCONT');
    }
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    return `froze ${frozen.join(', ')} of the ${double} (${processes.length} processes) for ${seconds} s, until a payment was processed`;
  };
}

const killed: RegExp[] = [
  ...Object.values(doubled),
  /ponder-program\.ts .* --schema idx_chiado/,
  /ponder-program\.ts .* --schema idx_sepolia/,
  /bin\/postgres -D/,
  ...(isScaledOut ? [/pgbouncer .*\.ini/] : []),
];

/**
 * SIGKILL for so many processes, one of each kind, the database among them, before one is hit again while parts are still coming back, and for Redis; each
 * takes the newest blocks of a network away.
 */
export function killing(count: number, random: () => number): Shot[] {
  const targets = [...shuffled(killed, random), ...shuffled(killed, random)].slice(0, count);
  const shots = targets.map(
    (target): Shot =>
      (service) =>
        kill(service, target, random),
  );
  return [...(isScaledOut ? shuffled([...shots, killRedis(random)], random) : shots)].flatMap((shot) => [shot, takeBlocksAway(random)]);
}

/** Kills the processes of a target; half of the time one of them only. It leaves its children to their guard, or to themselves. */
async function kill(service: LoadedService, target: RegExp, random: () => number): Promise<string> {
  await delay(500 + random() * 1_500);
  const all = await until(`${target.source} runs`, async () => {
    const running = service.find(target);
    return running.length > 0 ? running : undefined;
  });
  const hit = random() < 0.5 ? all.slice(-1) : all;
  signalAll(hit, 'SIGKILL');
  await service.noteConnections();
  return `killed ${target.source}: ${hit.length} of ${all.length} processes`;
}

function killRedis(random: () => number): Shot {
  return async ({ redis }) => {
    await redis?.kill();
    await delay(random() * 1_000);
    await redis?.start();
    return 'killed Redis';
  };
}

function takeBlocksAway(random: () => number): Shot {
  return async ({ file }) => {
    await delay(random() * 1_000);
    const chiado = createTestClient({ mode: 'anvil', transport: http(file.chains.chiado?.rpcUrl) });
    const depth = 1 + Math.floor(random() * (confirmations - 1));
    await chiado.request({ method: 'anvil_reorg', params: [depth, []] } as never);
    return `took ${depth} blocks away`;
  };
}

/** The whole sandbox is killed, and started again with the same data and chains. The copies beside it end before. */
export const killTheSandbox: Shot = async (service) => {
  const { run, file } = service;
  await service.closeCopies();
  await run.killAll();
  // The link to the console is of one start alone.
  const { console: _, ...same } = file as typeof file & { console: unknown };
  expect(await run.start(), 'the same data and chains').toMatchObject(same);
  return 'killed the whole sandbox';
};
