-- What grows for ever is partitioned by month, so that the oldest part is dropped or archived as a whole (docs/growth.md).
--
-- Ids are UUIDs of version 7 and begin with their time. So a partition is a range of ids: the id alone stays the primary key, a lookup by it reads
-- one partition, and a range of time is a range of ids. Partitioned tables have no foreign keys: dropping a partition would lock the other table too.

create schema if not exists partitions;
create schema if not exists archive;

-- The lowest id of a millisecond. A partition begins and ends at one of these.
create function uuid_at(at timestamptz) returns uuid language sql immutable strict parallel safe as $$
  select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;

-- A delivery has the time of its event, and is the same whoever makes it: an event is delivered to a subscription once, both are in partitions
-- of the same month, and no delivery outlives its event.
create function delivery_id(event uuid, subscription uuid) returns uuid language plpgsql immutable strict parallel safe as $$
declare
  bytes bytea := substring(uuid_send(event) for 6) || substring(sha256(uuid_send(event) || uuid_send(subscription)) for 10);
begin
  bytes := set_byte(bytes, 6, (get_byte(bytes, 6) & 15) | 112);
  return encode(set_byte(bytes, 8, (get_byte(bytes, 8) & 63) | 128), 'hex')::uuid;
end $$;

-- When the order was rejected. Its history read this from the event, which is not kept for ever. A trigger sets it, because processes of the
-- version before may still run.
alter table orders add column rejected_at timestamptz;
update orders o set rejected_at = coalesce((select max(e.created_at) from events e where e.subject = o.id and e.type = 'order.updated'), o.placed_at)
where state = 'rejected';
create function set_rejected_at() returns trigger language plpgsql as $$
begin
  new.rejected_at := now();
  return new;
end $$;
create trigger set_rejected_at before update on orders for each row when (new.state = 'rejected' and old.state <> 'rejected')
  execute function set_rejected_at();

-- The bytes of a transaction are cleared some time after it ended; nobody sends it again then.
alter table transaction_attempts alter raw drop not null;
create index transaction_attempts_with_bytes on transaction_attempts (created_at) where raw is not null;

-- Orders as an operator lists them.
create index orders_placed on orders (placed_at, id);

-- The partitions of the ledger's tables. `begins` is null for the one that has everything before `ends`.
create function list_partitions() returns table (parent text, name text, begins timestamptz, ends timestamptz, is_default boolean) language sql stable as $$
  select p.relname::text, c.relname::text,
    uuid_extract_timestamp(substring(b.bounds from 'FROM \(''([0-9a-f-]{36})''\)')::uuid),
    uuid_extract_timestamp(substring(b.bounds from 'TO \(''([0-9a-f-]{36})''\)')::uuid), b.bounds = 'DEFAULT'
  from pg_class p join pg_inherits i on i.inhparent = p.oid join pg_class c on c.oid = i.inhrelid
  cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bounds) b
  where p.relkind = 'p' and c.relkind = 'r' and p.relnamespace = 'ledger'::regnamespace
$$;

create function refuse_direct_insert() returns trigger language plpgsql as $$
begin
  raise exception 'rows are inserted into the partitioned table, and not into its partition %', tg_table_name using errcode = 'insufficient_privilege';
end $$;

-- What a partitioned table refuses cannot be done by way of its partition either: triggers of statements belong to the table that a statement names. So a
-- partition is append-only as its table is. Where the table checks the rows of an insert, the partition takes none directly.
create function protect_partition(parent text, name text) returns void language plpgsql as $$
declare
  -- Bits of `tgtype`: 1 is a trigger of rows, 4 one of inserts.
  guard regproc := (select t.tgfoid::regproc from pg_trigger t where t.tgrelid = format('ledger.%I', parent)::regclass and t.tgname = 'append_only');
  checks_inserts boolean := exists (
    select from pg_trigger t where t.tgrelid = format('ledger.%I', parent)::regclass and t.tgtype & 5 = 4 and not t.tgisinternal);
