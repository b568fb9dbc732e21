-- Users, applications, and the tokens, factors and sessions by which they are known (docs/api.md, Authentication). Of secrets and tokens only
-- SHA-256 hashes are kept, or they are sealed.

-- The id of the key with which a text is sealed (src/platform/sealing.ts); empty for one that is not sealed.
create function sealing_key(sealed text) returns text language sql immutable parallel safe as $$ select split_part($1, ':', 3) $$;

create table users (
  id uuid primary key,
  email text not null unique,
  name text not null,
  default_profile uuid,
  created_at timestamptz not null default now(),
  -- When the user proved to receive mail at the address. Nobody signs in by a password before.
  email_verified_at timestamptz
);
comment on table users is 'People who sign in. A user acts for its profiles, itself or through applications.';
-- People write their email address in any case, so two users must not differ by case alone.
create unique index users_email on users (lower(email));

create table applications (
  id uuid primary key,
  kind text not null check (kind in ('authorization_code', 'whitelabel', 'private')),
  name text not null,
  -- Not of a public application, which proves itself by PKCE alone.
  secret_hash bytea,
  owner uuid not null references users,
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  -- What an authorization-code application registers.
  redirect_uris text[] not null default '{}',
  privacy_policy_url text,
  terms_url text,
  -- What it may do: for the users who let it, or by its own credentials.
  permissions text[] not null default '{read}' check (permissions <@ array['read', 'write'] and 'read' = any (permissions)),
  -- Credentials of a whitelabel or private application in production wait for this (docs/api.md, Applications). Those of a private one are also valid
  -- when the default profile of its owner is approved.
  approved_at timestamptz,
  -- Whether an authorization-code application proves itself by its secret. Private and whitelabel applications always do (RFC 6749, section 2.1).
  is_confidential boolean not null default false,
  -- Whether it has to prove itself by its secret to refresh tokens too, which an operator may ask for (docs/api.md, Token endpoint).
  refresh_needs_secret boolean not null default false check (is_confidential or not refresh_needs_secret),
  -- The origins whose pages may read the answers to an application's requests.
  origins text[] not null default '{}',
  -- When the client secret was made: what is older than an operator wants is named by `mintrail status`.
  secret_set_at timestamptz not null default now(),
  -- Since when somebody else may have had the secret before this one, as the operator said who made this one.
  secret_stolen_since timestamptz,
  -- The secret before this one, which stays valid for a day, so that whoever uses it can change to the new one without an outage.
  previous_secret_hash bytea,
  previous_secret_until timestamptz,
  constraint applications_public_has_no_secret check (is_confidential or kind <> 'authorization_code' or secret_hash is null),
  check ((previous_secret_hash is null) = (previous_secret_until is null))
);
comment on table applications is 'Programs that use the API: on their own (`private`, `whitelabel`), or for users who let them (`authorization_code`).';
create index applications_origins on applications (id) where origins <> '{}' and disabled_at is null;

create table consents (
  user_id uuid not null references users,
  application uuid not null references applications,
  permissions text[] not null,
  granted_at timestamptz not null default now(),
  -- When a token was last obtained under the consent.
  last_used_at timestamptz,
  primary key (user_id, application)
);
comment on table consents is 'The permissions that a user has given an application, by their last consent.';

create table grants (
  id uuid primary key,
  application uuid not null references applications,
  user_id uuid not null references users,
  -- How the user proved who they are; null where the application acts by its own secret.
  auth_method text check (auth_method in ('password', 'resource')),
  auth_subject text,
  -- the chain whose contract has signed; null for a key, which is one on every chain
  auth_chain text,
  made_at timestamptz not null default now(),
  -- When tokens were last obtained by it.
  refreshed_at timestamptz,
  -- When no token of the grant can be refreshed any more.
  ends_at timestamptz not null default now() + interval '90 days',
  -- Since when its code and tokens work no more.
  ended_at timestamptz,
  -- Since when what was linked through it signs nobody in: it was stolen, or was taken back with what it rests on. It has ended then, too.
  distrusted_at timestamptz check (distrusted_at is null or ended_at is not null),
  -- When it is looked whether anything refers to it still: not before a request for a link that was made through it is decided, which takes days.
  kept_until timestamptz not null default now() + interval '31 days'
);
comment on table grants is
  'What sign-ins of users have given to applications, and client secrets to their own. Codes and tokens belong to one; it is kept while a link was made through it.';
-- What a user takes back from an application is found by this, however many others have let it act.
create index grants_user on grants (user_id, application);
create index grants_application on grants (application);
create index grants_kept on grants (kept_until);

