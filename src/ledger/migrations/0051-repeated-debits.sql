-- A debit that is a second report of another one: its money left once.
alter table bank_debits
  drop constraint bank_debits_explained_as_check,
  add constraint bank_debits_explained_as_check
    check (explained_as in ('fee', 'interest', 'own', 'payment', 'return-of', 'reversal-of', 'undone-by', 'repeat-of')),
  add column repeats text references bank_debits on update cascade,
  add constraint bank_debits_repeats check ((repeats is not null) = (explained_as is not distinct from 'repeat-of'));
