import { Hono } from 'hono';
import { idleSeconds } from '../../ledger/access/sessions.ts';
import { chainsOf, explorerUrl } from '../../platform/chains.ts';
import { type NetworkSettings, needsFourEyes } from '../../platform/settings.ts';
import { verbs } from '../../operations/registry.ts';
import type { ConsoleEnv } from '../console-env.ts';

/** Who is signed in, and what they may do. */
export const me = new Hono<ConsoleEnv>().get('/', (context) => {
  const { operator, settings } = context.var;
  return context.json(
    {
      name: operator.name,
      role: operator.role,
      actions: verbs.filter(({ roles }) => (roles as readonly string[]).includes(operator.role)).map(({ name }) => name),
      /** The session: without use it ends after `idleSeconds`. */
      idleSeconds,
      idleSecondsLeft: operator.idleSecondsLeft,
      secondsLeft: operator.secondsLeft,
      fourEyes: needsFourEyes(settings),
      environment: settings.environment,
      serviceName: settings.serviceName,
      /** The networks that are set up. */
      chains: chainsOf(settings.networks),
      /** By network, without a slash at the end; of networks that only this machine knows there is none. */
      explorers: Object.fromEntries(
        chainsOf(settings.networks)
          .filter((chain) => !isLocal(settings.networks[chain]))
          .map((chain) => [chain, explorerUrl(chain)]),
      ),
    },
    200,
  );
});

/** Whether all endpoints of a network are of this machine, like those of the sandbox: its blocks, also those of a fork, are in no explorer. */
function isLocal(network: NetworkSettings | undefined): boolean {
  const urls = network?.rpcUrls ?? [];
  return urls.length > 0 && urls.every((url) => loopbackHosts.has(new URL(url).hostname));
}

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** `POST /api/session/use`: a person is at the page. Like every request that does more than read, it counts as use of the session. */
export const sessionUse = new Hono<ConsoleEnv>().post('/use', (context) => context.json({}, 200));
