import type { Command } from 'commander';
import type { Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { chainsOption } from '../option-values.ts';
import { buildConsolePages } from './console-pages.ts';
import { runService } from './run-service.ts';
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
