import { Argument, type Command } from 'commander';
import { type Chain, chains } from '../../platform/chains.ts';
import type { AddOptions } from './add.ts';

const collect = (value: string, all: string[]) => [...all, value];

/** `mintrail chain`: the networks, and whether what is set for them is right. */
export function addChainCommands(program: Command): void {
  const chain = program.command('chain').description('list the networks, check what is set for them, or add one');

  chain
    .command('list', { isDefault: true })
    .description('list all networks: their defaults, and what is set')
    .option('--json', 'answer in JSON')
    .action(async ({ json = false }: { json?: boolean }) => (await import('./list.ts')).listChains(json));

  chain
    .command('check')
    .description('look at the endpoints, tokens and signers of the networks that are set. Exit code 0 only if nothing failed')
    .addArgument(new Argument('[name]', 'only this network').choices(chains))
    .option('--json', 'answer in JSON')
    .action(async (name: Chain | undefined, { json = false }: { json?: boolean }) => (await import('./check.ts')).checkChains(name, json));

  chain
    .command('add')
    .description('check endpoints, tokens and signers of a network, then show or write the settings for it')
    .addArgument(new Argument('<name>', 'network').choices(chains))
    .option('--rpc <url>', 'RPC endpoint; with a key in it, env:NAME or file:PATH of where it stands; repeatable', collect, [])
    .option('--token <currency:address>', 'token, as eur:0x…; repeatable', collect, [])
    .option(
      '--signer <reference>',
      'keystore:PATH, awskms:KEY, web3signer:URL/0xADDRESS, file:PATH, or env:NAME of where it stands; repeatable',
      collect,
      [],
    )
    .option('--start-block <number>', 'block of the deployment of the tokens; searched for where it is not given')
    // Not --env-file: Node takes that for an option of its own, wherever it stands.
    .option('--write <file>', 'set them in this file of NAME=value lines instead of showing them')
    .option('--force', 'also when a check failed')
    .option('--json', 'answer in JSON')
    .action(async (name: Chain, options: AddOptions) => (await import('./add.ts')).addChain(name, options));
}
