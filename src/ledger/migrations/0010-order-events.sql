-- Every order announces its own changes: no statement that moves an order has to remember its event.

-- What an event says of an order: the keys below, whatever the columns are called. The columns are bound when the function is made,
-- so renaming one changes nothing here. `amount` is minor units as text, which a JavaScript number could not hold; times are RFC 3339.
-- A signature and the message it signs are in no event.
create function order_event_data(o orders) returns jsonb language sql stable
begin atomic
  select jsonb_build_object(
    'id', o.id, 'kind', o.kind, 'profile', o.profile, 'address', o.address, 'chain', o.chain, 'currency', o.currency,
    'amount', o.amount::text, 'counterpart', o.counterpart, 'memo', o.memo, 'referenceNumber', o.reference_number, 'state', o.state,
    'placedAt', o.placed_at, 'processedAt', o.processed_at, 'rejectedReason', o.rejected_reason,
    'supportingDocument', o.supporting_document, 'txHashes', o.tx_hashes);
end;

-- The only writer of order events. Argument: the type of the event.
create function announce_order() returns trigger language plpgsql as $$
begin
  insert into events (type, profile, subject, data, correlation_id)
  values (tg_argv[0], new.profile, new.id, order_event_data(new), new.correlation_id);
  return null;
end $$;
create trigger announce_placed after insert on orders for each row execute function announce_order('order.created');
create trigger announce_ended after update on orders for each row
  when (old.state is distinct from new.state and new.state in ('processed', 'rejected'))
  execute function announce_order('order.updated');

-- Events from before, which held whole rows, now hold the same keys.
update events set data = jsonb_build_object(
  'id', data -> 'id', 'kind', data -> 'kind', 'profile', data -> 'profile', 'address', data -> 'address', 'chain', data -> 'chain',
  'currency', data -> 'currency', 'amount', data ->> 'amount', 'counterpart', data -> 'counterpart', 'memo', data -> 'memo',
  'referenceNumber', data -> 'reference_number', 'state', data -> 'state', 'placedAt', data -> 'placed_at',
  'processedAt', data -> 'processed_at', 'rejectedReason', data -> 'rejected_reason',
  'supportingDocument', data -> 'supporting_document', 'txHashes', data -> 'tx_hashes')
where type in ('order.created', 'order.updated');

update events set data = jsonb_build_object(
  'iban', data -> 'iban', 'name', data -> 'name', 'bic', data -> 'bic', 'profile', data -> 'profile', 'address', data -> 'address',
  'chain', data -> 'chain', 'state', data -> 'state', 'emailNotifications', data -> 'email_notifications')
where type = 'iban.updated';