begin
  if guard is not null then
    execute format('create or replace trigger append_only before update or delete or truncate on %I.%I for each statement execute function %s()',
      'partitions', name, guard);
  end if;
  if checks_inserts then
    execute format('create or replace trigger no_direct_insert before insert on %I.%I for each statement execute function refuse_direct_insert()',
      'partitions', name);
  end if;
end $$;

-- The default partition takes what has no other, so that a missing partition is never an outage.
create function make_default_partition(parent text) returns void language plpgsql as $$
begin
  execute format('create table %I.%I partition of ledger.%I default', 'partitions', parent || '_default', parent);
  perform protect_partition(parent, parent || '_default');
end $$;

-- Makes the partition of a month (its first moment in UTC) unless there is one. It is attached as a table of its own, which keeps nobody from reading
-- and writing the others. Returns whether it was made.
create function make_partition(parent text, month timestamptz) returns boolean language plpgsql as $$
declare
  name text := parent || to_char(month at time zone 'UTC', '_YYYY_MM');
  ends timestamptz := (month at time zone 'UTC' + interval '1 month') at time zone 'UTC';
begin
  if exists (
    select from list_partitions() p
    where p.parent = make_partition.parent and not p.is_default and coalesce(p.begins, '-infinity') <= month and p.ends > month
  ) then
    return false;
  end if;
  execute format('create table %I.%I (like ledger.%I including defaults including constraints)', 'partitions', name, parent);
  execute format('alter table ledger.%I attach partition partitions.%I for values from (%L) to (%L)', parent, name, uuid_at(month), uuid_at(ends));
  perform protect_partition(parent, name);
  return true;
end $$;

-- Puts the rows of the default partition into partitions of their months. They are copied from the old default partition, which is then dropped: so
-- nothing is deleted from an append-only table, and the triggers of the table do not count them twice; those of the partitions are off meanwhile, while
-- nobody else can use the table. Ids without a plausible time stay. Returns
-- whether there were any rows.
create function sort_default_partition(parent text) returns boolean language plpgsql as $$
declare
  key text := (select a.attname from pg_partitioned_table t join pg_attribute a on a.attrelid = t.partrelid and a.attnum = t.partattrs[0]
    where t.partrelid = format('ledger.%I', parent)::regclass);
  unsorted text := parent || '_unsorted';
  has_rows boolean;
  month timestamptz;
  target record;
