-- Payments that came back after the bank had carried them out, and unmatched credits that an operator settles.

-- `returned`: it was carried out, and its money came back. `reason` then says why.
alter table payments
  drop constraint payments_state_check,
  drop constraint payments_check1,
  drop constraint payments_check3,
  add constraint payments_state_check check (state in ('ready', 'sent', 'accepted', 'refused', 'returned')),
  -- the credit by which the money came back
  add column came_back_by text unique references credits on update cascade,
  add column returned_at timestamptz,
  add constraint payments_reason check ((state in ('refused', 'returned')) = (reason is not null)),
  -- the debit may be reported after the credit
  add constraint payments_booked check (booked_on is null or state in ('accepted', 'returned')),
  add constraint payments_came_back check ((state = 'returned') = (came_back_by is not null)),
  add constraint payments_returned_at check ((state = 'returned') = (returned_at is not null));

create trigger audit_come_back after update on payments for each row
  when (old.state <> 'returned' and new.state = 'returned' and is_acting())
  execute function record_audit('payment.come-back', 'payment', 'id', '', 'kind,currency,amount,came_back_by');

-- A credit is returned once; only after the bank refused to, or after the money came back, may it be tried again.
drop index payments_credit;
create unique index payments_credit on payments (credit) where state not in ('refused', 'returned');

-- `settled`: it became no order and is no return. `settled_as` says what it was:
-- `own` money of the operator, `difference` the counterpart of an unexplained debit, `return` a return of ours that came back.
alter table credits
  drop constraint credits_state_check,
  drop constraint credits_check1,
  add constraint credits_state_check check (state in ('matched', 'unmatched', 'returned', 'replaced', 'settled')),
  -- a payment of ours that came back is credited to the account of the statement, which may have no IBAN
  add constraint credits_matched_facts check (state <> 'matched'
    or (currency is not null and amount is not null and (iban is not null or rail_reason in ('payment_returned', 'debit_reversed')))),
  add column settled_as text check (settled_as in ('own', 'difference', 'return')),
  add column settled_at timestamptz,
  -- what the operator adds to a payment that came back, such as charges that were deducted from it; negative for what remains of it
  add column added_by_operator bigint,
  add constraint credits_settled check ((state = 'settled') = (settled_as is not null and settled_at is not null));

create trigger audit_settle after update on credits for each row
  when (old.state = 'unmatched' and new.state = 'settled' and is_acting())
  execute function record_audit('credit.settle', 'credit', 'reference', '', 'currency,amount,settled_as');

-- The order whose payout came back: this order gives its tokens back.
alter table orders add column gives_back uuid references orders;
create index orders_gives_back on orders (gives_back) where gives_back is not null;

-- As in migration 0010, with `givesBack`.
create or replace function order_event_data(o orders) returns jsonb language sql stable
begin atomic
  select jsonb_build_object(
    'id', o.id, 'kind', o.kind, 'profile', o.profile, 'address', o.address, 'chain', o.chain, 'currency', o.currency,
    'amount', o.amount::text, 'counterpart', o.counterpart, 'memo', o.memo, 'referenceNumber', o.reference_number, 'state', o.state,
    'placedAt', o.placed_at, 'processedAt', o.processed_at, 'rejectedReason', o.rejected_reason,
    'supportingDocument', o.supporting_document, 'txHashes', o.tx_hashes, 'givesBack', o.gives_back);
end;
