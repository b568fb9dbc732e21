-- A hundred partitions are listed in a millisecond: regular expressions over their bounds took four. The bounds of a range are
-- FOR VALUES FROM ('…') TO ('…'), or FROM (MINVALUE) for the first; those of a default partition are DEFAULT.
create or replace function list_partitions() returns table (parent text, name text, begins timestamptz, ends timestamptz, is_default boolean) language sql stable as $$
  select p.relname::text, c.relname::text,
    uuid_extract_timestamp(case when starts_with(b.bounds, 'FOR VALUES FROM (''') then split_part(b.bounds, '''', 2)::uuid end),
    uuid_extract_timestamp(nullif(split_part(b.bounds, '''', -2), '')::uuid), b.bounds = 'DEFAULT'
  from pg_class p join pg_inherits i on i.inhparent = p.oid join pg_class c on c.oid = i.inhrelid
  cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bounds offset 0) b
  where p.relkind = 'p' and c.relkind = 'r' and p.relnamespace = 'ledger'::regnamespace
$$;
