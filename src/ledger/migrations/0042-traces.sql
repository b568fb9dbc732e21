-- By what the trace of an order finds its payments and their debits.
create index payments_of_credit on payments (credit) where credit is not null;
create index bank_debits_payment_file on bank_debits (payment_file) where payment_file is not null;
