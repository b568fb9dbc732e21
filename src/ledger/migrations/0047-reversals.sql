-- Reversals are looked up by the money: neither the credits with an EndToEndId that many payers use, nor the reversals that wait, make an import slower.

create index credits_end_to_end_amount on credits (hashtextextended(end_to_end_id, 0), amount) where end_to_end_id is not null;
drop index bank_debits_taking_back;
create index bank_debits_taking_back on bank_debits (account, currency, amount, received_at) where state = 'unexplained' and takes_back is not null;
