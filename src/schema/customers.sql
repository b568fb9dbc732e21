-- Profiles and how they are verified, their files, addresses and IBANs.

create table profiles (
  id uuid primary key,
  kind text not null check (kind in ('personal', 'corporate')),
  name text not null,
  state text not null check (state in ('created', 'incomplete', 'pending', 'approved', 'rejected')),
  owner uuid references users,
  application uuid references applications,
  created_at timestamptz not null default now(),
  -- That of the newest submission.
  correlation_id text
);
comment on table profiles is 'Customers: people and companies. `state` follows their sections and verifications.';
-- Pages of long lists of profiles come from these in their order.
create index profiles_of_application on profiles (application, created_at, id);
create index profiles_of_owner on profiles (owner, created_at, id);
-- Profiles of a state, the oldest first: what waits for a review is a state like the others.
create index profiles_of_state on profiles (state, created_at, id);
-- Profiles by the words of their names. Names are written once; without a list of pending entries, which each search would read.
create index profiles_name_words on profiles using gin (to_tsvector('simple', name)) with (fastupdate = off);

alter table users add foreign key (default_profile) references profiles;

create table profile_sections (
  profile uuid not null references profiles,
  section text not null check (section in ('details', 'form')),
  state text not null check (state in ('incomplete', 'pending', 'approved', 'rejected')),
  -- personal data: it is never logged and is in no event
  data jsonb,
  -- What a user has entered of a company's details and not submitted yet: personal data, which is deleted with the submission.
  draft jsonb,
  updated_at timestamptz not null default now(),
  primary key (profile, section)
);
comment on table profile_sections is 'What was submitted for the sections of a profile, and how it was decided.';

create table profile_verifications (
  profile uuid not null references profiles,
  kind text not null,
  -- the id of a person of a company's details, else empty
  person text not null default '',
  state text not null check (state in ('incomplete', 'pending', 'approved', 'rejected')),
  documents jsonb not null default '[]',
  updated_at timestamptz not null default now(),
  primary key (profile, kind, person)
);
comment on table profile_verifications is 'The verifications that a profile needs, and the documents for each.';

create table profile_shares (
  profile uuid primary key references profiles,
  provider text not null,
  family_name text not null,
  requested_at timestamptz not null default now(),
  correlation_id text
);
comment on table profile_shares is 'Profiles whose data a provider delivers. The row is deleted when it has done so.';

create table profile_reviews (
  id uuid primary key default uuidv7(),
  profile uuid not null references profiles,
  decision text not null check (decision in ('approved', 'rejected', 'incomplete')),
  reason text,
  errors jsonb,
  decided_by text not null,
  correlation_id text,
  decided_at timestamptz not null default now(),
  check ((decision = 'rejected') = (reason is not null)),
  check ((decision = 'incomplete') = (errors is not null))
);
comment on table profile_reviews is 'Every decision on a profile, for as long as the profile exists.';
create index profile_reviews_profile on profile_reviews (profile, id);

create table files (
  id uuid primary key,
  -- Null for a file that a user uploads on the hosted pages: it is the user's own, and no application may use it.
  application uuid references applications,
  uploaded_by uuid not null references users,
  name text not null check (length(name) <= 100),
  type text not null,
  size integer not null,
  hash text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Null while the content is on its way into the storage or out of it: such a file is nobody's.
  stored_at timestamptz,
  -- When the first order or verification named it.
  used_at timestamptz
);
comment on table files is 'Uploaded files: supporting documents and documents of verifications. The content is in the storage.';
create index files_unstored on files (created_at) where stored_at is null;
create index files_unused on files (created_at) where used_at is null and stored_at is not null;

create table addresses (
  address text primary key check (address ~ '^0x[0-9a-f]{40}$'),
  profile uuid not null references profiles
);
comment on table addresses is 'Addresses of profiles, in lower case. An address belongs to one profile.';
create index addresses_profile on addresses (profile);

