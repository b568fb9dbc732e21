-- The audit log: every change by a person, an application or an operator, written by triggers that are listed at the end.

create table audit_log (
  id uuid primary key default uuidv7(),
  at timestamptz not null default now(),
  actor_kind text not null,
  actor text not null,
  action text not null,
  subject_kind text not null,
  subject text not null,
  correlation_id text,
  detail jsonb not null default '{}',
  check (actor_kind in ('application', 'user', 'operator', 'system'))
) partition by range (id);
comment on table audit_log is 'Every change by a person, an application or an operator. The detail holds neither personal data nor secrets. Append-only.';
create index audit_log_actor on audit_log (actor, id);
create index audit_log_subject on audit_log (subject, id);
create index audit_log_alone on audit_log (id) where action = 'operation.alone';

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit_log is append-only' using errcode = 'insufficient_privilege';
end $$;

-- On whose behalf the transaction writes, which it was begun with (src/platform/postgres/acting-dialect.ts); null where it is the service itself.
create function acting() returns jsonb language sql stable as $$ select nullif(current_setting('mintrail.actor', true), '')::jsonb $$;

-- Records a change, or a deletion, by whom the transaction writes for. Arguments: action, kind of subject, column that names it, who it was when the
-- transaction writes for nobody, columns of the detail. The fourth is empty (the service itself, which is not recorded), `system`, `always system` (the service
-- itself, whomever the transaction writes for), or a kind and a column, such as `user:user_id`.
create function record_audit() returns trigger language plpgsql as $$
declare
  actor jsonb := acting();
  changed jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  fallback text := tg_argv[3];
  detail jsonb := '{}';
  name text;
begin
  if fallback = 'always system' then
    actor := '{"actorKind": "system", "actor": "mintrail"}';
  elsif actor is null then
    if fallback = '' then return null; end if;
    actor := jsonb_build_object('actorKind', split_part(fallback, ':', 1), 'actor', coalesce(changed ->> split_part(fallback, ':', 2), 'mintrail'));
  end if;
  foreach name in array string_to_array(coalesce(tg_argv[4], ''), ',') loop
    if changed ->> name is not null then detail := detail || jsonb_build_object(name, changed -> name); end if;
  end loop;
  detail := detail || jsonb_strip_nulls(jsonb_build_object('application', actor -> 'actorApplication'));
  insert into audit_log (actor_kind, actor, action, subject_kind, subject, correlation_id, detail)
  values (actor ->> 'actorKind', actor ->> 'actor', tg_argv[0], tg_argv[1], changed ->> tg_argv[2],
    coalesce(actor ->> 'actorCorrelationId', changed ->> 'correlation_id'), detail);
  return null;
end $$;

create trigger append_only before update or delete or truncate on audit_log for each statement execute function refuse_audit_change();

select make_default_partition('audit_log'), make_partitions('audit_log');

-- What is recorded. Each row is one trigger:
-- - table, name and event of the trigger, and the condition, empty where every row counts;
-- - the action, the kind of its subject, and the column that names the subject;
-- - who it was when the transaction writes for nobody: nobody, which records nothing, `system`, or a kind and a column; or `always system`, whoever acts;
-- - the columns of the detail.
do $$
declare
  t record;
