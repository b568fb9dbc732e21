-- What a link rests on, when an account signed on chain, and when a pending signature is looked at again.

-- `sentence`: the fixed sentence, which is the same for every service and profile. `message`: a text that names this service and the profile.
-- Only the second keeps an address from a profile that proves to own it later, and only it signs a user in (docs/api.md, Addresses).
alter table address_links add column proof text not null default 'sentence' check (proof in ('sentence', 'message'));

-- The nonces of linking messages, for as long as these are accepted.
create table link_nonces (
  address text not null,
  nonce text not null,
  expires_at timestamptz not null,
  primary key (address, nonce)
);
create index link_nonces_expiry on link_nonces (expires_at);

-- An address may pass from the profile of an IBAN to another one. Credits to that IBAN are unmatched until it is moved.
alter table ibans drop constraint ibans_address_chain_fkey;
create index ibans_address on ibans (address);

alter table signature_requests
  -- The sentence signed on chain counts only if the account signed it after this time. Null once that is known, and where it does not matter.
  add column signed_after timestamptz default now() - interval '1 hour',
  -- When a signature on chain is looked for again.
  add column check_at timestamptz not null default now(),
  -- What clients know the request by: an order's id is that of the order.
  add column public_id uuid generated always as (case when kind = 'order' then (draft ->> 'id')::uuid else id end) virtual;
update signature_requests set signed_after = case when kind = 'linkAddress' and signature = '0x' then created_at - interval '1 hour' end
where state = 'pending';
drop index signature_requests_pending;
create index signature_requests_pending on signature_requests (chain, check_at) where state = 'pending';
create index signature_requests_account on signature_requests (address, chain) where state = 'pending';

drop trigger audit_link on address_links;
create trigger audit_link after insert on address_links for each row when (is_acting())
  execute function record_audit('address.link', 'address', 'address', '', 'chain,proof');
-- Also when a worker did it: an address that leaves its profile is always recorded.
create trigger audit_unlink after delete on addresses for each row
  execute function record_audit('address.unlink', 'address', 'address', 'system', 'profile');
create trigger audit_decide after update on signature_requests for each row
  when (old.state = 'pending' and new.state <> 'pending' and is_acting())
  execute function record_audit('signature.decide', 'address', 'address', '', 'id,kind,chain,profile,state,reason');
