-- Confidential clients, second factors, and the end of what a user let an application do (docs/api.md, Authentication).

-- Whether an authorization-code application proves itself by its secret. Private and whitelabel applications always do (RFC 6749, section 2.1).
alter table applications add column is_confidential boolean not null default false;

-- When no token of the family can be refreshed any more. Families that exist end as if they began now.
alter table refresh_tokens add column family_ends_at timestamptz not null default now() + interval '90 days';

-- When a token was last obtained under the consent.
alter table consents add column last_used_at timestamptz;

-- When the user of a session last proved who they are, by the password or by a factor.
alter table sessions add column proved_at timestamptz not null default now();

-- WebAuthn credentials. The counter is that of the authenticator's last signature; 0 for one that does not count.
create table passkeys (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users,
  credential_id text not null unique,
  -- COSE key (RFC 9052)
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  -- whether it may exist on several devices, such as by a synchronised account
  is_synchronised boolean not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  -- when it signed with a counter that is not above the last: perhaps a copy
  counter_regressed_at timestamptz
);
create index passkeys_user on passkeys (user_id);

-- A challenge waits for its signature, in one browser and for one purpose. The browser is the SHA-256 of its cookie.
create table webauthn_challenges (
  browser bytea not null,
  purpose text not null check (purpose in ('register', 'sign-in', 'second-factor', 'proof')),
  challenge text not null,
  expires_at timestamptz not null,
  primary key (browser, purpose)
);
create index webauthn_challenges_expiry on webauthn_challenges (expires_at);

-- The seed of a user's authenticator app (RFC 6238), sealed. It counts once a code has activated it. `last_step` is the newest time step of
-- which a code was accepted.
create table totp_seeds (
  user_id uuid primary key references users,
  seed text not null,
  created_at timestamptz not null default now(),
  activated_at timestamptz,
  last_step bigint
);

-- Codes for the day on which every other factor is lost, by their SHA-256: each has 120 random bits.
create table recovery_codes (
  hash bytea primary key,
  user_id uuid not null references users,
  number smallint not null,
  used_at timestamptz,
  unique (user_id, number)
);

-- A browser in which a user gave the right password and owes the second factor.
create table pending_sign_ins (
  browser bytea primary key,
  user_id uuid not null references users,
  expires_at timestamptz not null
);
create index pending_sign_ins_user on pending_sign_ins (user_id);
create index pending_sign_ins_expiry on pending_sign_ins (expires_at);

-- As before (migration 0005), and of a row that is deleted too.
create or replace function record_audit() returns trigger language plpgsql as $$
declare
  given text[] := string_to_array(substring(left(current_query(), 400) from '^/\*by (.*?)\*/'), ' ');
  changed jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  fallback text := tg_argv[3];
  detail jsonb := '{}';
  name text;
begin
  if given is null then
    if fallback = '' then return null; end if;
    given := array[split_part(fallback, ':', 1), coalesce(changed ->> split_part(fallback, ':', 2), 'mintrail'), '-', '-'];
  end if;
  foreach name in array string_to_array(coalesce(tg_argv[4], ''), ',') loop
    if changed ->> name is not null then detail := detail || jsonb_build_object(name, changed -> name); end if;
  end loop;
  if given[3] <> '-' then detail := detail || jsonb_build_object('application', given[3]); end if;
  insert into audit_log (actor_kind, actor, action, subject_kind, subject, correlation_id, detail)
  values (given[1], given[2], tg_argv[0], tg_argv[1], changed ->> tg_argv[2],
    coalesce(nullif(given[4], '-'), changed ->> 'correlation_id'), detail);
  return null;
end $$;

-- The use of a consent is not another consent.
drop trigger audit_consent on consents;
create trigger audit_consent after insert or update of permissions, granted_at on consents for each row
  execute function record_audit('consent.grant', 'application', 'application', 'user:user_id', 'permissions');
create trigger audit_consent_end after delete on consents for each row
  execute function record_audit('consent.revoke', 'application', 'application', 'user:user_id', 'permissions');

create trigger audit_add after insert on passkeys for each row
  execute function record_audit('passkey.add', 'user', 'user_id', 'user:user_id', 'id,is_synchronised');
create trigger audit_remove after delete on passkeys for each row
  execute function record_audit('passkey.remove', 'user', 'user_id', 'user:user_id', 'id');
create trigger audit_regress after update of counter_regressed_at on passkeys for each row
  execute function record_audit('passkey.counter-regressed', 'user', 'user_id', 'user:user_id', 'id,counter');
create trigger audit_add after update of activated_at on totp_seeds for each row
  when (old.activated_at is null and new.activated_at is not null)
  execute function record_audit('totp.add', 'user', 'user_id', 'user:user_id');
create trigger audit_remove after delete on totp_seeds for each row when (old.activated_at is not null)
  execute function record_audit('totp.remove', 'user', 'user_id', 'user:user_id');
create trigger audit_make after insert on recovery_codes for each row when (new.number = 1)
  execute function record_audit('recovery-codes.make', 'user', 'user_id', 'user:user_id');
create trigger audit_use after update of used_at on recovery_codes for each row
  execute function record_audit('recovery-code.use', 'user', 'user_id', 'user:user_id', 'number');
