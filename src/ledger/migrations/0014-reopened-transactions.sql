-- A reorganisation that takes the block of a reverted transaction away changes what its legs' failures say.
create index leg_failures_transaction on leg_failures (transaction);