create table authorization_codes (
  hash bytea primary key,
  grant_id uuid not null unique references grants,
  redirect_uri text not null,
  code_challenge text not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
comment on table authorization_codes is
  'One-time codes of the authorization endpoint, by their SHA-256. A used code is kept, because a second use revokes the tokens that it gave.';
create index authorization_codes_expiry on authorization_codes (expires_at);

create table access_tokens (
  hash bytea primary key,
  grant_id uuid not null references grants,
  expires_at timestamptz not null
);
comment on table access_tokens is 'Access tokens, by their SHA-256.';
create index access_tokens_grant on access_tokens (grant_id);
create index access_tokens_expiry on access_tokens (expires_at);

create table refresh_tokens (
  hash bytea primary key,
  grant_id uuid not null references grants,
  expires_at timestamptz not null,
  used_at timestamptz
);
comment on table refresh_tokens is
  'Refresh tokens, by their SHA-256. A used one is kept, also when its grant has ended: a second use says that one of the two who used it has stolen it.';
create index refresh_tokens_grant on refresh_tokens (grant_id);
create index refresh_tokens_expiry on refresh_tokens (expires_at);

create table message_nonces (
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  -- What the message is for: a sign-in by EIP-4361, or the link of the address.
  purpose text not null check (purpose in ('sign-in', 'link')),
  nonce text not null,
  expires_at timestamptz not null,
  primary key (address, purpose, nonce)
);
comment on table message_nonces is 'Nonces of signed messages that are good once, until the messages are accepted no more.';
create index message_nonces_expiry on message_nonces (expires_at);

-- What people sign in with, customers' users on the hosted pages and operators in the console: each row is of a user or of an operator.

create table passwords (
  id uuid primary key default uuidv7(),
  user_id uuid unique references users,
  operator text unique references operators,
  hash text not null,
  updated_at timestamptz not null default now(),
  -- What was done when the password was stored last.
  set_by text not null check (set_by in ('sign-up', 'invitation', 'change', 'reset')),
  check (num_nonnulls(user_id, operator) = 1)
);
comment on table passwords is 'Passwords: argon2id, with its parameters and salt, in the PHC string format.';

create table sessions (
  hash bytea primary key,
  user_id uuid references users,
  operator text references operators,
  created_at timestamptz not null default now(),
  -- The latest end: earlier without use, at once when it is ended.
  expires_at timestamptz not null,
  -- What its user or operator recognises a session by.
  id uuid not null unique default uuidv7(),
  last_used_at timestamptz not null default now(),
  browser text not null default '',
  network text not null default '',
  ended_at timestamptz,
  -- When they last proved in it who they are: shortly after that they may change what they sign in with.
  proved_at timestamptz,
  check (num_nonnulls(user_id, operator) = 1)
);
comment on table sessions is 'Browsers in which a user or an operator is signed in, by the SHA-256 of their cookie.';
create index sessions_user on sessions (user_id) where user_id is not null;
create index sessions_operator on sessions (operator) where operator is not null;
create index sessions_expiry on sessions (expires_at);

create table known_devices (
  hash bytea not null,
  user_id uuid not null references users,
  expires_at timestamptz not null,
  primary key (hash, user_id)
);
comment on table known_devices is 'Browsers in which a user has signed in: their attempts are counted apart from everybody else''s.';
create index known_devices_expiry on known_devices (expires_at);
create index known_devices_user on known_devices (user_id);

create table sign_in_tries (
  subject text primary key,
  tries integer not null,
  until timestamptz not null,
  -- Until when the subject has to pause.
  blocked_until timestamptz
);
comment on table sign_in_tries is 'Attempts to sign in to one account, or from one network address, in a window of time. Who fails has to pause.';
create index sign_in_tries_until on sign_in_tries (until);

create table sign_in_failures (
  kind text not null check (kind in ('user', 'operator')),
  -- Id of the user or name of the operator; of those whom nobody knows together, the nil UUID or `(nobody)`, which is no name.
  subject text not null,
  factor text not null check (factor in ('password', 'code', 'passkey', 'invitation')),
  hour timestamptz not null,
  failures integer not null,
  primary key (kind, subject, factor, hour)
);
comment on table sign_in_failures is
  'Wrong passwords, codes, passkeys and invitations of a user or an operator in an hour. The audit log has the first, the tenth, the hundredth and so
  on, so that a flood does not fill it.';
create index sign_in_failures_age on sign_in_failures (hour);

create table passkeys (
  id uuid primary key default uuidv7(),
  user_id uuid references users,
  operator text references operators,
  credential_id text not null unique,
  -- COSE key (RFC 9052)
  public_key bytea not null,
  -- that of the authenticator's last signature; 0 for one that does not count
  counter bigint not null,
  transports text[] not null,
  -- whether it may exist on several devices, such as by a synchronised account
  is_synchronised boolean not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  -- when it signed with a counter that is not above the last: perhaps a copy
  counter_regressed_at timestamptz,
  check (num_nonnulls(user_id, operator) = 1)
);
comment on table passkeys is 'WebAuthn credentials of users and operators.';
create index passkeys_user on passkeys (user_id) where user_id is not null;
create index passkeys_operator on passkeys (operator) where operator is not null;

create table webauthn_challenges (
  -- SHA-256 of a secret of the browser, or of the page, that has to answer
  holder bytea not null,
  purpose text not null check (purpose in ('register', 'sign-in', 'second-factor', 'proof')),
  -- whom it is for; nobody in particular for a sign-in
  user_id uuid references users,
  operator text references operators,
  challenge text not null,
  expires_at timestamptz not null,
  primary key (holder, purpose),
  check (num_nonnulls(user_id, operator) = case purpose when 'sign-in' then 0 else 1 end)
);
comment on table webauthn_challenges is 'Challenges that wait for their signature, each for one browser or page and one purpose, and good once.';
create index webauthn_challenges_expiry on webauthn_challenges (expires_at);

create table totp_seeds (
  -- For which the seed is sealed.
  id uuid primary key default uuidv7(),
  user_id uuid references users,
  operator text references operators,
  -- sealed
  seed text not null,
  created_at timestamptz not null default now(),
  -- null while it waits for its first code
  activated_at timestamptz,
  -- the newest time step of which a code was accepted
  last_step bigint,
  check (num_nonnulls(user_id, operator) = 1)
);
comment on table totp_seeds is
  'Seeds of authenticator apps (RFC 6238): of everybody at most one whose codes count, and one that takes its place with its first code.';
create unique index totp_seeds_user on totp_seeds (user_id, (activated_at is null)) where user_id is not null;
create unique index totp_seeds_operator on totp_seeds (operator, (activated_at is null)) where operator is not null;
create index totp_seeds_seed_key on totp_seeds (sealing_key(seed), (id::text)) where seed is not null;

create table recovery_codes (
  hash bytea primary key,
  user_id uuid references users,
  operator text references operators,
  number smallint not null,
  used_at timestamptz,
  unique (user_id, number),
  unique (operator, number),
  check (num_nonnulls(user_id, operator) = 1)
);
comment on table recovery_codes is 'Codes for the day on which every other factor is lost, by their SHA-256: each has 120 random bits.';

create table pending_sign_ins (
  browser bytea primary key,
  user_id uuid not null references users,
  expires_at timestamptz not null
);
comment on table pending_sign_ins is 'Browsers in which a user gave the right password and owes the second factor.';
create index pending_sign_ins_user on pending_sign_ins (user_id);
create index pending_sign_ins_expiry on pending_sign_ins (expires_at);

create table email_codes (
  -- SHA-256 of the browser's secret
  browser bytea not null,
  purpose text not null check (purpose in ('sign-up', 'reset')),
  email text not null,
  -- HMAC-SHA-256 of the code under the browser's secret
  code_hash bytea not null,
  name text,
  password_hash text,
  attempts integer not null default 0,
  expires_at timestamptz not null,
  primary key (browser, purpose),
  check (purpose = 'reset' or (name is not null and password_hash is not null))
);
comment on table email_codes is
  'Codes that were sent by mail and not entered yet, for the browser that asked for them. A sign-up waits here with its name and password, and makes
  a user only when the code is entered. For an address that has an account already the row is the same, and nobody gets its code.';
create index email_codes_expiry on email_codes (expires_at);
create index email_codes_email on email_codes (lower(email), purpose);

create table mailed_codes (
  -- in lower case
  recipient text not null,
  -- no-account: of a reset where there is none, whose mail has no code
  purpose text not null check (purpose in ('sign-up', 'reset', 'no-account')),
  -- makes the code, together with the service's key
  salt bytea not null,
  -- that were sent
  mails integer not null,
  until timestamptz not null,
  primary key (recipient, purpose)
);
comment on table mailed_codes is
  'The code that everybody gets who asks for one for an address, until a time, and how often it was mailed: no number of strangers fills a mailbox, or
  keeps its owner from a code.';
create index mailed_codes_until on mailed_codes (until);

create table mails (
  id uuid primary key,
  recipient text not null,
  -- sealed, because it may have a code
  content text not null,
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  -- in the future while a worker sends it, and between attempts
  due_at timestamptz not null default now(),
  expires_at timestamptz not null,
  correlation_id text,
  -- of whoever asked for it, as far as they are unknown: a /48 of IPv6, a /24 of IPv4
  network text check (length(network) <= 45),
  -- the order in which networks take turns; 0 before all of them
  turn integer not null default 0,
  -- of a mail with a code, or in place of it: what it is counted as in mailed_codes when it is sent
  code_purpose text check (code_purpose in ('sign-up', 'reset', 'no-account')),
  check ((network is null) = (turn = 0))
);
comment on table mails is 'Mails that are to be sent; a sent one is deleted.';
create index mails_due on mails (due_at);
create index mails_turn on mails (turn, due_at);
create index mails_network on mails (network, turn);
create index mails_code on mails (lower(recipient), code_purpose) where code_purpose is not null;
create index mails_content_key on mails (sealing_key(content), (id::text));
