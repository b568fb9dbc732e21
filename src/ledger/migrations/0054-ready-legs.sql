-- Ready legs by account. What a lane claims is found by `legs_claimable` alone: an index that began with the same columns let the planner, which knows
-- little of a table that has just grown, read and sort everything that is ready.
drop index legs_ready;
create index legs_ready on legs (account, chain, id) where state = 'ready';

-- Whether any claim is undecided, before it is looked for leg by leg.
create index claims_pending on claims (credit) where state = 'pending';
