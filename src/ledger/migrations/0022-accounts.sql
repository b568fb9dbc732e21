-- An account belongs to whoever has proven its email address, and its owner sees what is done with it.

-- When the user proved to receive mail at the address. Nobody signs in by a password before: those from before this migration are void until
-- a reset by mail proves the address.
alter table users add column email_verified_at timestamptz;
create trigger audit_verify after update on users for each row
  when (new.email_verified_at is not null and old.email_verified_at is distinct from new.email_verified_at)
  execute function record_audit('user.verify-email', 'user', 'id', 'user:id');
create trigger audit_verify_new after insert on users for each row when (new.email_verified_at is not null)
  execute function record_audit('user.verify-email', 'user', 'id', 'user:id');

-- What was done when the password was stored last.
alter table passwords add column set_by text not null default 'sign-up' check (set_by in ('sign-up', 'change', 'reset'));
drop trigger audit_password on passwords;
create trigger audit_password after insert or update on passwords for each row
  execute function record_audit('user.password', 'user', 'user_id', 'user:user_id', 'set_by');

-- Sessions of accounts whose address nobody has proven.
delete from sessions;
delete from known_devices;

-- What their user recognises a session by, and when it ends: `expires_at` at the latest, earlier without use, at once when it is ended.
alter table sessions add column id uuid not null unique default uuidv7();
alter table sessions add column last_used_at timestamptz not null default now();
alter table sessions add column browser text not null default '';
alter table sessions add column network text not null default '';
alter table sessions add column ended_at timestamptz;
create trigger audit_sign_in after insert on sessions for each row
  execute function record_audit('user.sign-in', 'user', 'user_id', 'user:user_id');
create trigger audit_sign_out after update on sessions for each row when (old.ended_at is null and new.ended_at is not null)
  execute function record_audit('user.sign-out', 'user', 'user_id', 'user:user_id');

create index known_devices_user on known_devices (user_id);

-- Wrong passwords of an account in an hour; those of addresses without an account are counted together, under the nil UUID. The audit log has the first,
-- the tenth, the hundredth and so on, so that a flood does not fill it.
create table sign_in_failures (
  user_id uuid not null,
  hour timestamptz not null,
  failures integer not null,
  primary key (user_id, hour)
);
create index sign_in_failures_age on sign_in_failures (hour);
create trigger audit_failure after insert or update on sign_in_failures for each row when (new.failures in (1, 10, 100, 1000, 10000))
  execute function record_audit('user.sign-in-failed', 'user', 'user_id', 'system', 'failures');

-- Codes that were sent by mail and not entered yet, for the browser that asked for them. `code_hash` is the HMAC-SHA-256 of the code under the
-- browser's secret, of which only the SHA-256 is kept. A sign-up waits here with its name and password, and makes a user only when the code is
-- entered. For an address that has an account already the row is the same, and nobody gets its code.
create table email_codes (
  browser bytea not null,
  purpose text not null check (purpose in ('sign-up', 'reset')),
  email text not null,
  code_hash bytea not null,
  name text,
  password_hash text,
  attempts integer not null default 0,
  expires_at timestamptz not null,
  primary key (browser, purpose),
  check (purpose = 'reset' or (name is not null and password_hash is not null))
);
create index email_codes_expiry on email_codes (expires_at);

-- Mails that are to be sent; a sent one is deleted. `content` is sealed, because it may have a code. `due_at` lies in the future while a worker
-- sends it, and between attempts.
create table mails (
  id uuid primary key,
  recipient text not null,
  content text not null,
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index mails_due on mails (due_at);
