import { type Chain, chains } from '../src/platform/chains.ts';
import { networkSettingsSchema } from '../src/platform/settings/network-schema.ts';
import { type NetworkSettingName, networkVariable } from '../src/platform/settings.ts';

/** Secrets, and addresses that carry keys: who gets which is decided below. */
const secretNames: readonly NetworkSettingName[] = ['rpcUrls', 'signers', 'keystorePassword', 'deployer', 'deployerPassword'];

/** Of local chains and forks, which a deployment has none of. */
const sandboxNames: readonly NetworkSettingName[] = ['genesis'];

/** Characters in a line of generated YAML. */
const lineLength = 150;

/** docker-compose.yml with what it has of each network, between the comments that say so. */
export function withNetworks(text: string): string {
  return [
    ['network settings', '', [...chains.flatMap(settingsOf), union('networks', chains)]] as const,
    ['network keys', '', [...chains.flatMap(keysOf), union('all-keys', chains.map(keysAnchor)), ...endpoints()]] as const,
    ['deployers', '      ', chains.flatMap(deployerOf)] as const,
    ['networks', '  ', chains.flatMap(servicesOf)] as const,
  ].reduce((whole, [name, indent, lines]) => replaceBetween(whole, name, indent, lines), text);
}

/** What every process may know of a network. */
function settingsOf(chain: Chain): string[] {
  const names = Object.keys(networkSettingsSchema.shape) as NetworkSettingName[];
  const known = names.filter((name) => ![...secretNames, ...sandboxNames].includes(name)).map((name) => networkVariable(chain, name));
  return [`x-${chain}: &${chain} {`, ...wrapped(known.map((name) => `${name},`)).map((line) => `  ${line}`), '}'];
}

/** By default the keystore that `mintrail signer create` makes where only this network's worker sees it. */
function keysOf(chain: Chain): string[] {
  const folder = `/run/secrets/${chain}`;
  const [signers, password] = [networkVariable(chain, 'signers'), networkVariable(chain, 'keystorePassword')];
  return [
    `x-${keysAnchor(chain)}: &${keysAnchor(chain)}`,
    `  ${networkVariable(chain, 'rpcUrls')}:`,
    `  ${signers}: \${${signers}:-keystore:${folder}/keystore.json}`,
    `  ${password}: \${${password}:-file:${folder}/password}`,
  ];
}

/** The endpoints of all networks, without their keys: the console shows what the nodes say. */
function endpoints(): string[] {
  const variables = chains.map((chain) => `${networkVariable(chain, 'rpcUrls')},`);
  return ['x-endpoints: &endpoints {', ...wrapped(variables).map((line) => `  ${line}`), '}'];
}

/** Deploys tokens by the command line, and serves nothing else. */
function deployerOf(chain: Chain): string[] {
  return (['deployer', 'deployerPassword'] as const).map((name) => `${networkVariable(chain, name)}:`);
}

function servicesOf(chain: Chain): string[] {
  return [
    '',
    `worker-${chain}:`,
    '  <<: *service',
    `  profiles: [${chain}]`,
    `  command: [worker, --chain, ${chain}]`,
    `  environment: { <<: [*worker, *${chain}, *${keysAnchor(chain)}] }`,
    `  volumes: ['./secrets/${chain}:/run/secrets/${chain}:ro']`,
    '',
    `indexer-${chain}:`,
    '  <<: *indexer-service',
    `  profiles: [${chain}]`,
    `  command: [indexer, --chain, ${chain}]`,
    `  environment: { <<: [*indexer, *${chain}], ${networkVariable(chain, 'rpcUrls')} }`,
  ];
}

function keysAnchor(chain: Chain): string {
  return `${chain}-keys`;
}

/** A mapping with everything that others have. */
function union(name: string, anchors: readonly string[]): string {
  return `x-${name}: &${name} { <<: [${anchors.map((anchor) => `*${anchor}`).join(', ')}] }`;
}

function wrapped(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= lineLength) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function replaceBetween(text: string, name: string, indent: string, lines: readonly string[]): string {
  const [begin, end] = [`${indent}# <${name}>\n`, `${indent}# </${name}>\n`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docker-compose.yml has no ${begin.trim()} and ${end.trim()}`);
  const content = lines.map((line) => (line === '' ? '\n' : `${indent}${line}\n`)).join('');
  return `${text.slice(0, from + begin.length)}${content}${text.slice(to)}`;
}
