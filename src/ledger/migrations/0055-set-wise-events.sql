-- What an order costs after it is placed: fewer index entries for each row, and its events written for a whole statement at once.

-- An update of a row that some index's condition concerns is a new entry in each index, so an index has only the rows that are looked up in it.
alter table orders drop constraint orders_source_order_key;
create unique index orders_source_order on orders (source_order) where source_order is not null;
alter table legs drop constraint legs_chain_token_sequence_key;
create unique index legs_sequence on legs (chain, token, sequence) where sequence is not null;
drop index legs_transaction;
create index legs_transaction on legs (transaction) where transaction is not null;
drop index payments_file;
create index payments_file on payments (file) where file is not null;
alter table payments drop constraint payments_came_back_by_key;
create unique index payments_came_back_by on payments (came_back_by) where came_back_by is not null;
drop index payments_credit;
create unique index payments_credit on payments (credit) where credit is not null and state not in ('refused', 'returned');

-- The only writers of order events, as in migration 0010, for all orders of a statement.
create function announce_placed_orders() returns trigger language plpgsql as $$
begin
  insert into events (type, profile, subject, data, correlation_id)
  select 'order.created', o.profile, o.id, order_event_data(o), o.correlation_id from placed_orders o;
  return null;
end $$;
create function announce_ended_orders() returns trigger language plpgsql as $$
begin
  -- Most statements that change orders end none, and need not be joined with what was before.
  if not exists (select from changed_orders where state in ('processed', 'rejected')) then
    return null;
  end if;
  insert into events (type, profile, subject, data, correlation_id)
  select 'order.updated', o.profile, o.id, order_event_data(o), o.correlation_id
  from changed_orders o join orders_before b on b.id = o.id
  where o.state in ('processed', 'rejected') and b.state is distinct from o.state;
  return null;
end $$;
drop trigger announce_placed on orders;
drop trigger announce_ended on orders;
drop function announce_order();
create trigger announce_placed after insert on orders referencing new table as placed_orders
  for each statement execute function announce_placed_orders();
create trigger announce_ended after update on orders referencing old table as orders_before new table as changed_orders
  for each statement execute function announce_ended_orders();
