-- Payments as an operator lists them, the latest first; those that went wrong are few among very many. Open ones have `payments_open`.
create index payments_created on payments (created_at, id);
create index payments_failed on payments (state, created_at, id) where state in ('refused', 'returned');

-- Deliveries of a subscription that are under way, or that went wrong.
drop index webhook_deliveries_not_delivered;
create index webhook_deliveries_of_state on webhook_deliveries (subscription, state, created_at, id) where state <> 'delivered';
