import { type Command, Option } from 'commander';

export interface CreateOptions {
  kind: 'private' | 'whitelabel' | 'authorization_code';
  name: string;
  owner?: string;
  redirectUri: string[];
  privacyPolicy?: string;
  terms?: string;
  permission: 'read' | 'write';
  json?: true;
}

/** `mintrail app`: the applications of this environment (docs/api.md, Applications). */
export function addAppCommands(program: Command): void {
  const app = program.command('app').description('register applications, which get access tokens, and end them');

  app
    .command('create')
    .description('register an application; its secret is shown this once')
    .addOption(new Option('--kind <kind>', 'what it is').choices(['private', 'whitelabel', 'authorization_code']).makeOptionMandatory())
    .requiredOption('--name <name>', 'what people call it; users who sign in see it')
    .option('--owner <email>', 'user it belongs to; a new user when there is none. May be left out while there is a single user')
    .option(
      '--redirect-uri <uri>',
      'where users may come back to, exactly; repeatable (authorization_code)',
      (uri, all: string[]) => [...all, uri],
      [],
    )
    .option('--privacy-policy <url>', 'its privacy policy (authorization_code)')
    .option('--terms <url>', 'its terms of service (authorization_code)')
    .addOption(
      new Option('--permission <permission>', 'what its users let it do with their profiles (authorization_code)')
        .choices(['read', 'write'])
        .default('read'),
    )
    .option('--json', 'answer in JSON')
    .action(async (options: CreateOptions) => (await commands()).createApp(options));

  app
    .command('list', { isDefault: true })
    .description('list all applications, the oldest first')
    .option('--json', 'answer in JSON')
    .action(async ({ json = false }: { json?: boolean }) => (await commands()).listApps(json));

  app
    .command('rotate-secret')
    .description('give an application a new secret; the old one, and the tokens got by it, end at once')
    .argument('<id>', 'id of the application')
    .option('--json', 'answer in JSON')
    .action(async (id: string, { json = false }: { json?: boolean }) => (await commands()).rotate(id, json));

  app
    .command('disable')
    .description('end an application and its tokens, for good')
    .argument('<id>', 'id of the application')
    .option('--json', 'answer in JSON')
    .action(async (id: string, { json = false }: { json?: boolean }) => (await commands()).disable(id, json));

  app
    .command('approve')
    .description('make the credentials of a whitelabel application in production valid')
    .argument('<id>', 'id of the application')
    .option('--json', 'answer in JSON')
    .action(async (id: string, { json = false }: { json?: boolean }) => (await commands()).approve(id, json));
}

const commands = () => import('./registration.ts');
