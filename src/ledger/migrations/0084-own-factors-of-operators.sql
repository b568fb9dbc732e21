-- Operators change what they sign in with by themselves, shortly after they have proven in the same session that they have what they sign in with now.

alter table operator_sessions add column proven_at timestamptz;

create trigger audit_prove after update of proven_at on operator_sessions for each row when (new.proven_at is not null)
  execute function record_audit('operator.prove', 'operator', 'operator', 'operator:operator');
create trigger audit_renew after insert on operator_recovery_codes for each row when (new.number = 1)
  execute function record_audit('operator.recovery-codes', 'operator', 'operator', 'operator:operator');
