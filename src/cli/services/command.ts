import { type Command, Option } from 'commander';
import { asChain, chains } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { loadSettings, requirePublicAddress } from '../../platform/settings.ts';
import { runService } from './run-service.ts';

const chainOption = () => new Option('--chain <name>', 'network').choices(chains);

/** `mintrail api`, `worker` and `indexer`: the processes of a production set-up. */
export function addServiceCommands(program: Command): void {
  program
    .command('api')
    .description('run the HTTP API')
    .action(async () => {
      const settings = loadSettings();
      requirePublicAddress(settings);
      await runService(settings, 'api', async () => (await import('../../api/run-api.ts')).runApi(settings));
    });

  program
    .command('worker')
    .description('run the work of a network (--chain), the work of no network (--common), or both')
    .addOption(chainOption())
    .option('--common', 'payouts, IBANs, bank files, webhooks')
    .action(async (options: { chain?: string; common?: true }) => {
      const { chain, common = false } = options;
      if (!chain && !common)
        throw new StopError({ code: 'nothing_to_run', message: 'Use --chain to name a network, or --common, or both' });
      const settings = loadSettings();
      await runService(settings, `worker ${chain ?? 'common'}`, async () =>
        (await import('../../workers/run-worker.ts')).runWorker(settings, { ...(chain && { chain: asChain(chain) }), common }),
      );
    });

  program
    .command('indexer')
    .description("run a network's indexer")
    .addOption(chainOption().makeOptionMandatory())
    .action(async ({ chain }: { chain: string }) => {
      const settings = loadSettings();
      await runService(settings, `indexer ${chain}`, async () =>
        (await import('../../workers/indexer/run-indexer.ts')).runIndexer(settings, asChain(chain)),
      );
    });
}