begin
  for t in
    select * from (values
      -- access
      ('users', 'audit_verify', 'update', 'new.email_verified_at is not null and old.email_verified_at is distinct from new.email_verified_at', 'user.verify-email', 'user', 'id', 'user:id', ''),
      ('users', 'audit_verify_new', 'insert', 'new.email_verified_at is not null', 'user.verify-email', 'user', 'id', 'user:id', ''),
      ('applications', 'audit_secret', 'update', 'old.secret_hash is distinct from new.secret_hash', 'app.rotate-secret', 'application', 'id', 'system', 'secret_stolen_since'),
      ('applications', 'audit_disable', 'update', 'old.disabled_at is null and new.disabled_at is not null', 'app.disable', 'application', 'id', 'system', ''),
      ('applications', 'audit_approve', 'update', 'old.approved_at is null and new.approved_at is not null', 'app.approve', 'application', 'id', 'system', ''),
      ('applications', 'audit_create', 'insert', '', 'app.create', 'application', 'id', 'system', 'kind,name,redirect_uris,permissions,origins'),
      ('applications', 'audit_origins', 'update', 'old.origins is distinct from new.origins', 'app.origins', 'application', 'id', 'system', 'origins'),
      ('consents', 'audit_consent', 'insert or update of permissions, granted_at', '', 'consent.grant', 'application', 'application', 'user:user_id', 'permissions'),
      ('consents', 'audit_consent_end', 'delete', '', 'consent.revoke', 'application', 'application', 'user:user_id', 'permissions'),
      ('passwords', 'audit_user', 'insert or update', 'new.user_id is not null', 'user.password', 'user', 'user_id', 'user:user_id', 'set_by'),
      ('passwords', 'audit_operator', 'insert or update', 'new.operator is not null', 'operator.password', 'operator', 'operator', 'operator:operator', 'set_by'),
      ('sessions', 'audit_user', 'insert', 'new.user_id is not null', 'user.sign-in', 'user', 'user_id', 'user:user_id', ''),
      ('sessions', 'audit_operator', 'insert', 'new.operator is not null', 'operator.sign-in', 'operator', 'operator', 'operator:operator', ''),
      ('sessions', 'audit_user_end', 'update of ended_at', 'new.user_id is not null and old.ended_at is null and new.ended_at is not null', 'user.sign-out', 'user', 'user_id', 'user:user_id', ''),
      ('sessions', 'audit_operator_end', 'update of ended_at', 'new.operator is not null and old.ended_at is null and new.ended_at is not null', 'operator.sign-out', 'operator', 'operator', 'operator:operator', ''),
      ('sessions', 'audit_operator_proof', 'update of proved_at', 'new.operator is not null and new.proved_at is not null', 'operator.prove', 'operator', 'operator', 'operator:operator', ''),
      ('sign_in_failures', 'audit_user', 'insert or update', 'new.kind = ''user'' and new.failures in (1, 10, 100, 1000, 10000)', 'user.sign-in-failed', 'user', 'subject', 'system', 'factor,failures'),
      ('sign_in_failures', 'audit_operator', 'insert or update', 'new.kind = ''operator'' and new.failures in (1, 10, 100, 1000, 10000)', 'operator.sign-in-failed', 'operator', 'subject', 'system', 'factor,failures'),
      ('passkeys', 'audit_user', 'insert', 'new.user_id is not null', 'passkey.add', 'user', 'user_id', 'user:user_id', 'id,is_synchronised'),
      ('passkeys', 'audit_operator', 'insert', 'new.operator is not null', 'operator.passkey-add', 'operator', 'operator', 'operator:operator', 'id,is_synchronised'),
      ('passkeys', 'audit_user_end', 'delete', 'old.user_id is not null', 'passkey.remove', 'user', 'user_id', 'user:user_id', 'id'),
      ('passkeys', 'audit_operator_end', 'delete', 'old.operator is not null', 'operator.passkey-remove', 'operator', 'operator', 'operator:operator', 'id'),
      ('passkeys', 'audit_user_regress', 'update of counter_regressed_at', 'new.user_id is not null', 'passkey.counter-regressed', 'user', 'user_id', 'user:user_id', 'id,counter'),
      ('passkeys', 'audit_operator_regress', 'update of counter_regressed_at', 'new.operator is not null', 'operator.passkey-counter-regressed', 'operator', 'operator', 'operator:operator', 'id,counter'),
      ('totp_seeds', 'audit_user', 'update of activated_at', 'new.user_id is not null and old.activated_at is null and new.activated_at is not null', 'totp.add', 'user', 'user_id', 'user:user_id', ''),
      ('totp_seeds', 'audit_operator', 'update of activated_at', 'new.operator is not null and old.activated_at is null and new.activated_at is not null', 'operator.totp-add', 'operator', 'operator', 'operator:operator', ''),
      ('totp_seeds', 'audit_user_end', 'delete', 'old.user_id is not null and old.activated_at is not null', 'totp.remove', 'user', 'user_id', 'user:user_id', ''),
      ('totp_seeds', 'audit_operator_end', 'delete', 'old.operator is not null and old.activated_at is not null', 'operator.totp-remove', 'operator', 'operator', 'operator:operator', ''),
      ('recovery_codes', 'audit_user', 'insert', 'new.user_id is not null and new.number = 1', 'recovery-codes.make', 'user', 'user_id', 'user:user_id', ''),
      ('recovery_codes', 'audit_operator', 'insert', 'new.operator is not null and new.number = 1', 'operator.recovery-codes', 'operator', 'operator', 'operator:operator', ''),
      ('recovery_codes', 'audit_user_use', 'update of used_at', 'new.user_id is not null', 'recovery-code.use', 'user', 'user_id', 'user:user_id', 'number'),
      ('recovery_codes', 'audit_operator_use', 'update of used_at', 'new.operator is not null', 'operator.recovery-code', 'operator', 'operator', 'operator:operator', 'number'),
      -- operators
      ('operators', 'audit_add', 'insert', '', 'operator.add', 'operator', 'name', 'system', 'role'),
      ('operators', 'audit_role', 'update of role', 'old.role <> new.role', 'operator.role', 'operator', 'name', 'system', 'role'),
      ('operators', 'audit_disable', 'update of disabled_at', 'old.disabled_at is null and new.disabled_at is not null', 'operator.disable', 'operator', 'name', 'system', ''),
      ('operators', 'audit_enable', 'update of disabled_at', 'old.disabled_at is not null and new.disabled_at is null', 'operator.enable', 'operator', 'name', 'system', ''),
      ('operator_invitations', 'audit_invite', 'insert', '', 'operator.invite', 'operator', 'operator', 'system', 'code_maker'),
      ('operator_invitations', 'audit_invite_again', 'update of hash', 'old.hash <> new.hash', 'operator.invite', 'operator', 'operator', 'system', 'code_maker'),
      ('operator_invitations', 'audit_code', 'update of code_hash', 'new.code_hash is not null', 'operator.invitation-code', 'operator', 'operator', 'operator:code_maker', ''),
      ('approvals', 'audit_request', 'insert', '', 'approval.request', 'approval', 'id', 'operator:requested_by', 'action'),
      ('approvals', 'audit_decide', 'update of state', 'old.state = ''waiting'' and new.state in (''approved'', ''refused'')', 'approval.decide', 'approval', 'id', 'operator:decided_by', 'action,state,requested_by'),
      ('approvals', 'audit_withdraw', 'update of state', 'old.state <> new.state and new.state = ''withdrawn''', 'approval.end', 'approval', 'id', 'system', 'action,state'),
      -- Whoever looks has not ended it.
      ('approvals', 'audit_expire', 'update of state', 'old.state <> new.state and new.state = ''expired''', 'approval.end', 'approval', 'id', 'always system', 'action,state'),
      ('approvals', 'audit_carry_out', 'update of state', 'old.state = ''approved'' and new.state in (''done'', ''failed'')', 'approval.carry-out', 'approval', 'id', 'system', 'action,state,error_code'),
      -- customers
      ('profiles', 'audit_create', 'insert', '', 'profile.create', 'profile', 'id', '', 'kind'),
      -- A review changes the states of sections and verifications, too, and is recorded as what it is.
      ('profile_sections', 'audit_submit', 'insert', 'new.data is not null', 'profile.submit', 'profile', 'profile', '', 'section,state'),
      ('profile_sections', 'audit_submit_again', 'update', 'old.data is distinct from new.data', 'profile.submit', 'profile', 'profile', '', 'section,state'),
      ('profile_verifications', 'audit_submit', 'insert', 'new.documents <> ''[]''', 'profile.verify', 'profile', 'profile', '', 'kind,state'),
      ('profile_verifications', 'audit_submit_again', 'update', 'old.documents <> new.documents', 'profile.verify', 'profile', 'profile', '', 'kind,state'),
      ('profile_shares', 'audit_share', 'insert', '', 'profile.share', 'profile', 'profile', '', 'provider'),
      ('profile_reviews', 'audit_review', 'insert', '', 'profile.review', 'profile', 'profile', 'system:decided_by', 'decision'),
      ('files', 'audit_upload', 'insert', '', 'file.upload', 'file', 'id', '', 'type,size,hash'),
      -- Also when a worker did it: an address that leaves its profile is always recorded.
      ('addresses', 'audit_unlink', 'delete', '', 'address.unlink', 'address', 'address', 'system', 'profile'),
      ('address_links', 'audit_link', 'insert', '', 'address.link', 'address', 'address', '', 'chain,proof'),
      ('ibans', 'audit_request', 'insert', '', 'iban.request', 'profile', 'profile', '', 'address,chain'),
      ('ibans', 'audit_move', 'update', '(old.address, old.chain) is distinct from (new.address, new.chain)', 'iban.move', 'profile', 'profile', '', 'address,chain'),
      -- orders
      ('orders', 'audit_place', 'insert', 'new.kind = ''redeem''', 'order.place', 'order', 'id', '', 'profile,address,chain,currency,amount'),
      ('signature_requests', 'audit_request', 'insert', '', 'signature.request', 'address', 'address', '', 'id,kind,chain,profile'),
      ('signature_requests', 'audit_decide', 'update', 'old.state = ''pending'' and new.state <> ''pending''', 'signature.decide', 'address', 'address', '', 'id,kind,chain,profile,state,reason'),
      -- book
      ('reserve_breaches', 'audit_acknowledge', 'update', 'old.acknowledged_at is distinct from new.acknowledged_at and new.acknowledged_at is not null', 'reserve.acknowledge', 'currency', 'currency', 'operator:acknowledged_by', 'comparison,account,difference,reason,items'),
      -- bank
      ('bank_files', 'audit_import', 'insert', '', 'bank.import', 'file', 'name', '', 'message'),
      ('credits', 'audit_match', 'update', 'old.state = ''unmatched'' and new.state = ''matched''', 'credit.match', 'credit', 'reference', '', 'currency,amount,order_id,matched_because'),
      ('credits', 'audit_return', 'update', 'old.state = ''unmatched'' and new.state = ''returned''', 'credit.return', 'credit', 'reference', '', 'currency,amount'),
      ('credits', 'audit_settle', 'update', 'old.state = ''unmatched'' and new.state = ''settled''', 'credit.settle', 'credit', 'reference', '', 'currency,amount,settled_as'),
      ('credits', 'audit_repeat', 'update', 'old.state = ''unmatched'' and new.state = ''repeated''', 'credit.repeat', 'credit', 'reference', '', 'currency,amount,repeats'),
      ('payments', 'audit_reject', 'update', 'old.state <> ''refused'' and new.state = ''refused''', 'payment.reject', 'payment', 'id', '', 'kind,currency,amount'),
      ('payments', 'audit_come_back', 'update', 'old.state <> ''returned'' and new.state = ''returned''', 'payment.come-back', 'payment', 'id', '', 'kind,currency,amount,came_back_by'),
      ('bank_debits', 'audit_explain', 'update', 'old.state = ''unexplained'' and new.state = ''explained''', 'debit.explain', 'debit', 'reference', 'operator:explained_by', 'explained_as,payment,returned_credit,explanation,amount,currency'),
      ('bank_debits', 'audit_undo', 'update', 'new.reversals_undone > old.reversals_undone', 'debit.undo-reversal', 'debit', 'reference', 'operator:last_undone_by', 'last_undone_credit,last_undo_reason,amount,currency'),
      ('recalls', 'audit_answer', 'update', 'old.answer is null and new.answer is not null', 'recall.answer', 'recall', 'id', 'operator:answered_by', 'answer,reason,credit,amount,currency'),
      ('recalls', 'audit_undo', 'update', 'old.undone_by is null and new.undone_by is not null', 'recall.undo', 'recall', 'id', 'operator:undone_by', 'credit,undone_because,amount,currency'),
      ('claims', 'audit_write_off', 'update', 'old.state = ''open'' and new.state = ''written_off''', 'claim.write-off', 'debit', 'reversal', '', 'credit,currency,amount,recovered'),
      ('bank_statements', 'audit_accept_gap', 'update', 'old.gap_accepted_at is null and new.gap_accepted_at is not null', 'statement.accept', 'statement', 'id', 'operator:gap_accepted_by', 'account,number,gap,gap_reason'),
      -- webhooks
      ('webhook_subscriptions', 'audit_create', 'insert', '', 'webhook.create', 'webhook', 'id', 'system', 'application,origin,types'),
      ('webhook_subscriptions', 'audit_update', 'update', 'new.state <> ''deleted'' and (old.url, old.types, old.state) is distinct from (new.url, new.types, new.state)', 'webhook.update', 'webhook', 'id', 'system', 'application,origin,types,state'),
      ('webhook_subscriptions', 'audit_delete', 'update', 'old.state <> ''deleted'' and new.state = ''deleted''', 'webhook.delete', 'webhook', 'id', 'system', 'application,origin'),
      -- A key that is exchanged seals each secret anew, which is nobody's change of it.
      ('webhook_subscriptions', 'audit_secret', 'update', 'new.state <> ''deleted'' and old.secret is distinct from new.secret', 'webhook.rotate-secret', 'webhook', 'id', '', 'application'),
      ('webhook_deliveries', 'audit_replay', 'update', 'old.state <> ''pending'' and new.state = ''pending''', 'webhook.replay', 'delivery', 'id', '', 'subscription,event'),
      -- safes
      ('safe_transactions', 'audit_prepare', 'insert', '', 'safe-transaction.prepare', 'safe-transaction', 'id', 'operator:prepared_by', 'chain,currency,safe,nonce,hash,call_data'),
      ('safe_transactions', 'audit_end', 'update of state', 'old.state <> new.state', 'safe-transaction.state', 'safe-transaction', 'id', 'system', 'chain,safe,nonce,state,execution_hash'),
      ('safe_signatures', 'audit_sign', 'insert', '', 'safe-transaction.sign', 'safe-transaction', 'transaction', 'operator:added_by', 'signer'),
      -- swap
      ('swap_quotes', 'audit_commit', 'insert', '', 'swap.commit', 'swap', 'id', '', 'profile,taker,taker_token,maker_token,taker_amount,maker_amount,nonce')
    ) as t(relation, name, event, condition, action, subject_kind, subject, actor, detail)
  loop
    execute format('create trigger %I after %s on %I for each row %s execute function record_audit(%L, %L, %L, %L%s)', t.name, t.event, t.relation,
      'when (' || nullif(concat_ws(' and ', nullif(t.condition, ''), case t.actor when '' then 'acting() is not null' end), '') || ')',
      t.action, t.subject_kind, t.subject, t.actor, case when t.detail <> '' then format(', %L', t.detail) end);
  end loop;
end $$;
