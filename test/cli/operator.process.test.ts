import type { Command } from 'commander';
import { userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { changesLedger } from '../../src/cli/operator.ts';
import { sandboxCommands } from '../../sandbox/commands.ts';
import { createProgram } from '../../src/cli/program.ts';
import { loadSomeSettings } from '../../src/platform/settings.ts';
import { mintrail } from '../support/processes/mintrail.ts';
import { testLedger } from '../support/test-ledger.ts';

/** Commands that change nothing in the ledger; the service's own, and those that change a token by its admin's keys. */
const others = new Set(
  [
    'sandbox demo api console worker indexer migrate audit setup status trace retention',
    'address-show app-list bank-statements bank-unmatched bank-debits bank-claims bank-recalls book-balances book-account book-entry book-day book-verify book-export',
    'chain-list chain-check chain-add operator-list orders-list orders-show payments-list payments-files profile-list profile-show reconcile',
    'safe-create safe-show secrets-create secrets-generate-key secrets-status signer-create signer-show user-list user-show wallet-address wallet-sign',
    'token-deploy token-show token-verify token-allowance token-pause token-unpause token-block token-unblock token-grant token-revoke token-upgrade token-sign token-execute',
    'webhook-subscriptions webhook-deliveries webhook-listen',
  ].flatMap((line) => line.split(' ').map((name) => name.replace('-', ' '))),
);

/** Groups of commands do nothing themselves; `recover` and `reconcile` do. */
const hasAction = (command: Command) => (command as unknown as { _actionHandler: unknown })._actionHandler !== null;

function commandsOf(command: Command, path: string[] = []): { name: string; command: Command }[] {
  return [
    ...(hasAction(command) ? [{ name: path.join(' '), command }] : []),
    ...command.commands.flatMap((child) => commandsOf(child, [...path, child.name()])),
  ];
}

it('each command is known to change the ledger, with a named operator, or not', async () => {
  const commands = commandsOf(await createProgram(process.argv, sandboxCommands));
  const [changing, named] = [changesLedger, (command: Command) => command.options.some(({ long }) => long === '--as')].map((is) =>
    commands.filter(({ command }) => is(command)).map(({ name }) => name),
  );
  expect(commands.map(({ name }) => name).filter((name) => !changing?.includes(name))).toEqual(
    commands.map(({ name }) => name).filter((name) => others.has(name)),
  );
  expect(named).toEqual(changing);
});

/** Arguments that create an application. */
const create = (name: string) => ['app', 'create', '--kind', 'whitelabel', '--name', name, '--owner', 'shop@example.org', '--yes'];

describe('who changes something', () => {
  const database = testLedger();

  const run = (args: string[], env: Record<string, string> = {}) => mintrail(args, { DATABASE_URL: database.url, FOUR_EYES: 'no', ...env });
  const actors = async () => {
    const { stdout } = await run(['audit', '--action', 'app.create', '--json']);
    return (JSON.parse(stdout) as { actor: string }[]).map(({ actor }) => actor);
  };

  it('is named in the audit log by --as, before the command or after it, else by OPERATORS', async () => {
    await run([...create('A'), '--as', 'anna']);
    await run(['--as', 'ben@example.org', ...create('B')]);
    await run(create('C'), { OPERATORS: `${userInfo().username}:carla` });
    expect(await actors()).toEqual(['carla', 'ben@example.org', 'anna']);
  });

  it.runIf(userInfo().username === 'root')('is not root in production, who can be anybody', async () => {
    const { code, stderr } = await run(create('D'), { OPERATORS: '' });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "Error: The audit log names who changes something, and root can be anybody: run `mintrail --as NAME app create …` with your name, or set OPERATORS to the names of the system's users\n(operator_unnamed)\n",
    });
    expect((await run(['app', 'list'], { OPERATORS: '' })).code).toBe(0);
    expect((await run(create('E'), { OPERATORS: '', MINTRAIL_ENVIRONMENT: 'sandbox' })).code).toBe(0);
    expect((await run(['recover'], { OPERATORS: '' })).stderr).not.toContain('operator_unnamed');
    expect((await run(['recover', '--apply'], { OPERATORS: '' })).stderr).toContain('(operator_unnamed)');
  });
});

it.each(['root', 'a b', ''])('no operator is called %j', async (name) => {
  const again = (await createProgram(process.argv, sandboxCommands)).configureOutput({ writeErr: () => {} });
  await expect(again.parseAsync(['--as', name, ...create('F')], { from: 'user' })).rejects.toThrow('It must be the name of a person');
  if (name !== '') expect(() => loadSomeSettings(['operators'], { OPERATORS: `deploy:${name}` })).toThrow('OPERATORS: ');
});
