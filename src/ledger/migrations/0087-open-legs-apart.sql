-- What status and the metrics say of open legs: the oldest of each network, kind and state, counted up to a bound. Without the legs that a gas budget holds.
--
-- A lane's claim never reads this index. While few legs were ready, the planner took it for the claim, because it is small, and read and sorted all that were
-- ready. A condition that is written as `is true` follows from the same words alone.
drop index concurrently if exists legs_open;
create index concurrently if not exists legs_open on legs (chain, kind, signed_by, state, due_at) include (held_until)
  where (state = 'waiting' or state = 'sent' or (state = 'ready' and held_until is null)) is true;
drop index concurrently if exists legs_waiting;
