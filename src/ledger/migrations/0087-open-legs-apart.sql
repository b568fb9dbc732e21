-- A lane's claim never reads the index of open legs. While few legs were ready, the planner took that one for the claim, because it is small, and read and sorted
-- all that were ready. A condition that is written as `is true` follows from the same words alone.
drop index legs_open;
create index legs_open on legs (chain, kind, signed_by, state, due_at) include (held_until)
  where (state = 'waiting' or state = 'sent' or (state = 'ready' and held_until is null)) is true;
