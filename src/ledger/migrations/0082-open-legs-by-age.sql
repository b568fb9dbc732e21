-- What status and the metrics say of open legs: the oldest of each network, kind and state, counted up to a bound. Without the legs that a gas budget holds.
create index legs_open on legs (chain, kind, signed_by, state, due_at) include (held_until)
  where state = 'waiting' or state = 'sent' or (state = 'ready' and held_until is null);
drop index legs_waiting;
