import closeWithGrace from 'close-with-grace';
import type { Command } from 'commander';
import type { Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { createLog, type Log } from '../../platform/log.ts';
import type { Running } from '../../platform/loop.ts';
import { directUrl } from '../../platform/postgres/connections.ts';
import { requireServerVersion } from '../../platform/postgres/server-version.ts';
import { readableSecrets, readableText } from '../../platform/secret-files.ts';
import type { Settings } from '../../platform/settings.ts';
import { startTracing } from '../../platform/tracing/start-tracing.ts';
import { chainsOption } from '../option-values.ts';
import { buildConsolePages } from './console-pages.ts';
import { loadServiceSettings } from './service-settings.ts';

/** `mintrail api`, `console`, `worker` and `indexer`: the processes of a production set-up. */
export function addServiceCommands(program: Command): void {
  program
    .command('api')
    .description('run the HTTP API')
    .action(async () => {
      const settings = loadServiceSettings({ api: true });
      await runService(settings, 'api', async () => (await import('../../api/run-api.ts')).runApi(settings));
    });

  program
    .command('console')
    .description('run the console, in which operators see and act')
    .action(async () => {
      const settings = loadServiceSettings({ console: true });
      await runService(settings, 'console', async (log) => {
        const running = await (await import('../../console/run-console.ts')).runConsole(settings);
        const pages = buildConsolePages(log);
        return { close: async () => void (await Promise.all([running.close(), pages.close()])) };
      });
    });

  program
    .command('worker')
    .description('run the work of networks (--chain), the work of no network (--common), or both')
    .addOption(chainsOption('--chain <name>'))
    .option('--common', 'payouts, IBANs, bank files, webhooks')
    .action(async ({ chain: named = [], common = false }: { chain?: readonly Chain[]; common?: boolean }) => {
      if (named.length === 0 && !common)
        throw new StopError({ code: 'bad_input', message: 'Use --chain to name a network, or --common, or both' });
      const settings = loadServiceSettings({ common, workerChains: named });
      await runService(settings, `worker ${[...named, ...(common ? ['common'] : [])].join(' ')}`, async () =>
        (await import('../../workers/run-worker.ts')).runWorker(settings, { chains: named, common }),
      );
    });

  program
    .command('indexer')
    .description('run the indexers of networks')
    .addOption(chainsOption('--chain <name>').makeOptionMandatory())
    .action(async ({ chain: named }: { chain: readonly Chain[] }) => {
      const settings = loadServiceSettings({ indexerChains: named });
      await runService(settings, `indexer ${named.join(' ')}`, async () =>
        (await import('../../workers/indexer/run-indexers.ts')).runIndexers(settings, named),
      );
    });
}

/** Longer than recording a batch takes, shorter than Docker and the sandbox wait before they kill. */
const graceMs = 8_000;

/**
 * Runs a service until it is told to stop: by a signal, or in the sandbox when the channel to its parent closes, which also happens when the
 * parent is killed.
 */
async function runService(settings: Settings, name: string, start: (log: Log) => Promise<Running>): Promise<void> {
  const log = createLog(settings.logLevel, { process: name });
  for (const secret of readableSecrets(settings)) log.warn({ variable: secret.variable }, readableText(secret));
  await requireServerVersion(directUrl(settings)).catch((error: unknown) => {
    // A process may start in an outage of the database.
    if (error instanceof StopError) throw error;
  });
  const tracing = await startTracing(settings, name);
  let running: Running | undefined;
  const grace = closeWithGrace({ delay: graceMs, logger: false, skip: ['beforeExit'] }, async ({ err, signal, manual }) => {
    if (err) log.fatal({ err }, 'unexpected error; closing');
    else log.info({ reason: signal ?? (manual ? 'parent ended' : 'end') }, 'closing');
    await running?.close();
    await tracing?.close();
  });
  if (process.channel) process.once('disconnect', () => grace.close());
  try {
    running = await start(log);
    log.info('running');
  } catch (error) {
    grace.uninstall();
    throw error;
  }
}
