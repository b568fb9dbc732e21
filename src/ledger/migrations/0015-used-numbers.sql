-- `number_used`: somebody else with an operator's key used up the leg's sequence number. The leg is sent anew with another.
alter table leg_failures
  drop constraint leg_failures_outcome_check,
  add check (outcome in ('reverted', 'lost', 'cancelled', 'refused', 'number_used'));
create index leg_failures_number_used on leg_failures (at) where outcome = 'number_used';
