import { type Command, Option } from 'commander';
import { parseSince, repeatable } from '../option-values.ts';
import type { OriginChanges } from '../../ledger/access/application-origins.ts';
import type { CreateOptions, RotateOptions } from './applications.ts';

/** `mintrail app`: the applications of this environment (docs/api.md, Applications). */
export function addAppCommands(program: Command): void {
  const app = program.command('app').description('register applications, which get access tokens, and disable them');

  app
    .command('create')
    .description('register an application; its secret is shown only now')
    .addOption(
      new Option('--kind <kind>', 'how its credentials are used')
        .choices(['private', 'whitelabel', 'authorization_code'])
        .makeOptionMandatory(),
    )
    .requiredOption('--name <name>', 'name, which users see when they sign in')
    .option('--owner <email>', 'user who owns it, who is created if unknown; may be left out while there is only one user')
    .addOption(
      repeatable(
        '--redirect-uri <uri>',
        'exact URI to which users may be sent back (authorization_code): https, a loopback address on any port, or an app such as com.example.app:/back',
        String,
      ),
    )
    .option('--privacy-policy <url>', 'its privacy policy (authorization_code); sign-in by a wallet (SIWE) needs it')
    .option('--terms <url>', 'its terms of service (authorization_code); sign-in by a wallet (SIWE) needs them')
    .addOption(
      new Option('--permission <permission>', 'access that users give it to their profiles (authorization_code)')
        .choices(['read', 'write'])
        .default('read'),
    )
    .option('--read-only', 'it may only read, as a reporting tool that must not move money (private)')
    .option('--confidential', 'it has a server that keeps its secret, which it then sends with every code (authorization_code)')
    .option('--refresh-needs-secret', 'it sends its secret with every refresh too, which clients of this API family do not by themselves')
    .addOption(repeatable('--origin <origin>', 'origin whose pages may call the API across origins (docs/api.md, Browsers)', String))
    .option('--json', 'print JSON')
    .action(async (options: CreateOptions) => (await commands()).createApp(options));

  app
    .command('list', { isDefault: true })
    .description('list all applications, the oldest first')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => (await commands()).listApps(json));

  app
    .command('origins')
    .description('list the origins whose pages may call the API for an application, or change them')
    .argument('<client-id>', 'its client id, as `app create` and `app list` show it')
    .addOption(repeatable('--add <origin>', 'let the pages of this origin in, such as https://app.example', String))
    .addOption(repeatable('--remove <origin>', 'let them in no more', String))
    .option('--json', 'print JSON')
    .action(async (id: string, options: OriginChanges & { json?: true }) => (await commands()).origins(id, options));

  app
    .command('rotate-secret')
    .description('give an application a new secret; the old one stays valid for 24 hours')
    .argument('<client-id>', 'its client id, as `app create` and `app list` show it')
    .option('--at-once', 'end the old secret and its tokens now')
    .option(
      '--stolen-since <time>',
      'somebody else may have had the old secret since then: ends it at once and all its tokens, and the wallet sign-in of what it has linked; a date, a time in RFC 3339, or a span back from now such as 24h or 7d',
      parseSince,
    )
    .option('--json', 'print JSON')
    .action(async (id: string, options: RotateOptions) => (await commands()).rotate(id, options));

  app
    .command('disable')
    .description('disable an application and its tokens for good')
    .argument('<client-id>', 'its client id, as `app create` and `app list` show it')
    .option('--json', 'print JSON')
    .action(async (id: string, { json = false }: { json?: boolean }) => (await commands()).disable(id, json));

  app
    .command('approve')
    .description('approve a whitelabel application in production, which makes its credentials valid')
    .argument('<client-id>', 'its client id, as `app create` and `app list` show it')
    .option('--json', 'print JSON')
    .action(async (id: string, { json = false }: { json?: boolean }) => (await commands()).approve(id, json));
}

const commands = () => import('./applications.ts');
