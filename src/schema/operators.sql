-- The people who run the service and sign in to its console. They are no users of the API: nothing that a user has opens the console.

create table operators (
  -- As the audit log names the person. It never changes and is never given to somebody else.
  name text primary key check (name ~ '^[A-Za-z0-9_.@-]{1,64}$'),
  -- The handle of their passkeys, which says nothing about them.
  id uuid not null unique default gen_random_uuid(),
  role text not null check (role in ('viewer', 'reviewer', 'treasurer', 'administrator')),
  created_at timestamptz not null default now(),
  disabled_at timestamptz
);
comment on table operators is 'People who may sign in to the console, and their role.';
create unique index operators_any_case on operators (lower(name));

create table operator_invitations (
  operator text primary key references operators,
  hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- Who makes the code; null for an invitation that its link alone accepts.
  code_maker text references operators,
  -- SHA-256 of the code; null before it is made.
  code_hash bytea,
  constraint operator_invitations_code check (code_hash is null or code_maker is not null)
);
comment on table operator_invitations is 'Invitations that set the password and the second factor, or a passkey: one for each operator at a time, good once.';
create index operator_invitations_expiry on operator_invitations (expires_at);

create table operator_passwords (
  operator text primary key references operators,
  hash text not null,
  updated_at timestamptz not null default now()
);
comment on table operator_passwords is 'Passwords of operators, as in `passwords`.';

create table operator_sessions (
  hash bytea primary key,
  id uuid not null unique default uuidv7(),
  operator text not null references operators,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  browser text not null default '',
  network text not null default '',
  -- When the operator last proved in it to have what they sign in with: shortly after that they may change it.
  proven_at timestamptz
);
comment on table operator_sessions is 'Browsers in which an operator is signed in, by the SHA-256 of their cookie.';
create index operator_sessions_operator on operator_sessions (operator);
create index operator_sessions_expiry on operator_sessions (expires_at);

create table operator_sign_in_failures (
  -- Name of the operator, or `(nobody)`, which is no name.
  operator text not null,
  factor text not null check (factor in ('password', 'code', 'passkey', 'invitation')),
  hour timestamptz not null,
  failures integer not null,
  primary key (operator, factor, hour)
);
comment on table operator_sign_in_failures is
  'Wrong passwords, codes, passkeys and invitations of an operator in an hour; those for names that nobody has are counted together. The audit log has
  the first, the tenth, the hundredth and so on, so that a flood does not fill it.';
create index operator_sign_in_failures_age on operator_sign_in_failures (hour);

create table operator_passkeys (
  id uuid primary key default uuidv7(),
  operator text not null references operators,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  is_synchronised boolean not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  counter_regressed_at timestamptz
);
comment on table operator_passkeys is 'WebAuthn credentials of operators, as in `passkeys`.';
create index operator_passkeys_operator on operator_passkeys (operator);

create table operator_totp_seeds (
  operator text primary key references operators,
  -- Sealed for its row.
  seed text not null,
  created_at timestamptz not null default now(),
  activated_at timestamptz,
  last_step bigint
);
comment on table operator_totp_seeds is 'Seeds of operators'' authenticator apps, as in `totp_seeds`.';
create index operator_totp_seeds_seed_key on operator_totp_seeds (sealing_key(seed), operator);

create table operator_recovery_codes (
  hash bytea primary key,
  operator text not null references operators,
  number integer not null,
  used_at timestamptz,
  unique (operator, number)
);
comment on table operator_recovery_codes is 'Recovery codes of operators, as in `recovery_codes`.';

create table operator_challenges (
  -- SHA-256 of the secret of the page
  hash bytea primary key,
  -- Whom it is for, of a registration; null for a sign-in.
  operator text references operators,
  challenge text not null,
  expires_at timestamptz not null
);
comment on table operator_challenges is 'Challenges of passkeys: each good once, for the page that asked for it.';
create index operator_challenges_expiry on operator_challenges (expires_at);

create table approvals (
  id uuid primary key default uuidv7(),
  action text not null,
  -- JSON, exactly as it was asked for: it is carried out as it stands here.
  input text not null,
  -- What the second person reads.
  description text not null,
  -- SHA-256 of the action, the input and the description: the second person approves this and nothing else.
  digest bytea not null,
  state text not null default 'waiting' check (state in ('waiting', 'approved', 'refused', 'withdrawn', 'expired', 'done', 'failed')),
  requested_by text not null references operators,
  requested_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_by text references operators,
  decided_at timestamptz,
  -- Why it was refused or withdrawn.
  note text,
  -- Counts the attempts to carry it out. One at a time: until `leased_until` no other begins.
  attempts integer not null default 0,
  leased_until timestamptz,
  result text,
  error_code text,
  error_message text,
  ended_at timestamptz,
  -- Nobody approves or refuses their own.
  constraint approvals_second_person check ( case when state in ('approved', 'refused', 'done', 'failed') then decided_by is not null and decided_by <> requested_by else true end)
);
comment on table approvals is 'What one operator asks for in the console and a second one has to approve.';
create index approvals_open on approvals (id) where state in ('waiting', 'approved');
create index approvals_requested_by on approvals (requested_by, id);

create table bank_uploads (
  -- Under which the storage has it, once it has arrived.
  file uuid primary key,
  operator text not null references operators,
  -- Its size, or before it has arrived the most that it can have.
  bytes bigint not null check (bytes >= 0),
  begun_at timestamptz not null default now(),
  -- What asks for its import; null while it arrives.
  approval uuid references approvals
);
comment on table bank_uploads is 'Bank files that operators upload: each as long as it takes room, from its arrival on, so that what waits has a bound.';
create index bank_uploads_approval on bank_uploads (approval);
