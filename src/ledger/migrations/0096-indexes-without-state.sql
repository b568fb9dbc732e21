-- A rejected order does not change again. Its hash is found by its legs, whose index has one entry for all legs of a transaction.
create index concurrently if not exists orders_rejected on orders (placed_at, id) where rejected_at is not null;
create index concurrently if not exists orders_rejected_of_profile on orders (profile, placed_at desc, id desc) where rejected_at is not null;
create index concurrently if not exists legs_tx_hash on legs (tx_hash) where tx_hash is not null;
create index concurrently if not exists leg_failures_tx_hash on leg_failures (tx_hash) where tx_hash is not null;
drop index concurrently if exists orders_unprocessed;
drop index concurrently if exists orders_unprocessed_of_profile;
drop index concurrently if exists orders_dependent_open;
drop index concurrently if exists orders_tx_hashes;
