import type { ErrorEntry } from './entry.ts';

/** Errors of settings, the command line, the console, processes and the sandbox. Those that no program tells apart share a code. */
export const operationErrors = {
  bad_input: {
    meaning: 'What was said contradicts itself, or does not fit what it is about. Nothing was done.',
    remedy: 'Correct what the message names.',
  },
  not_possible: {
    meaning: 'State, machine, network or contract does not allow it. Nothing was done.',
    remedy: 'The message says why, and what to do instead.',
  },
  not_possible_yet: {
    retryable: true,
    meaning: 'A transaction is not mined yet, a time not reached, or a process not ready.',
    remedy: 'Run the same command again when the message says; nothing is done twice.',
  },
  not_as_shown: {
    status: 409,
    meaning: 'What this is about has changed since it was shown. Nothing was done.',
    remedy: 'Look again, and ask again if it is still right.',
  },
  not_confirmed: {
    meaning: 'The command was not confirmed. The exit code is 3.',
    remedy: 'Confirm it on a terminal, or add `--yes`.',
  },
  operator_unnamed: {
    meaning: 'A change in production by `root` or a nameless user, whom the audit log could not name.',
    remedy: 'Say who acts: `mintrail --as NAME …`, or `OPERATORS`.',
  },
  invalid_settings: {
    meaning: 'Settings, or what they name (a file, key, role, network), are missing or wrong.',
    remedy: 'Correct the variables that the message names.',
  },
  database_too_old: {
    meaning: 'The PostgreSQL server is older than the tables need.',
    remedy: 'Bring it to the version that the message names (`pg_upgrade`, or dump and restore).',
  },
  secret_in_arguments: {
    meaning: 'A secret stands on the command line, which other users can read.',
    remedy: 'Put it into a variable or file, and name that.',
  },
  unknown_secrets_key: {
    meaning: 'A secret is sealed with a key that the settings do not hold.',
    remedy: 'Add the key to `SECRETS_KEYS_OLD`, then run `mintrail secrets rotate`.',
  },
  unsealed_secret: {
    meaning: 'A secret in the database is not sealed.',
    remedy: 'Run `mintrail secrets rotate`.',
  },
  damaged_secret: {
    meaning: 'A sealed secret was altered, or moved from another row.',
    remedy: 'Find out who changed the row, and set the secret anew.',
  },
  database_unreachable: {
    retryable: true,
    meaning: 'PostgreSQL does not answer at `DATABASE_URL`.',
    remedy: 'Start the database, or correct the URL.',
  },
  not_migrated: {
    meaning: "The tables are not of this version, or a pooler's connections have no `search_path`.",
    remedy: 'Run `mintrail migrate`, then let the pooler reconnect (`connect_query` of `deploy/pgbouncer/pgbouncer.ini`).',
  },
  migration_failed: {
    meaning:
      'A migration failed, or must not run on these tables or beside these processes. It changed nothing but perhaps indexes; those before it stay.',
    remedy: 'See the cause in the message.',
  },
  port_in_use: {
    meaning: 'The process cannot listen on its port.',
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
    meaning: 'An option, argument or command does not exist, or is missing. The exit code is 2.',
    remedy: '`mintrail COMMAND --help` shows the usage.',
  },
  unexpected: {
    meaning: 'The command failed unexpectedly.',
    remedy: 'Run it again with `LOG_LEVEL=debug` to see where.',
  },
  interrupted: {
    retryable: true,
    meaning: 'The process was asked to stop while it started.',
    remedy: 'Start it again.',
  },
  upstream_unavailable: {
    retryable: true,
    meaning: "The network of a sandbox's fork does not answer.",
    remedy: 'Wait, or name another endpoint with `--fork`.',
  },
  not_signed_in: {
    status: 401,
    meaning: 'The request to the console has no session.',
    remedy: 'Sign in again.',
  },
  sign_in_failed: {
    status: 401,
    meaning: 'Something given to sign in to the console is wrong, or counts no more.',
    remedy: 'Begin again; an administrator invites anew: `mintrail operator reset NAME`.',
  },
  role_not_sufficient: {
    status: 403,
    meaning: "The operator's role does not allow this, or the operator is disabled or unknown.",
    remedy: 'Let one with a role that the message names do it.',
  },
  cross_site_request: {
    status: 403,
    meaning: 'The request to the console came from another site, or for another host.',
    remedy: 'Open the console at its own address (`CONSOLE_URL`).',
  },
  proof_required: {
    status: 403,
    meaning: 'Operators change what they sign in with only within five minutes of proving it.',
    remedy: 'Prove it on the page Your account, and try again.',
  },
  own_approval: {
    status: 403,
    meaning: 'Nobody decides what they have asked for themselves.',
    remedy: 'Let another operator decide; you can withdraw it.',
  },
} as const satisfies Record<string, ErrorEntry>;
