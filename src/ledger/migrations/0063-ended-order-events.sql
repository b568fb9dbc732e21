-- A trigger keeps its plan as long as its connection lasts. A join of the orders before and after, planned for a statement that changed one order, was a
-- nested loop for thousands, too. Without a join, the orders that had ended before are hashed, whatever the plan was made for.
create or replace function announce_ended_orders() returns trigger language plpgsql as $$
begin
  -- Most statements that change orders end none, and need not be compared with what was before.
  if not exists (select from changed_orders where state in ('processed', 'rejected')) then
    return null;
  end if;
  insert into events (type, profile, subject, data, correlation_id)
  select 'order.updated', o.profile, o.id, order_event_data(o), o.correlation_id
  from changed_orders o
  where o.state in ('processed', 'rejected')
    and (o.id, o.state) not in (select b.id, b.state from orders_before b where b.state in ('processed', 'rejected'));
  return null;
end $$;
