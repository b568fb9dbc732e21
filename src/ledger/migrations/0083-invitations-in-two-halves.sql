-- An invitation that a second person has approved takes two secrets: the link, which the approver gets, and a code, which only the operator who asked for it
-- makes. Neither of them can accept it alone.

alter table operator_invitations
  -- Who makes the code; null for an invitation that its link alone accepts.
  add column code_maker text references operators,
  -- SHA-256 of the code; null before it is made.
  add column code_hash bytea,
  add constraint operator_invitations_code check (code_hash is null or code_maker is not null);

drop trigger audit_invite on operator_invitations;
create trigger audit_invite after insert on operator_invitations for each row
  execute function record_audit('operator.invite', 'operator', 'operator', 'system', 'code_maker');
create trigger audit_invite_again after update of hash on operator_invitations for each row when (old.hash <> new.hash)
  execute function record_audit('operator.invite', 'operator', 'operator', 'system', 'code_maker');
create trigger audit_code after update of code_hash on operator_invitations for each row when (new.code_hash is not null)
  execute function record_audit('operator.invitation-code', 'operator', 'operator', 'operator:code_maker');
