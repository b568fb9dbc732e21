import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Address } from 'viem';
import { withAnsweringEndpoints } from '../../chain/admin/answering-endpoints.ts';
import { createRpc } from '../../chain/endpoints/rpc.ts';
import { translateRpcErrors } from '../../chain/node-answer.ts';
import { readSafe } from '../../chain/safe-account.ts';
import { addressUrl, type Chain, chainFacts, chains } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { loadNetwork } from '../../platform/settings.ts';
import { parseAddress } from '../chain-values.ts';
import { cliNetworks } from '../cli-settings.ts';
import { repeatable, wholeNumber } from '../option-values.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import type { CreateSafeOptions } from './creation.ts';

/** More owners than this are a mistake; their signatures would not fit into a transaction for long. */
const mostOwners = 50;

const chainOption = () => new Option('--chain <name>', 'network').choices(chains).makeOptionMandatory();

/** `mintrail safe`. */
export function addSafeCommands(program: Command): void {
  const safe = program.command('safe').description('create the Safe that administers tokens, or show one');

  safe
    .command('create')
    .description('create a Safe by the canonical contracts of Safe 1.4.1; can be interrupted and run again')
    .addOption(chainOption())
    .addOption(repeatable('--owner <address>', 'account that signs for the Safe', parseAddress))
    .requiredOption('--threshold <number>', 'how many of the owners must sign', wholeNumber(1, mostOwners))
    .option('--salt <number>', 'another number makes another Safe of the same owners and threshold; otherwise 0', parseSalt)
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print JSON; requires --yes')
    .addHelpText(
      'after',
      '\nThe deployer pays and gets no right in the Safe. <NETWORK>_DEPLOYER names it, in the form of <NETWORK>_SIGNERS.\nThe same owners, threshold and salt make the same Safe, at the same address on every network, and never a second one.\nOn a local chain (Anvil) without the contracts of Safe the command deploys them first.',
    )
    .action(async (options: CreateSafeOptions, command: Command) => {
      requireOwners(command, options);
      return (await import('./create.ts')).createSafe(options);
    });

  safe
    .command('show')
    .description('show the version of a Safe, its owners, how many of them must sign, and the nonce of its next transaction')
    .argument('<address>', 'the Safe', parseAddress)
    .addOption(chainOption())
    .option('--json', 'print JSON')
    .action(showSafe);
}

function requireOwners(command: Command, { owner, threshold }: CreateSafeOptions): void {
  const owners = new Set(owner);
  if (owners.size === 0) command.error("error: required option '--owner <address>' not specified");
  if (owners.size < owner.length) command.error('error: an --owner is named twice');
  if (owners.size > mostOwners) command.error(`error: a Safe gets at most ${mostOwners} owners`);
  // Safe refuses both: it marks the ends of its list of owners by them.
  if (owner.some((account) => BigInt(account) <= 1n)) command.error('error: nobody can sign for an --owner that is named');
  if (threshold > owners.size) command.error(`error: --threshold ${threshold} is more than the ${owners.size} owners that are named`);
}

function parseSalt(text: string): bigint {
  if (/^\d{1,77}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

interface ShowSafeOptions {
  chain: Chain;
  json?: boolean;
}

/** `mintrail safe show`. Throws `not_found`, `wrong_chain` and `rpc_unreachable`. */
async function showSafe(address: Address, { chain, json = false }: ShowSafeOptions): Promise<void> {
  const network = cliNetworks().networks[chain] ?? loadNetwork(chain);
  const safe = await translateRpcErrors(async () => readSafe(createRpc(await withAnsweringEndpoints(network)), address));
  if (!safe) throw new StopError({ code: 'not_found', message: `There is no Safe at ${address} on ${chainFacts(chain).name}` });
  const { version, threshold, owners, nonce } = safe;
  if (json) return print(renderJson({ chain, safe: address, ...safe }));
  print(
    [
      `Safe       ${address}, version ${version}`,
      addressUrl(chain, address),
      `threshold  ${threshold} of ${owners.length} must sign`,
      ...owners.map((owner) => `owner      ${owner}`),
      `nonce      ${nonce}, of its next transaction`,
    ].join('\n'),
  );
}
