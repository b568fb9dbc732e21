-- Until a redemption that a contract signed has succeeded on a chain, its account has one in flight there. Here are those in flight, by account,
create index legs_in_flight_by_account on legs (chain, account)
  where signed_by = 'contract' and (state = 'sent' or (state = 'ready' and claimed_by is not null));
-- and those that have ended, so that one lookup tells whether any succeeded, however many there were.
create index legs_ended_by_account on legs (chain, account, state, done_at) where signed_by = 'contract' and state in ('done', 'refused');
