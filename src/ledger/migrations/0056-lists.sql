-- Orders that are not processed, by state and time: of a profile, and of all. Nearly all orders are processed, so both stay small. The first also
-- counts what is open.
create index orders_unprocessed_of_profile on orders (profile, state, placed_at desc, id desc) where state <> 'processed';
create index orders_unprocessed on orders (state, placed_at, id) where state <> 'processed';
drop index orders_open;

-- Orders of a profile with a memo. A hash, because a memo is longer than what an index should hold.
create index orders_memo on orders (profile, hashtextextended(memo, 0), placed_at desc, id desc);

-- Deliveries of a subscription that an operator looks for.
create index webhook_deliveries_not_delivered on webhook_deliveries (subscription, state, created_at, id) where state in ('failed', 'cancelled');
