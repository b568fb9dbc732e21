-- A debit that is a further report of several debits, or of a part of one.

-- references of the debits that count
alter table bank_debits
  drop constraint bank_debits_repeats_fkey,
  drop constraint bank_debits_repeats,
  alter column repeats type text[] using case when repeats is not null then array[repeats] end,
  add constraint bank_debits_repeats check ((repeats is not null) = (explained_as is not distinct from 'repeat-of'));
create index bank_debits_repeated on bank_debits ((repeats[1])) where repeats is not null;
