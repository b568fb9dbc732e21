import { type Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from '../option-values.ts';
import type { SandboxFile } from '../running-sandbox.ts';
import { print } from '../print.ts';

type Account = SandboxFile['accounts'][number];

interface WalletOptions {
  account: number;
  keystore?: string;
  passwordFile?: string;
}

/** `mintrail wallet`: accounts that stand in for a customer's wallet, those of the running sandbox or of keystores. */
export function addWalletCommands(program: Command): void {
  const wallet = program
    .command('wallet')
    .description("stand in for a customer's wallet, to try the API by hand: with the sandbox's accounts, or a keystore");

  withAccountOptions(wallet.command('address', { isDefault: true }))
    .description('print the address of an account')
    .action(async (options: WalletOptions) => print((await openAccount(options)).address));

  withAccountOptions(wallet.command('sign'))
    .description('sign a text as a wallet does (EIP-191), and print the signature')
    .argument('<message>', 'text, such as: Send EUR 10.00 to DE89370400440532013000 at 2026-11-21T12:00Z')
    .action(async (message: string, options: WalletOptions) => print(await (await openAccount(options)).signMessage({ message })));
}

function withAccountOptions(command: Command): Command {
  return command
    .option('--account <number>', 'number of an account of the sandbox, from 1', wholeNumber(1, 999), 1)
    .option('--keystore <path>', 'the account of this keystore instead, such as one of mintrail signer create')
    .option('--password-file <path>', 'file with the password of the keystore; without it the command asks');
}

async function openAccount({ account, keystore, passwordFile }: WalletOptions) {
  const { privateKeyToAccount } = await import('viem/accounts');
  if (keystore === undefined) return privateKeyToAccount((await findSandboxAccount(account)).privateKey);
  const { askPassword } = await import('../signer/keystore-password.ts');
  const { readKeystore } = await import('../../chain/signers/keystore.ts');
  const { bytesToHex } = await import('viem');
  return privateKeyToAccount(bytesToHex(await readKeystore(keystore, await askPassword(passwordFile))));
}

async function findSandboxAccount(account: number): Promise<Account> {
  const { requireSandbox } = await import('../running-sandbox.ts');
  const { accounts } = await requireSandbox();
  const chosen = accounts[account - 1];
  if (chosen) return chosen;
  throw new InvalidArgumentError(`The sandbox has the accounts 1 to ${accounts.length}.`);
}
