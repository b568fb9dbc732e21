import { Hono } from 'hono';
import { idleSeconds } from '../../ledger/operators/sessions.ts';
import { chainsOf, explorerUrl } from '../../platform/chains.ts';
import { needsFourEyes } from '../../platform/settings.ts';
import { actions } from '../actions/registry.ts';
import type { ConsoleEnv } from '../console-env.ts';

/** Who is signed in, and what they may do. */
export const me = new Hono<ConsoleEnv>().get('/', (context) => {
  const { operator, settings } = context.var;
  return context.json(
    {
      name: operator.name,
      role: operator.role,
      actions: actions.filter(({ roles }) => (roles as readonly string[]).includes(operator.role)).map(({ name }) => name),
      /** The session: without use it ends after `idleSeconds`. */
      idleSeconds,
      idleSecondsLeft: operator.idleSecondsLeft,
      secondsLeft: operator.secondsLeft,
      fourEyes: needsFourEyes(settings),
      environment: settings.environment,
      serviceName: settings.serviceName,
      /** By network, without a slash at the end. */
      explorers: Object.fromEntries(chainsOf(settings.networks).map((chain) => [chain, explorerUrl(chain)])),
    },
    200,
  );
});
