-- A second identity of credits: banks report the same money under several references, in notifications and in statements.
--
-- `uetr` is the payment's id that all banks on the way repeat (ISO 20022), `message` the kind of message that reported the credit.
-- A credit that is `repeated` is a second report of the credit in `repeats`: its money counts there. An unmatched credit with `repeats` may be one.
alter table credits add column uetr uuid;
alter table credits add column message text;
alter table credits add column repeats text references credits on update cascade deferrable initially deferred;
alter table credits drop constraint credits_state_check;
alter table credits add constraint credits_state_check
  check (state in ('matched', 'unmatched', 'returned', 'replaced', 'settled', 'repeated'));
alter table credits add constraint credits_repeats_check check (state <> 'repeated' or repeats is not null);

create index credits_uetr on credits (uetr) where uetr is not null;
create index credits_repeats on credits (repeats) where repeats is not null;
-- Hashes, because the bank's texts have any length. Payer and IBAN keep a lookup short where many payments share an EndToEndId.
create index credits_end_to_end on credits (
  hashtextextended(end_to_end_id, 0), booked_on, amount,
  hashtextextended(coalesce(payer ->> 'iban', payer ->> 'accountNumber', upper(left(payer ->> 'name', 35)), ''), 0), iban
) where end_to_end_id is not null;

create trigger audit_repeat after update on credits for each row
  when (old.state = 'unmatched' and new.state = 'repeated' and is_acting())
  execute function record_audit('credit.repeat', 'credit', 'reference', '', 'currency,amount,repeats');
