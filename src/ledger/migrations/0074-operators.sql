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
create unique index operators_any_case on operators (lower(name));

-- The invitation that sets the password and the second factor, or a passkey: one at a time, good once.
create table operator_invitations (
  operator text primary key references operators,
  hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index operator_invitations_expiry on operator_invitations (expires_at);

create table operator_passwords (
  operator text primary key references operators,
  hash text not null,
  updated_at timestamptz not null default now()
);

create table operator_sessions (
  hash bytea primary key,
  id uuid not null unique default uuidv7(),
  operator text not null references operators,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  browser text not null default '',
  network text not null default ''
);
create index operator_sessions_operator on operator_sessions (operator);
create index operator_sessions_expiry on operator_sessions (expires_at);

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
create index operator_passkeys_operator on operator_passkeys (operator);

create table operator_totp_seeds (
  operator text primary key references operators,
  -- Sealed for its row.
  seed text not null,
  created_at timestamptz not null default now(),
  activated_at timestamptz,
  last_step bigint
);
create index operator_totp_seeds_seed_key on operator_totp_seeds (sealing_key(seed), operator);

create table operator_recovery_codes (
  hash bytea primary key,
  operator text not null references operators,
  number integer not null,
  used_at timestamptz,
  unique (operator, number)
);

-- The challenges of passkeys: each good once, for the page that asked for it, which is known by the SHA-256 of a secret.
create table operator_challenges (
  hash bytea primary key,
  -- Whom it is for, of a registration; null for a sign-in.
  operator text references operators,
  challenge text not null,
  expires_at timestamptz not null
);
create index operator_challenges_expiry on operator_challenges (expires_at);

create trigger audit_add after insert on operators for each row
  execute function record_audit('operator.add', 'operator', 'name', 'system', 'role');
create trigger audit_role after update of role on operators for each row when (old.role <> new.role)
  execute function record_audit('operator.role', 'operator', 'name', 'system', 'role');
create trigger audit_disable after update of disabled_at on operators for each row when (old.disabled_at is null and new.disabled_at is not null)
  execute function record_audit('operator.disable', 'operator', 'name', 'system');
create trigger audit_enable after update of disabled_at on operators for each row when (old.disabled_at is not null and new.disabled_at is null)
  execute function record_audit('operator.enable', 'operator', 'name', 'system');
create trigger audit_invite after insert or update on operator_invitations for each row
  execute function record_audit('operator.invite', 'operator', 'operator', 'system');
create trigger audit_accept after insert on operator_passwords for each row
  execute function record_audit('operator.password', 'operator', 'operator', 'operator:operator');
create trigger audit_change after update on operator_passwords for each row
  execute function record_audit('operator.password', 'operator', 'operator', 'operator:operator');
create trigger audit_sign_in after insert on operator_sessions for each row
  execute function record_audit('operator.sign-in', 'operator', 'operator', 'operator:operator');
create trigger audit_sign_out after update of ended_at on operator_sessions for each row when (old.ended_at is null and new.ended_at is not null)
  execute function record_audit('operator.sign-out', 'operator', 'operator', 'operator:operator');
create trigger audit_add after insert on operator_passkeys for each row
  execute function record_audit('operator.passkey-add', 'operator', 'operator', 'operator:operator', 'id,is_synchronised');
create trigger audit_remove after delete on operator_passkeys for each row
  execute function record_audit('operator.passkey-remove', 'operator', 'operator', 'operator:operator', 'id');
create trigger audit_regress after update of counter_regressed_at on operator_passkeys for each row
  execute function record_audit('operator.passkey-counter-regressed', 'operator', 'operator', 'operator:operator', 'id,counter');
create trigger audit_add after update of activated_at on operator_totp_seeds for each row
  when (old.activated_at is null and new.activated_at is not null)
  execute function record_audit('operator.totp-add', 'operator', 'operator', 'operator:operator');
create trigger audit_remove after delete on operator_totp_seeds for each row when (old.activated_at is not null)
  execute function record_audit('operator.totp-remove', 'operator', 'operator', 'operator:operator');
create trigger audit_use after update of used_at on operator_recovery_codes for each row
  execute function record_audit('operator.recovery-code', 'operator', 'operator', 'operator:operator', 'number');
