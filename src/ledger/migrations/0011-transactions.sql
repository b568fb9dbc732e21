-- Transactions that only use up a nonce, several transactions at one nonce over time, and attempts in an order of their own.

-- `cancel`: a transfer of nothing to the signer itself. It carries no legs. It uses up a nonce that would hold up all later ones.
alter table transactions
  drop constraint transactions_kind_check,
  add check (kind in ('issue', 'redeem', 'cancel')),
  alter currency drop not null,
  add check ((kind = 'cancel') = (currency is null)),
  add column block_hash text;

-- A nonce is free again when its transaction was lost, or reverted in a block that a reorganisation took away.
alter table transactions drop constraint transactions_chain_signer_nonce_key;
create unique index transactions_live_nonce on transactions (chain, signer, nonce) where state in ('sent', 'mined', 'settled');
create index transactions_nonce on transactions (chain, signer, nonce);

-- The database's clock may step back, so it does not order the attempts.
alter table transaction_attempts add column position smallint;
update transaction_attempts a set position = n.position
from (select hash, row_number() over (partition by transaction order by created_at, max_fee_per_gas) - 1 as position from transaction_attempts) n
where n.hash = a.hash;
alter table transaction_attempts alter position set not null;
drop index transaction_attempts_transaction;
create unique index transaction_attempts_position on transaction_attempts (transaction, position);

-- `cancelled`: the transaction was refused for good, and its nonce is used up by a transfer to the signer itself.
alter table leg_failures
  drop constraint leg_failures_outcome_check,
  add check (outcome in ('reverted', 'lost', 'cancelled', 'refused'));
