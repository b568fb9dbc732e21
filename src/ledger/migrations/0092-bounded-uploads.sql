-- Files that operators upload: each as long as it takes room, from its arrival on, so that what waits has a bound.

create table bank_uploads (
  -- Under which the storage has it, once it has arrived.
  file uuid primary key,
  operator text not null references operators,
  -- Its size, or before it has arrived the most that it can have.
  bytes bigint not null check (bytes >= 0),
  begun_at timestamptz not null default now(),
  -- What asks for its import; null while it arrives.
  approval uuid references approvals
);
create index bank_uploads_approval on bank_uploads (approval);

-- Those that were uploaded before: they can still be imported, and are deleted afterwards.
insert into bank_uploads (file, operator, bytes, approval)
select distinct on (input::json ->> 'file') (input::json ->> 'file')::uuid, requested_by, 0, id from approvals
where action = 'bank.import' order by input::json ->> 'file', id
on conflict do nothing;

-- Wrong answers of passkeys, and wrong links and codes of invitations, are counted, too.
alter table operator_sign_in_failures drop constraint operator_sign_in_failures_factor_check;
alter table operator_sign_in_failures add constraint operator_sign_in_failures_factor_check
  check (factor in ('password', 'code', 'passkey', 'invitation'));

-- What the chain has made of a transaction is nobody's act, also when somebody's look at it showed it.
drop trigger audit_end on safe_transactions;
create trigger audit_end after update of state on safe_transactions for each row when (old.state <> new.state)
  execute function record_audit('safe-transaction.state', 'safe-transaction', 'id', 'system', 'chain,safe,nonce,state,execution_hash');
