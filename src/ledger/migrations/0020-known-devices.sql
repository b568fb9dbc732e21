-- Who fails to sign in waits, and nobody else does.

-- The browsers in which a user has signed in: their attempts are counted apart from everybody else's.
create table known_devices (
  hash bytea not null,
  user_id uuid not null references users,
  expires_at timestamptz not null,
  primary key (hash, user_id)
);
create index known_devices_expiry on known_devices (expires_at);

-- Until when the subject has to pause.
alter table sign_in_tries add column blocked_until timestamptz;
