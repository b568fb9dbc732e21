-- What one operator asks for in the console and a second one has to approve.

create table approvals (
  id uuid primary key default uuidv7(),
  action text not null,
  -- JSON, exactly as it was asked for: it is carried out as it stands here.
  input text not null,
  -- What the second person reads.
  description text not null,
  -- SHA-256 of the action, the input and the description: the second person approves this and nothing else.
  digest bytea not null,
  state text not null default 'waiting'
    check (state in ('waiting', 'approved', 'refused', 'withdrawn', 'expired', 'done', 'failed')),
  requested_by text not null references operators,
  requested_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_by text references operators,
  decided_at timestamptz,
  -- Why it was refused or withdrawn.
  note text,
  -- Counts the attempts to carry it out. One at a time: until `leased_until` no other begins.
  attempts integer not null default 0,
  leased_until timestamptz,
  result text,
  error_code text,
  error_message text,
  ended_at timestamptz,
  -- Nobody approves or refuses their own.
  constraint approvals_second_person check (
    case when state in ('approved', 'refused', 'done', 'failed') then decided_by is not null and decided_by <> requested_by else true end)
);
create index approvals_open on approvals (id) where state in ('waiting', 'approved');
create index approvals_requested_by on approvals (requested_by, id);

create trigger audit_request after insert on approvals for each row
  execute function record_audit('approval.request', 'approval', 'id', 'operator:requested_by', 'action');
create trigger audit_decide after update of state on approvals for each row
  when (old.state = 'waiting' and new.state in ('approved', 'refused'))
  execute function record_audit('approval.decide', 'approval', 'id', 'operator:decided_by', 'action,state,requested_by');
create trigger audit_withdraw after update of state on approvals for each row
  when (new.state in ('withdrawn', 'expired') and old.state <> new.state)
  execute function record_audit('approval.end', 'approval', 'id', 'system', 'action,state');
create trigger audit_carry_out after update of state on approvals for each row
  when (old.state = 'approved' and new.state in ('done', 'failed'))
  execute function record_audit('approval.carry-out', 'approval', 'id', 'system', 'action,state,error_code');