begin
  execute format('select exists (select from partitions.%I)', parent || '_default') into has_rows;
  if not has_rows then return false; end if;
  execute format('alter table ledger.%I detach partition partitions.%I', parent, parent || '_default');
  execute format('alter table partitions.%I rename to %I', parent || '_default', unsorted);
  perform make_default_partition(parent);
  for month in execute format(
    'select distinct date_trunc(''month'', uuid_extract_timestamp(%1$I), ''UTC'') from partitions.%2$I
     where uuid_extract_timestamp(%1$I) between ''2020-01-01Z'' and now() + interval ''1 year''', key, unsorted)
  loop
    perform make_partition(parent, month);
  end loop;
  for target in
    select p.name, p.begins, p.ends from list_partitions() p where p.parent = sort_default_partition.parent and p.begins is not null
  loop
    execute format('alter table partitions.%I disable trigger user', target.name);
    execute format('insert into partitions.%1$I overriding system value select * from partitions.%2$I where %3$I >= %4$L and %3$I < %5$L',
      target.name, unsorted, key, uuid_at(target.begins), uuid_at(target.ends));
    execute format('alter table partitions.%I enable trigger user', target.name);
  end loop;
  execute format('alter table partitions.%I disable trigger user', parent || '_default');
  execute format(
    'insert into partitions.%1$I overriding system value select * from partitions.%2$I u where not exists (
       select from list_partitions() p where p.parent = %4$L and u.%3$I >= uuid_at(p.begins) and u.%3$I < uuid_at(p.ends))',
    parent || '_default', unsorted, key, parent);
  execute format('alter table partitions.%I enable trigger user', parent || '_default');
  execute format('drop table %I.%I', 'partitions', unsorted);
  return true;
end $$;

-- Makes the partitions of this month and of the next three, and sorts the default partition. Returns how many partitions were made.
create function make_partitions(parent text) returns integer language plpgsql as $$
declare
  before bigint := (select count(*) from list_partitions());
begin
  perform sort_default_partition(parent);
  for ahead in 0..3 loop
    perform make_partition(parent, (date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead)) at time zone 'UTC');
  end loop;
  return (select count(*) from list_partitions()) - before;
end $$;

-- Drops a partition, or moves it into the schema `archive`, where it can still be queried; the audit log names it. Returns why it is kept, or null
-- when it is gone: an event or a delivery with which the service is not done keeps its partition.
create function retire_partition(name text, archives boolean) returns text language plpgsql as $$
declare
  p record;
  is_open boolean := false;
  bytes bigint := pg_total_relation_size(format('partitions.%I', name)::regclass);
  tuples bigint := (select greatest(reltuples, 0) from pg_class where oid = format('partitions.%I', name)::regclass);
begin
  select * into strict p from list_partitions() l where l.name = retire_partition.name and not l.is_default;
  execute format('lock table ledger.%I in access exclusive mode', p.parent);
  if p.parent = 'webhook_deliveries' then
    execute format('select exists (select from partitions.%I where state = ''pending'')', name) into is_open;
    if is_open then return 'it has deliveries that have not ended'; end if;
  elsif p.parent = 'events' then
    execute format('select exists (select from partitions.%I where position is null)', name) into is_open;
    if is_open then return 'it has events that are not given to subscriptions yet'; end if;
    if exists (select from webhook_deliveries d where (p.begins is null or d.id >= uuid_at(p.begins)) and d.id < uuid_at(p.ends)) then
      return 'its deliveries are still kept';
    end if;
  end if;
  execute format('alter table ledger.%I detach partition partitions.%I', p.parent, name);
  if archives then
    execute format('alter table partitions.%I set schema archive', name);
    execute format('comment on table archive.%I is %L', name, jsonb_build_object('parent', p.parent, 'begins', uuid_at(p.begins), 'ends', uuid_at(p.ends)));
  else
    execute format('drop table %I.%I', 'partitions', name);
  end if;
  insert into audit_log (actor_kind, actor, action, subject_kind, subject, detail)
  values ('system', 'mintrail', case when archives then 'retention.archive' else 'retention.drop' end, 'table', name,
    jsonb_strip_nulls(jsonb_build_object('begins', p.begins, 'ends', p.ends, 'rows', tuples, 'bytes', bytes)));
  return null;
end $$;

-- Takes an archived partition back into its table.
create function restore_partition(name text) returns void language plpgsql as $$
declare
  bounds jsonb := obj_description(format('archive.%I', name)::regclass, 'pg_class')::jsonb;
begin
  execute format('alter table archive.%I set schema partitions', name);
  execute format('alter table ledger.%I attach partition partitions.%I for values from (%s) to (%L)', bounds ->> 'parent', name,
    coalesce(quote_literal(bounds ->> 'begins'), 'minvalue'), bounds ->> 'ends');
end $$;

-- The tables as they are become the first partitions, whatever their size: nothing is copied.

lock table events, webhook_deliveries, audit_log in access exclusive mode;

alter table events drop constraint events_profile_fkey, drop constraint events_position_key, alter sequence drop identity;
alter sequence event_positions owned by none;
alter table events set schema partitions;
alter table partitions.events rename to events_first;

-- `sequence` and `position` are as before (migration 0006). That a position is given once no index shows any more: the dispatcher takes them from a
-- sequence, for events that have none, and only one dispatcher runs at a time.
create table events (
  id uuid primary key default uuidv7(),
  type text not null,
  profile uuid not null,
  subject uuid not null,
  data jsonb not null,
  correlation_id text,
  created_at timestamptz not null default now(),
  sequence bigint not null generated always as identity,
  position bigint
) partition by range (id);
alter sequence event_positions owned by events.position;
select setval(pg_get_serial_sequence('events', 'sequence'), coalesce((select max(sequence) from partitions.events_first), 0) + 1, false);
create index events_subject on events (subject, id);
create index events_without_position on events (sequence) where position is null;
create index events_position on events (position) where position is not null;
create index events_of_orders on events (profile, position) where position is not null and type in ('order.created', 'order.updated');

drop trigger audit_replay on webhook_deliveries;
alter table webhook_deliveries
  drop constraint webhook_deliveries_subscription_fkey,
  drop constraint if exists webhook_deliveries_event_fkey,
  drop constraint webhook_deliveries_event_subscription_key;
alter table webhook_deliveries set schema partitions;
alter table partitions.webhook_deliveries rename to webhook_deliveries_first;

create table webhook_deliveries (
  -- `delivery_id` of event and subscription; any other only in deliveries from before migration 0041
  id uuid primary key default uuidv7(),
  subscription uuid not null,
  event uuid not null,
  type text not null,
  subject uuid not null,
  sequence bigint not null,
  state text not null default 'pending',
  attempts integer not null default 0,
  first_attempt_at timestamptz,
  next_attempt_at timestamptz not null default now(),
  lease uuid,
  last_status integer,
  last_error text,
  last_duration integer,
  history jsonb not null default '[]',
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  constraint webhook_deliveries_state_check check (state in ('pending', 'delivered', 'failed', 'cancelled')),
  constraint webhook_deliveries_check check ((state = 'pending') = (ended_at is null)),
  constraint webhook_deliveries_check1 check (state = 'pending' or lease is null)
) partition by range (id);
create index webhook_deliveries_due on webhook_deliveries (subscription, next_attempt_at, sequence) where state = 'pending';
create index webhook_deliveries_order on webhook_deliveries (subscription, subject, sequence) where state = 'pending';
create index webhook_deliveries_failed on webhook_deliveries (subscription, ended_at) where state = 'failed';
create index webhook_deliveries_list on webhook_deliveries (subscription, created_at, id);
create index webhook_deliveries_event on webhook_deliveries (event);
create trigger audit_replay after update on webhook_deliveries for each row
  when (old.state <> 'pending' and new.state = 'pending' and is_acting())
  execute function record_audit('webhook.replay', 'delivery', 'id', '', 'subscription,event');

alter table audit_log set schema partitions;
alter table partitions.audit_log rename to audit_log_first;

create table audit_log (
  id uuid primary key default uuidv7(),
  at timestamptz not null default now(),
  actor_kind text not null,
  actor text not null,
  action text not null,
  subject_kind text not null,
  subject text not null,
  correlation_id text,
  detail jsonb not null default '{}',
  constraint audit_log_actor_kind_check check (actor_kind in ('application', 'user', 'operator', 'system'))
) partition by range (id);
create index audit_log_actor on audit_log (actor, id);
create index audit_log_subject on audit_log (subject, id);
create trigger append_only before update or delete or truncate on audit_log for each statement execute function refuse_audit_change();

-- What the book has is the first partition of its postings.
alter table postings detach partition postings_default;
alter table postings_default set schema partitions;
alter table partitions.postings_default rename to postings_first;

do $$
declare
  parent text;
  key text;
  newest uuid;
  bound timestamptz;
begin
  for parent, key in values ('events', 'id'), ('webhook_deliveries', 'id'), ('audit_log', 'id'), ('postings', 'entry') loop
    execute format('select %1$I from partitions.%2$I order by %1$I desc limit 1', key, parent || '_first') into newest;
    bound := greatest(now(), uuid_extract_timestamp(newest));
    bound := (date_trunc('month', bound at time zone 'UTC') + interval '1 month') at time zone 'UTC';
    execute format('alter table partitions.%I rename to %I', parent || '_first', parent || to_char(bound at time zone 'UTC', '_"until"_YYYY_MM'));
    execute format('alter table ledger.%I attach partition partitions.%I for values from (minvalue) to (%L)', parent,
      parent || to_char(bound at time zone 'UTC', '_"until"_YYYY_MM'), uuid_at(bound));
    perform protect_partition(parent, parent || to_char(bound at time zone 'UTC', '_"until"_YYYY_MM'));
    perform make_default_partition(parent);
    perform make_partitions(parent);
  end loop;
end $$;
