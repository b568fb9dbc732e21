import type { Command } from 'commander';

interface PasswordOption {
  passwordFile?: string;
  json?: boolean;
}

/** `mintrail signer`. It accepts no key and no password on the command line. */
export function addSignerCommands(program: Command): void {
  const signer = program.command('signer').description('create a key for a signer, or test a signer');

  signer
    .command('create')
    .description('create a key in an encrypted keystore (Web3 Secret Storage, version 3)')
    .requiredOption('--keystore <path>', 'file to create')
    .option('--password-file <path>', 'file with its password; without it the command asks')
    .option('--json', 'print JSON')
    .action(async ({ keystore, passwordFile, json = false }: PasswordOption & { keystore: string }) =>
      (await import('./create.ts')).createKeystore({ path: keystore, passwordFile, json }),
    );

  signer
    .command('show')
    .description('make a signer sign a test, and show its address and kind')
    .argument(
      '<reference>',
      'keystore:PATH, awskms:KEY, web3signer:URL/0xADDRESS or file:PATH, as in <NETWORK>_SIGNERS, such as GNOSIS_SIGNERS',
    )
    .option('--password-file <path>', 'file with the password of the keystore; without it the command asks')
    .option('--json', 'print JSON')
    .action(async (reference: string, { passwordFile, json = false }: PasswordOption) =>
      (await import('./show.ts')).showSigner({ reference, passwordFile, json }),
    );
}
