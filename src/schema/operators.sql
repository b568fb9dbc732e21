-- The people who run the service and sign in to its console. They are no users of the API: nothing that a user has opens the console. What they sign in
-- with stands in access.sql, beside that of users.

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
