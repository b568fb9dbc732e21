-- What looks for open work steps over the index entries of work that has ended, until vacuum removes them. By default that is when a fifth of a table has
-- changed: six million entries in a table of 30 million legs. `vacuum_index_cleanup`: otherwise PostgreSQL leaves them in the index when few pages have them.
create function vacuum_early(target regclass) returns void language plpgsql as $$
begin
  execute format(
    'alter table %s set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, vacuum_index_cleanup = on)', target);
end $$;

select vacuum_early(name::regclass) from unnest(array['orders', 'legs', 'transactions', 'credits', 'payments']) as name;
select vacuum_early(format('partitions.%I', p.name)::regclass) from list_partitions() p where p.parent in ('events', 'webhook_deliveries');

create or replace function protect_partition(parent text, name text) returns void language plpgsql as $$
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
