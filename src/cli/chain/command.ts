import { Argument, type Command } from 'commander';
import { type Chain, chainFacts, chains } from '../../platform/chains.ts';
import { networkDefaults } from '../../platform/settings.ts';
import { cliNetworks } from '../cli-settings.ts';
import { repeatable } from '../option-values.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import type { AddOptions } from './add.ts';

/** `mintrail chain`. */
export function addChainCommands(program: Command): void {
  const chain = program.command('chain').description('list the networks, check their settings, or add a network');

  chain
    .command('list', { isDefault: true })
    .description('list all networks with their defaults and settings')
    .option('--json', 'print JSON')
    .action(({ json = false }: { json?: boolean }) => listChains(json));

  chain
    .command('check')
    .description('check the endpoints, tokens and signers of the configured networks. Exit code 0 only when no check fails')
    .addArgument(new Argument('[name]', 'only this network').choices(chains))
    .option('--json', 'print JSON')
    .action(async (name: Chain | undefined, { json = false }: { json?: boolean }) => (await import('./check.ts')).checkChains(name, json));

  chain
    .command('add')
    .description('check endpoints, tokens and signers of a network, then show or write its settings')
    .addArgument(new Argument('<name>', 'network').choices(chains))
    .addOption(repeatable('--rpc <url>', 'RPC endpoint, or env:NAME or file:PATH where it contains a key', String))
    .addOption(repeatable('--token <currency:address>', 'token, such as eur:0x…', String))
    .addOption(
      repeatable(
        '--signer <reference>',
        'keystore:PATH, awskms:KEY, web3signer:URL/0xADDRESS, file:PATH, or env:NAME of a variable with one of these',
        String,
      ),
    )
    .option('--password-file <path>', 'file with the password of the keystores, for the settings')
    .option('--start-block <number>', 'block in which the first token was deployed; found by itself when possible')
    // Not --env-file: Node takes that option for itself, wherever it is.
    .option(
      '--write <file>',
      'write the settings to this file of NAME=value lines instead of showing them, with the network among the COMPOSE_PROFILES',
    )
    .option('--force', 'accept the settings although a check failed')
    .option('--json', 'print JSON')
    .action(async (name: Chain, options: AddOptions) => (await import('./add.ts')).addChain(name, options));
}

/** `mintrail chain list`. Throws `invalid_settings`. */
function listChains(json: boolean): void {
  const { networks } = cliNetworks();
  const listed = chains.map((chain) => {
    const { name, id, currency, explorer, blockGas, isTestnet } = chainFacts(chain);
    const settings = networks[chain];
    const { confirmations, blockTimeSeconds, maxBatch } = settings ?? networkDefaults(chain);
    return {
      chain,
      name,
      chainId: id,
      isTestnet,
      currency: currency.symbol,
      explorer,
      blockGas,
      confirmations: String(confirmations),
      blockTime: blockTimeSeconds,
      maxBatch,
      configured: settings && { tokens: settings.tokens, endpoints: settings.rpcUrls.length, signers: settings.signers.length },
    };
  });
  if (json) return print(renderJson(listed));
  const rows = listed.map(({ chain, name, chainId, currency, confirmations, blockTime, maxBatch, configured }) => [
    chain,
    name,
    String(chainId),
    currency,
    confirmations,
    `${blockTime} s`,
    String(maxBatch),
    describe(configured),
  ]);
  print(renderTable(['network', 'name', 'chain id', 'gas in', 'confirmations', 'block time', 'batch', 'configured'], rows));
}

function describe(configured: { tokens: object; endpoints: number; signers: number } | undefined): string {
  if (!configured) return '';
  return `${Object.keys(configured.tokens).join(' ')}, ${configured.endpoints} RPC, ${configured.signers} signers`;
}
