-- Users who sign in and let applications act for them (docs/api.md, Authorization endpoint; RFC 6749, RFC 7636, RFC 9700).

-- What an authorization-code application registers. The permissions are what its users grant it.
alter table applications add column redirect_uris text[] not null default '{}';
alter table applications add column privacy_policy_url text;
alter table applications add column terms_url text;
alter table applications add column permissions text[] not null default '{read}'
  check (permissions <@ array['read', 'write'] and 'read' = any (permissions));

-- People write their email address in any case, so two users must not differ by case alone.
create unique index users_email on users (lower(email));

-- argon2id, with its parameters and salt, in the PHC string format.
create table passwords (
  user_id uuid primary key references users,
  hash text not null,
  updated_at timestamptz not null default now()
);

-- A browser in which a user is signed in, by the SHA-256 of its cookie.
create table sessions (
  hash bytea primary key,
  user_id uuid not null references users,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);

-- Attempts to sign in to one account, or from one network address, in a window of time.
create table sign_in_tries (
  subject text primary key,
  tries integer not null,
  until timestamptz not null
);
create index sign_in_tries_until on sign_in_tries (until);

-- The permissions that a user has given an application, by their last consent.
create table consents (
  user_id uuid not null references users,
  application uuid not null references applications,
  permissions text[] not null,
  granted_at timestamptz not null default now(),
  primary key (user_id, application)
);

-- One-time codes, by their SHA-256. A used code is kept, because a second use revokes the tokens that it gave.
create table authorization_codes (
  hash bytea primary key,
  application uuid not null references applications,
  user_id uuid not null references users,
  redirect_uri text not null,
  code_challenge text not null,
  auth_method text not null check (auth_method in ('password', 'resource')),
  auth_subject text not null,
  -- the family of the tokens that it gives
  family uuid not null unique,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index authorization_codes_expiry on authorization_codes (expires_at);

-- How the user proved who they are when the family began; null where the application acts by its own secret.
alter table access_tokens add column auth_method text;
alter table access_tokens add column auth_subject text;
alter table refresh_tokens add column auth_method text;
alter table refresh_tokens add column auth_subject text;

-- Nonces of signed EIP-4361 messages, until the messages expire.
create table siwe_nonces (
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  nonce text not null,
  expires_at timestamptz not null,
  primary key (address, nonce)
);
create index siwe_nonces_expiry on siwe_nonces (expires_at);
