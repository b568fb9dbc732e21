-- What grows for ever is partitioned by month, so that the oldest part is dropped or archived as a whole (docs/growth.md).
--
-- Ids are UUIDs of version 7 and begin with their time. So a partition is a range of ids: the id alone stays the primary key, a lookup by it reads
-- one partition, and a range of time is a range of ids. Partitioned tables have no foreign keys: dropping a partition would lock the other table too.
-- This file has the means; the file of each partitioned table makes its partitions.

create schema partitions;
create schema archive;

-- The lowest id of a millisecond. A partition begins and ends at one of these.
create function uuid_at(at timestamptz) returns uuid language sql immutable strict parallel safe as $$
  select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;

-- The time of an id; null for one of another version. The `uuid_extract_timestamp` of PostgreSQL does it from version 18 on.
create function uuid_time(id uuid) returns timestamptz language sql immutable strict parallel safe as $$
  select case when substr(id::text, 15, 1) = '7'
    then to_timestamp(('x0000' || left(replace(id::text, '-', ''), 12))::bit(64)::bigint / 1000.0) end
$$;

-- An id of version 7, as of the present, shifted. PostgreSQL has its own from version 18 on, which is found first. The 12 bits behind the milliseconds are fractions of one, so that ids of a process ascend.
create function uuidv7(shift interval default '0') returns uuid language sql volatile parallel safe as $$
  select (overlay(lpad(to_hex(floor(extract(epoch from clock_timestamp() + shift) * 4096000)::bigint), 15, '0') placing '7' from 13 for 0)
    || substr(gen_random_uuid()::text, 20))::uuid
$$;

-- What looks for open work steps over the index entries of work that has ended, until vacuum removes them. By default that is when a fifth of a table has
-- changed: six million entries in a table of 30 million legs. `vacuum_index_cleanup`: otherwise PostgreSQL leaves them in the index when few pages have them.
create function vacuum_early(target regclass) returns void language plpgsql as $$
begin
  execute format(
    'alter table %s set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, vacuum_index_cleanup = on)', target);
end $$;

-- The partitions of the tables; `begins` and `ends` are null for a default partition. A hundred are listed in a millisecond: regular expressions
-- over their bounds took four. The bounds of a range are FOR VALUES FROM ('…') TO ('…'); those of a default partition are DEFAULT.
create function list_partitions() returns table (parent text, name text, begins timestamptz, ends timestamptz, is_default boolean) language sql stable as $$
  select p.relname::text, c.relname::text,
    uuid_time(nullif(split_part(b.bounds, '''', 2), '')::uuid),
    uuid_time(nullif(split_part(b.bounds, '''', -2), '')::uuid), b.bounds = 'DEFAULT'
  from pg_class p join pg_inherits i on i.inhparent = p.oid join pg_class c on c.oid = i.inhrelid
  cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bounds offset 0) b
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
  if parent in ('events', 'webhook_deliveries') then
    perform vacuum_early(format('partitions.%I', name)::regclass);
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
    where p.parent = make_partition.parent and not p.is_default and p.begins <= month and p.ends > month
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
    'select distinct date_trunc(''month'', uuid_time(%1$I), ''UTC'') from partitions.%2$I
     where uuid_time(%1$I) between ''2020-01-01Z'' and now() + interval ''1 year''', key, unsorted)
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

-- Renews what the planner knows of a partitioned table as a whole, by a sample. Before version 18 PostgreSQL takes one of each partition too.
create function analyze_partitioned(parent text) returns void language plpgsql as $$
begin
  execute format(case when current_setting('server_version_num')::int >= 180000 then 'analyze only ledger.%I' else 'analyze ledger.%I' end, parent);
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
    if exists (select from webhook_deliveries d where d.id >= uuid_at(p.begins) and d.id < uuid_at(p.ends)) then
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
  execute format('alter table ledger.%I attach partition partitions.%I for values from (%L) to (%L)', bounds ->> 'parent', name,
    bounds ->> 'begins', bounds ->> 'ends');
end $$;
