import { type Command, Option } from 'commander';
import { operatorRoles, type Operator } from '../../ledger/operators/operators.ts';

/** `mintrail operator`: who may sign in to the console. */
export function addOperatorCommands(program: Command): void {
  const operator = program
    .command('operator')
    .description('add the people who sign in to the console, list, reset, disable and enable them');

  operator
    .command('list', { isDefault: true })
    .description('list all operators')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => (await commands()).list(json));

  named(operator.command('add'))
    .description('add an operator and print the link of the invitation, which is good once')
    .addOption(roleOption('--role <role>').makeOptionMandatory())
    .action(async (name: string, { role }: Pick<Operator, 'role'>) => (await commands()).add({ name, role }));

  named(operator.command('role'))
    .description('give an operator another role and end their sessions')
    .addOption(roleOption('--role <role>').makeOptionMandatory())
    .action(async (name: string, { role }: Pick<Operator, 'role'>) => (await commands()).setRole({ name, role }));

  named(operator.command('reset'))
    .description('remove what an operator signs in with, end their sessions, and print the link of a new invitation')
    .action(async (name: string) => (await commands()).reset(name));

  named(operator.command('disable'))
    .description('disable an operator and end their sessions')
    .action(async (name: string) => (await commands()).disable(name));

  named(operator.command('enable'))
    .description('let a disabled operator back in with their role, and print the link of a new invitation')
    .action(async (name: string) => (await commands()).enable(name));
}

function named(command: Command): Command {
  return command.argument('<name>', 'name of the person, as the audit log shows it');
}

function roleOption(flags: string): Option {
  return new Option(flags, 'what the operator may do (docs/console.md, Roles)').choices(operatorRoles);
}

async function commands() {
  return import('./operators.ts');
}
