-- A credit by which the bank undoes an unexplained debit ends it. So the debits that are unexplained are at all times the balance of `assets:differences`.
alter table bank_debits
  drop constraint bank_debits_explained_as_check,
  add constraint bank_debits_explained_as_check check (explained_as in ('fee', 'interest', 'own', 'payment', 'return-of', 'reversal-of', 'undone-by')),
  add column undone_by text unique references credits on update cascade,
  add constraint bank_debits_undone check (undone_by is null or explained_as = 'undone-by');
