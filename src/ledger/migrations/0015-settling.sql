-- `number_used`: somebody else with an operator's key used up the leg's sequence number. The leg is sent anew with another.
alter table leg_failures
  drop constraint leg_failures_outcome_check,
  add check (outcome in ('reverted', 'lost', 'cancelled', 'refused', 'number_used'));
create index leg_failures_number_used on leg_failures (at) where outcome = 'number_used';

-- `void`: the leg before it was refused, so it never happens. Until now such a payout waited for ever.
alter table legs
  drop constraint legs_state_check,
  add check (state in ('waiting', 'ready', 'sent', 'done', 'refused', 'void'));
update legs set state = 'void', done_at = now() from legs before
where before.order_id = legs.order_id and before.position = legs.position - 1 and before.state = 'refused' and legs.state = 'waiting';
