-- The reserve is compared in several ways (docs/book.md, Comparisons). A breach belongs to one comparison of one account of the book, and is
-- acknowledged with a reason and items that add up to its difference.

alter table reserve_breaches
  -- Forged tokens can be more than a bigint.
  alter column difference type numeric,
  add column comparison text not null default 'index' check (comparison in ('states', 'index', 'nodes', 'bank')),
  -- Empty for what belongs to no network.
  add column chain text not null default '',
  -- The account of the book that is compared; empty for the trial balance, and for breaches of the versions before.
  add column account text not null default '',
  add column reason text,
  -- What explains the difference: `{text, amount}`, the amount in minor units.
  add column items jsonb,
  -- When its difference was gone: from then on it explains nothing any more.
  add column ended_at timestamptz;
-- These explained another equation.
update reserve_breaches set ended_at = now() where acknowledged_at is not null;

drop index reserve_breaches_open;
create unique index reserve_breaches_open on reserve_breaches (currency, comparison, account) where acknowledged_at is null;
create index reserve_breaches_acknowledged on reserve_breaches (currency) where acknowledged_at is not null and ended_at is null;

drop trigger audit_acknowledge on reserve_breaches;
create trigger audit_acknowledge after update on reserve_breaches for each row
  when (old.acknowledged_at is distinct from new.acknowledged_at and new.acknowledged_at is not null)
  execute function record_audit('reserve.acknowledge', 'currency', 'currency', 'operator:acknowledged_by',
    'comparison,account,difference,reason,items');

-- The newest result of each comparison. Amounts are minor units.
create table comparisons (
  comparison text not null,
  currency text not null,
  account text not null,
  chain text not null,
  expected numeric not null,
  actual numeric not null,
  items jsonb not null,
  difference numeric not null,
  compared_at timestamptz not null default now(),
  primary key (comparison, currency, account)
);

-- Open legs that have been in a transaction: the index may know them as carried out.
create index legs_ready_again on legs (chain, kind) where state = 'ready' and token is not null;

-- What is under way, for the comparison with the ledger's states. A give-back that the contract refused stays until an operator tries it again.
create index legs_giving_back on legs (id) where kind = 'issue' and position > 0 and state in ('ready', 'sent', 'refused');
create index orders_dependent_open on orders (id) where source_order is not null and state in ('placed', 'pending');
create index payments_unbooked on payments (id) where state in ('accepted', 'returned') and booked_on is null;