create table address_links (
  address text not null references addresses,
  chain text not null,
  linked_by uuid not null references users,
  linked_at timestamptz not null default now(),
  -- `sentence`: the fixed sentence, which is the same for every service and profile; `sentence on chain`: an account's approval of it, which anybody can use.
  -- `message`: a text that names this service and the profile. Only the last keeps an address from a profile that proves to own it later, and the
  -- second signs nobody in (docs/api.md, Addresses).
  proof text not null default 'sentence' check (proof in ('sentence on chain', 'sentence', 'message')),
  -- How a link came about: on the hosted pages, where its user had proved who they are, or through grants, the newest first, at most 16. It signs in by the first, or
  -- while one of the grants is not distrusted (docs/api.md, Wallet sign-in).
  on_hosted_pages boolean not null default false,
  linked_through uuid[] not null default '{}',
  primary key (address, chain)
);
comment on table address_links is 'The chains on which an address is linked, and what proves that its profile owns it.';
-- What was linked through a grant is found by this. Without a list of pending entries, which each search would read.
create index address_links_through on address_links using gin (linked_through) with (fastupdate = off);

create table released_addresses (
  address text not null,
  profile uuid not null references profiles,
  primary key (address, profile)
);
comment on table released_addresses is
  'Profiles that have proved an address by a signature and lost it. An address that another profile has held signs in only by a linking message.';

create sequence iban_numbers;

create table ibans (
  id uuid primary key default uuidv7(),
  profile uuid not null unique references profiles,
  iban text unique,
  bic text,
  address text not null,
  chain text not null,
  state text not null default 'requested' check (state in ('requested', 'pending', 'approved', 'rejected', 'closed')),
  email_notifications boolean not null default true,
  created_at timestamptz not null default now(),
  -- That of the request that asked for the IBAN.
  correlation_id text,
  check (iban is not null or state in ('requested', 'rejected'))
);
comment on table ibans is 'IBANs of profiles, and the address and chain to which their credits go.';
create index ibans_requested on ibans (created_at) where state in ('requested', 'pending');
create index ibans_address on ibans (address);

create table quota_usage (
  quota text not null check (quota in ('profiles', 'files', 'user_files')),
  owner uuid not null,
  count bigint not null default 0,
  bytes bigint not null default 0,
  primary key (quota, owner)
);
comment on table quota_usage is
  'How much an application or a user has of what is too much to count each time.
  Derived from: profiles, files, by triggers, so that nothing that inserts or deletes can forget it. Checked by: test/schema/derived-tables.db.test.ts.';

create function count_profiles() returns trigger language plpgsql as $$
begin
  insert into quota_usage as u (quota, owner, count)
  select 'profiles', application, count(*) * case tg_op when 'INSERT' then 1 else -1 end
  from changed where application is not null group by application order by application
  on conflict (quota, owner) do update set count = u.count + excluded.count;
  return null;
end $$;

create function count_files() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into quota_usage as u (quota, owner, count, bytes)
  select owned.quota, owned.owner, count(*) * sign, sum(owned.size) * sign
  from (
    select 'files' as quota, application as owner, size from changed where application is not null
    union all select 'user_files', uploaded_by, size from changed
  ) owned
  group by owned.quota, owned.owner order by owned.quota, owned.owner
  on conflict (quota, owner) do update set count = u.count + excluded.count, bytes = u.bytes + excluded.bytes;
  return null;
end $$;

-- A document may be named at the moment at which it is taken away, because nobody used it. Then whoever names it fails: an order must not point to content
-- that is deleted.
create function use_files(ids uuid[]) returns void language plpgsql as $$
begin
  update files set used_at = now() where id = any(ids) and used_at is null;
  if exists (select from files where id = any(ids) and stored_at is null) then
    raise exception 'a file that is named is not in the storage';
  end if;
end $$;

create function use_verification_documents() returns trigger language plpgsql as $$
begin
  perform use_files(array(select (document ->> 'fileId')::uuid from jsonb_array_elements(new.documents) document));
  return null;
end $$;

create trigger count_added after insert on profiles referencing new table as changed for each statement execute function count_profiles();
create trigger count_removed after delete on profiles referencing old table as changed for each statement execute function count_profiles();
create trigger count_added after insert on files referencing new table as changed for each statement execute function count_files();
create trigger count_removed after delete on files referencing old table as changed for each statement execute function count_files();
create trigger use_files after insert or update of documents on profile_verifications
  for each row when (new.documents <> '[]') execute function use_verification_documents();
