-- What the nodes say of a transaction that is in no block, so that a restart neither forgets nor repeats it.

alter table transactions
  -- `sent_at_block` begins again with every replacement; this one does not. Null is the same block.
  add column first_sent_at_block bigint,
  -- How often in a row, and since which block, every node that answered refused its newest attempt for good.
  add column refusals smallint not null default 0,
  add column refused_since_block bigint;

-- The transactions of a signer that are in no block: what its gas money must cover.
create index transactions_unmined on transactions (chain, signer) where state = 'sent';
