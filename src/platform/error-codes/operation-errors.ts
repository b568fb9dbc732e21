import type { ErrorEntry } from './entry.ts';

/** Errors of settings, the command line, the console, processes and the sandbox. Those that no program tells apart share a code. */
export const operationErrors = {
  bad_input: {
    meaning: 'What the command or the action was told contradicts itself, or does not fit what it is about. Nothing was done.',
    remedy: 'Correct what the message names.',
  },
  not_possible: {
    meaning:
      'What it is about is not in the state that this needs, or the machine, the network or a contract does not allow it. Nothing was done.',
    remedy: 'The message says why, and what to do instead.',
  },
  not_possible_yet: {
    retryable: true,
    meaning: 'Something that this needs has not happened yet: a transaction is not mined, a time not reached, a process not ready.',
    remedy: 'Run the same command again; the message says when, or where to look. Nothing is done twice.',
  },
  not_as_shown: {
    status: 409,
    meaning: 'What this is about has changed since it was shown to who decides: it would do something else by now. Nothing was done.',
    remedy: 'Look at it again, and ask for it again if it is still right.',
  },
  not_confirmed: {
    meaning: 'The command was not confirmed, and nothing was done. The exit code is 3.',
    remedy: 'Confirm it on a terminal, or add `--yes`.',
  },
  operator_unnamed: {
    meaning:
      'The command changes something in production, and its caller is `root` or a user without a name, so that the audit log could name nobody.',
    remedy: 'Say who acts: `mintrail --as NAME …`, or `OPERATORS`, which gives the users of the system their names.',
  },
  invalid_settings: {
    meaning: 'Settings are missing or wrong, or what they name: a file, a key, a role, a network.',
    remedy: 'Correct the variables that the message names.',
  },
  database_too_old: {
    meaning: 'The PostgreSQL server is older than the tables need.',
    remedy: 'Bring the server to the version that the message names, by `pg_upgrade` or by a dump and its restore.',
  },
  secret_in_arguments: {
    meaning: 'A secret stands on the command line, which other users of the machine can read.',
    remedy: 'Put it into a variable or a file, and name that.',
  },
  unknown_secrets_key: {
    meaning: 'A secret in the database is sealed with a key that the settings do not hold.',
    remedy: 'Add the key that the message names to `SECRETS_KEYS_OLD`, then run `mintrail secrets rotate`.',
  },
  unsealed_secret: {
    meaning: 'A secret in the database is not sealed.',
    remedy: 'Run `mintrail secrets rotate`.',
  },
  damaged_secret: {
    meaning: 'A sealed secret was altered, or moved from another row.',
    remedy: 'Find out who changed the row that the message names, and set the secret anew.',
  },
  database_unreachable: {
    retryable: true,
    meaning: 'PostgreSQL does not answer at `DATABASE_URL`.',
    remedy: 'Start the database, or correct the URL.',
  },
  not_migrated: {
    meaning:
      'The tables of the database are not of this version, or a pooler does not find them, because its connections have no `search_path`.',
    remedy:
      'Run `mintrail migrate`, and then let the pooler reconnect. With the `connect_query` of `deploy/pgbouncer/pgbouncer.ini` a pooler finds them.',
  },
  migration_failed: {
    meaning:
      'A migration failed, or must not run on these tables or beside these processes. It changed nothing, except that it may have built some of its indexes; those before it stay.',
    remedy: 'See the cause in the message.',
  },
  port_in_use: {
    meaning: 'The process cannot listen on its address and port.',
    remedy: 'Choose a port that is free.',
  },
  api_refused: {
    meaning: 'The API answered the command with an error.',
    remedy: 'See its message.',
  },
  api_unreachable: {
    retryable: true,
    meaning: 'The API does not answer the command.',
    remedy: 'Check its address, and that it runs.',
  },
  command_line_wrong: {
    meaning: 'The command line has an option, argument or command that does not exist, or lacks one. The exit code is 2.',
    remedy: '`mintrail COMMAND --help` shows the usage.',
  },
  unexpected: {
    meaning: 'The command failed in a way that it did not expect.',
    remedy: 'Run it again with `LOG_LEVEL=debug` to see where.',
  },
  interrupted: {
    retryable: true,
    meaning: 'The process was asked to stop while it started.',
    remedy: 'Start it again.',
  },
  upstream_unavailable: {
    retryable: true,
    meaning: "The live network of a sandbox's fork gives no answer.",
    remedy: 'See the message: wait, or name another endpoint with `--fork`.',
  },
  not_signed_in: {
    status: 401,
    meaning: 'The request to the console has no session, or its session has ended.',
    remedy: 'Sign in again.',
  },
  sign_in_failed: {
    status: 401,
    meaning: 'What was given to sign in to the console is not right, or counts no more. The answer does not say which part.',
    remedy: 'Begin again. An administrator makes a new invitation: `mintrail operator reset NAME`.',
  },
  role_not_sufficient: {
    status: 403,
    meaning: 'The role of the operator does not allow this, or the operator is disabled or not known.',
    remedy: 'Let an operator with a role that the message names do it.',
  },
  cross_site_request: {
    status: 403,
    meaning: 'The request to the console came from another site, or for another host name.',
    remedy: 'Open the console at its own address; behind a proxy, `CONSOLE_URL` is that address.',
  },
  proof_required: {
    status: 403,
    meaning:
      'Operators change what they sign in with only within five minutes after they have proven that they have what they sign in with now.',
    remedy: 'Prove it on the page Your account, and send the change again.',
  },
  own_approval: {
    status: 403,
    meaning: 'Nobody approves or refuses what they have asked for themselves.',
    remedy: 'Let another operator decide; you can withdraw it.',
  },
} as const satisfies Record<string, ErrorEntry>;
