-- Sealed secrets, and the counters of quotas.

-- The id of the key with which a text is sealed (src/platform/sealing.ts); empty for one that is not sealed.
create function sealing_key(sealed text) returns text language sql immutable parallel safe as $$ select split_part($1, ':', 3) $$;

-- Which keys are in use, and what a rotation still has to seal again, are read from these.
create index webhook_subscriptions_secret_key on webhook_subscriptions (sealing_key(secret), (id::text)) where secret is not null;
create index webhook_subscriptions_previous_secret_key on webhook_subscriptions (sealing_key(previous_secret), (id::text)) where previous_secret is not null;
create index totp_seeds_seed_key on totp_seeds (sealing_key(seed), (user_id::text)) where seed is not null;
create index mails_content_key on mails (sealing_key(content), (id::text));

-- Sealing the same secret again is no change by anybody (src/ledger/sealed-secrets.ts).
drop trigger audit_secret on webhook_subscriptions;
create trigger audit_secret after update on webhook_subscriptions for each row
  when (new.state <> 'deleted' and old.secret is distinct from new.secret and coalesce(current_setting('mintrail.resealing', true), '') <> 'on')
  execute function record_audit('webhook.rotate-secret', 'webhook', 'id', 'system', 'application');

-- How much an application or a user has of what is too much to count each time. Triggers keep it, so that nothing that inserts or deletes can forget it.
create table quota_usage (
  quota text not null check (quota in ('profiles', 'files', 'user_files')),
  owner uuid not null,
  count bigint not null default 0,
  bytes bigint not null default 0,
  primary key (quota, owner)
);

create function count_profiles() returns trigger language plpgsql as $$
begin
  insert into quota_usage as u (quota, owner, count)
  select 'profiles', application, count(*) * case tg_op when 'INSERT' then 1 else -1 end
  from changed where application is not null group by application order by application
  on conflict (quota, owner) do update set count = u.count + excluded.count;
  return null;
end $$;
create trigger count_added after insert on profiles referencing new table as changed for each statement execute function count_profiles();
create trigger count_removed after delete on profiles referencing old table as changed for each statement execute function count_profiles();

create function count_files() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into quota_usage as u (quota, owner, count, bytes)
  select owned.quota, owned.owner, count(*) * sign, sum(owned.size) * sign
  from (
    select 'files' as quota, application as owner, size from changed where application is not null
    union all select 'user_files', uploaded_by, size from changed
  ) owned
  group by owned.quota, owned.owner order by owned.quota, owned.owner
  on conflict (quota, owner) do update set count = u.count + excluded.count, bytes = u.bytes + excluded.bytes;
  return null;
end $$;
create trigger count_added after insert on files referencing new table as changed for each statement execute function count_files();
create trigger count_removed after delete on files referencing old table as changed for each statement execute function count_files();

insert into quota_usage (quota, owner, count) select 'profiles', application, count(*) from profiles where application is not null group by application;
insert into quota_usage (quota, owner, count, bytes) select 'files', application, count(*), sum(size) from files where application is not null group by application;
insert into quota_usage (quota, owner, count, bytes) select 'user_files', uploaded_by, count(*), sum(size) from files group by uploaded_by;
