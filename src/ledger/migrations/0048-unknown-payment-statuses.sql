-- Statuses that a bank reported of payments that this ledger has lost: they have ids of ours, and a payment that is made again with such an id takes its
-- status (docs/restore.md).
create table unknown_payment_statuses (
  payment uuid primary key,
  verdict text not null check (verdict in ('executed', 'refused', 'open')),
  -- The bank's status code, and why it refused the payment.
  code text not null,
  reason text not null,
  reported_at timestamptz not null default now(),
  -- Why an operator says that it is no payment of this ledger.
  set_aside text,
  set_aside_by text,
  check ((set_aside is null) = (set_aside_by is null))
);
create index bank_debits_unexplained_ids on bank_debits (end_to_end_id) where state = 'unexplained' and end_to_end_id is not null;
