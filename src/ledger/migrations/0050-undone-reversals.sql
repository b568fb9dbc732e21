-- A credit was taken back by mistake: an operator undoes that, and the debit waits for an explanation again. No import takes a credit back by it any more.
alter table bank_debits
  add column reversals_undone integer not null default 0,
  add column last_undone_credit text,
  add column last_undo_reason text,
  add column last_undone_by text,
  add constraint bank_debits_reversals_undone
    check ((reversals_undone = 0) = (last_undone_credit is null) and (reversals_undone = 0) = (last_undo_reason is null) and (reversals_undone = 0) = (last_undone_by is null));
create trigger audit_undo after update on bank_debits for each row when (new.reversals_undone > old.reversals_undone)
  execute function record_audit('debit.undo-reversal', 'debit', 'reference', 'operator:last_undone_by', 'last_undone_credit,last_undo_reason,amount,currency');
