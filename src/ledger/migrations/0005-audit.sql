-- The audit log, the approval of applications, and rate limits.

-- Credentials of a whitelabel or private application in production wait for this (docs/api.md, Applications). Those of
-- a private one are also valid when the default profile of its owner is approved. Existing applications stay valid.
alter table applications add column approved_at timestamptz;
update applications set approved_at = created_at;

-- Counts of requests, by key, for all copies of the API. A crash loses at most a minute of counting, so the table is unlogged. `expire` are milliseconds; not bigint, which the ledger's connections give as BigInt.
create unlogged table rate_limits (
  key text primary key,
  points integer not null,
  expire double precision
);
create index rate_limits_expire on rate_limits (expire);

-- Every change by a person, an application or an operator. `detail` holds neither personal data nor secrets.
create table audit_log (
  id uuid primary key default uuidv7(),
  at timestamptz not null default now(),
  actor_kind text not null check (actor_kind in ('application', 'user', 'operator', 'system')),
  actor text not null,
  action text not null,
  subject_kind text not null,
  subject text not null,
  correlation_id text,
  detail jsonb not null default '{}'
);
create index audit_log_actor on audit_log (actor, id);
create index audit_log_subject on audit_log (subject, id);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit_log is append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger append_only before update or delete or truncate on audit_log for each statement execute function refuse_audit_change();

-- Records a change. Who made it stands in a comment at the beginning of the statement (src/platform/acting.ts), where it
-- costs no round trip and holds with and without a transaction; values of clients are parameters, so none of them is in
-- that text. Arguments: action, kind of subject, column that names it, who it was when no comment says so, columns of the detail.
-- The fourth is empty (the service itself, which is not recorded), `system`, or a kind and a column, such as `user:user_id`.
create function record_audit() returns trigger language plpgsql as $$
declare
  given text[] := string_to_array(substring(left(current_query(), 400) from '^/\*by (.*?)\*/'), ' ');
  changed jsonb := to_jsonb(new);
  fallback text := tg_argv[3];
  detail jsonb := '{}';
  name text;
begin
  if given is null then
    if fallback = '' then return null; end if;
    given := array[split_part(fallback, ':', 1), coalesce(changed ->> split_part(fallback, ':', 2), 'mintrail'), '-', '-'];
  end if;
  foreach name in array string_to_array(coalesce(tg_argv[4], ''), ',') loop
    if changed ->> name is not null then detail := detail || jsonb_build_object(name, changed -> name); end if;
  end loop;
  if given[3] <> '-' then detail := detail || jsonb_build_object('application', given[3]); end if;
  insert into audit_log (actor_kind, actor, action, subject_kind, subject, correlation_id, detail)
  values (given[1], given[2], tg_argv[0], tg_argv[1], changed ->> tg_argv[2],
    coalesce(nullif(given[4], '-'), changed ->> 'correlation_id'), detail);
  return null;
end $$;

create function is_acting() returns boolean language sql stable as $$ select left(current_query(), 5) = '/*by ' $$;

create trigger audit_create after insert on applications for each row
  execute function record_audit('app.create', 'application', 'id', 'system', 'kind,name,redirect_uris,permissions');
create trigger audit_secret after update on applications for each row when (old.secret_hash is distinct from new.secret_hash)
  execute function record_audit('app.rotate-secret', 'application', 'id', 'system');
create trigger audit_disable after update on applications for each row when (old.disabled_at is null and new.disabled_at is not null)
  execute function record_audit('app.disable', 'application', 'id', 'system');
create trigger audit_approve after update on applications for each row when (old.approved_at is null and new.approved_at is not null)
  execute function record_audit('app.approve', 'application', 'id', 'system');

create trigger audit_password after insert or update on passwords for each row
  execute function record_audit('user.password', 'user', 'user_id', 'user:user_id');
create trigger audit_consent after insert or update on consents for each row
  execute function record_audit('consent.grant', 'application', 'application', 'user:user_id', 'permissions');

create trigger audit_create after insert on profiles for each row when (is_acting())
  execute function record_audit('profile.create', 'profile', 'id', '', 'kind');
-- A review changes the states of sections and verifications, too, and is recorded as what it is.
create trigger audit_submit after insert on profile_sections for each row when (new.data is not null and is_acting())
  execute function record_audit('profile.submit', 'profile', 'profile', '', 'section,state');
create trigger audit_submit_again after update on profile_sections for each row when (old.data is distinct from new.data and is_acting())
  execute function record_audit('profile.submit', 'profile', 'profile', '', 'section,state');
create trigger audit_submit after insert on profile_verifications for each row when (new.documents <> '[]' and is_acting())
  execute function record_audit('profile.verify', 'profile', 'profile', '', 'kind,state');
create trigger audit_submit_again after update on profile_verifications for each row when (old.documents <> new.documents and is_acting())
  execute function record_audit('profile.verify', 'profile', 'profile', '', 'kind,state');
create trigger audit_share after insert on profile_shares for each row when (is_acting())
  execute function record_audit('profile.share', 'profile', 'profile', '', 'provider');
create trigger audit_review after insert on profile_reviews for each row
  execute function record_audit('profile.review', 'profile', 'profile', 'system:decided_by', 'decision');

create trigger audit_link after insert on address_links for each row when (is_acting())
  execute function record_audit('address.link', 'address', 'address', '', 'chain');
create trigger audit_request after insert on signature_requests for each row when (is_acting())
  execute function record_audit('signature.request', 'address', 'address', '', 'id,kind,chain,profile');
create trigger audit_request after insert on ibans for each row when (is_acting())
  execute function record_audit('iban.request', 'profile', 'profile', '', 'address,chain');
create trigger audit_move after update on ibans for each row
  when ((old.address, old.chain) is distinct from (new.address, new.chain) and is_acting())
  execute function record_audit('iban.move', 'profile', 'profile', '', 'address,chain');
create trigger audit_place after insert on orders for each row when (new.kind = 'redeem' and is_acting())
  execute function record_audit('order.place', 'order', 'id', '', 'profile,address,chain,currency,amount');
create trigger audit_upload after insert on files for each row when (is_acting())
  execute function record_audit('file.upload', 'file', 'id', '', 'type,size,hash');

-- What an operator, or somebody in the place of the bank in the sandbox, decides about money. A file of the bank is recorded
-- as one import; of its credits only those are recorded that were waiting for a decision.
create trigger audit_report after insert on credits for each row when (new.source = 'sandbox' and is_acting())
  execute function record_audit('credit.report', 'credit', 'reference', '', 'state,currency,amount,order_id');
create trigger audit_match after update on credits for each row
  when (old.state = 'unmatched' and new.state = 'matched' and is_acting())
  execute function record_audit('credit.match', 'credit', 'reference', '', 'currency,amount,order_id');
create trigger audit_return after update on credits for each row
  when (old.state = 'unmatched' and new.state = 'returned' and is_acting())
  execute function record_audit('credit.return', 'credit', 'reference', '', 'currency,amount');
create trigger audit_import after insert on bank_files for each row when (is_acting())
  execute function record_audit('bank.import', 'file', 'name', '', 'message');
create trigger audit_reject after update on payments for each row
  when (old.state <> 'refused' and new.state = 'refused' and is_acting())
  execute function record_audit('payment.reject', 'payment', 'id', '', 'kind,currency,amount');
create trigger audit_acknowledge after update on reserve_breaches for each row
  when (old.acknowledged_at is null and new.acknowledged_at is not null)
  execute function record_audit('reserve.acknowledge', 'currency', 'currency', 'operator:acknowledged_by', 'difference');
