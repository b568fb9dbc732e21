import type { Command } from 'commander';

interface PasswordOption {
  passwordFile?: string;
  json?: boolean;
}

/** `mintrail signer`: the keys that networks sign with. No key and no password is taken from the command line. */
export function addSignerCommands(program: Command): void {
  const signer = program.command('signer').description('make a key that a network signs with, and see whether a signer signs');

  signer
    .command('create')
    .description('make a new key in an encrypted keystore (Web3 Secret Storage, version 3)')
    .requiredOption('--keystore <path>', 'file to write; it must not exist')
    .option('--password-file <path>', 'file that holds its password; without it you are asked')
    .option('--json', 'answer in JSON')
    .action(async ({ keystore, passwordFile, json = false }: PasswordOption & { keystore: string }) =>
      (await import('./create.ts')).createKeystore({ path: keystore, passwordFile, json }),
    );

  signer
    .command('show')
    .description('show the address and the kind of a signer, after it signed something that no contract takes')
    .argument('<reference>', 'keystore:PATH, awskms:KEY, web3signer:URL/0xADDRESS or file:PATH, as in the SIGNERS of a network')
    .option('--password-file <path>', 'file that holds the password of a keystore; without it you are asked')
    .option('--json', 'answer in JSON')
    .action(async (reference: string, { passwordFile, json = false }: PasswordOption) =>
      (await import('./show.ts')).showSigner({ reference, passwordFile, json }),
    );
}
