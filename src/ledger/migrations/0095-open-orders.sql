-- An order's state was part of three of its indexes, and its hashes were an index of their own. So each of its two changes was a new entry in all of the others, too:
-- in those by address, amount, memo and IBAN at a place of its own, and most of what an order cost. What is open has a table of its own, and no index of an order
-- changes with its state any more: with room in its page, a change of an order touches no index at all.
create table open_orders (
  id uuid primary key,
  profile uuid not null,
  state text not null check (state in ('placed', 'pending')),
  placed_at timestamptz not null,
  -- A merchant's are looked through for that of one address.
  address text not null,
  -- carries out the payout of another order
  is_dependent boolean not null
);
create index open_orders_of_state on open_orders (state, placed_at, id);
create index open_orders_of_profile on open_orders (profile, state, placed_at desc, id desc);
create index open_orders_dependent on open_orders (id) where is_dependent;
select vacuum_early('open_orders');

create function add_open_orders() returns trigger language plpgsql as $$
begin
  insert into open_orders (id, profile, state, placed_at, address, is_dependent)
  select id, profile, state, placed_at, address, source_order is not null from placed_orders where state in ('placed', 'pending');
  return null;
end $$;

create function follow_open_orders() returns trigger language plpgsql as $$
begin
  delete from open_orders where id = any(array(select id from changed_orders where state in ('processed', 'rejected')));
  update open_orders set state = 'pending' where id = any(array(select id from changed_orders where state = 'pending')) and state = 'placed';
  return null;
end $$;
-- The table may be empty when the plan is made, which a connection keeps.
alter function follow_open_orders() set enable_seqscan = off;

-- Of a ledger that was restored: the holder of an order that waits had chosen another address.
create function redirect_open_order() returns trigger language plpgsql as $$
begin
  update open_orders set address = new.address where id = new.id;
  return null;
end $$;

-- Writers wait from here on, so that each order is added once.
lock table orders in share row exclusive mode;
create trigger add_open after insert on orders referencing new table as placed_orders for each statement execute function add_open_orders();
create trigger follow_open after update on orders referencing new table as changed_orders for each statement execute function follow_open_orders();
create trigger redirect_open after update of address on orders for each row when (new.address <> old.address) execute function redirect_open_order();
insert into open_orders (id, profile, state, placed_at, address, is_dependent)
select id, profile, state, placed_at, address, source_order is not null from orders where state in ('placed', 'pending');

-- Room for a copy of each of its rows: a transaction changes all the orders of a page at once.
alter table orders set (fillfactor = 50);
