import { type Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from '../option-values.ts';
import type { SandboxFile } from '../sandbox/sandbox-process.ts';
import { print } from '../print.ts';

type Account = SandboxFile['accounts'][number];

/** `mintrail wallet`: the accounts of the running sandbox, which stand in for a customer's wallet. */
export function addWalletCommands(program: Command): void {
  const wallet = program.command('wallet').description("use the sandbox's accounts, to try the API by hand");

  wallet
    .command('address', { isDefault: true })
    .description('print the address of an account')
    .option('--account <number>', 'number of the account, from 1', wholeNumber(1, 999), 1)
    .action(async (options: { account: number }) => print((await findAccount(options)).address));

  wallet
    .command('sign')
    .description('sign a text as a wallet does (EIP-191), and print the signature')
    .argument('<message>', 'text, such as: Send EUR 10.00 to DE89370400440532013000 at 2026-11-21T12:00Z')
    .option('--account <number>', 'number of the account, from 1', wholeNumber(1, 999), 1)
    .action(async (message: string, options: { account: number }) => {
      const { privateKeyToAccount } = await import('viem/accounts');
      print(await privateKeyToAccount((await findAccount(options)).privateKey).signMessage({ message }));
    });
}

async function findAccount({ account }: { account: number }): Promise<Account> {
  const { requireSandbox } = await import('../sandbox/sandbox-process.ts');
  const { accounts } = await requireSandbox();
  const chosen = accounts[account - 1];
  if (chosen) return chosen;
  throw new InvalidArgumentError(`The sandbox has the accounts 1 to ${accounts.length}.`);
}
