-- How a link came about by a linking message: on the hosted pages, where its user had proved who they are, or through applications that acted for the
-- user. A stolen token makes the second, so it signs in only at the application itself, for as long as the user lets that act (docs/api.md, Wallet
-- sign-in). Of the links that are there already nobody knows it: their users link them once more on the hosted pages.
alter table address_links
  add column on_hosted_pages boolean not null default false,
  add column linked_through uuid[] not null default '{}';

-- With a consent ends what the application linked, and what it asked for and waits for a signature: a later consent does not bring it back.
create function forget_links_through() returns trigger language plpgsql as $$
begin
  update address_links l set linked_through = array_remove(l.linked_through, old.application)
  from addresses a join profiles p on p.id = a.profile
  where a.address = l.address and p.owner = old.user_id and old.application = any(l.linked_through);
  update signature_requests r set draft = r.draft - 'source'
  from profiles p
  where p.id = r.profile and p.owner = old.user_id and r.state = 'pending' and r.kind = 'linkAddress'
    and r.draft -> 'source' ->> 'application' = old.application::text;
  return null;
end $$;
create trigger forget_links after delete on consents for each row execute function forget_links_through();
