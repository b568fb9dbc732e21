-- Onboarding: the sections of a profile, what was submitted for them, and how they were decided.

-- `data` is personal data: it is never logged and is in no event.
create table profile_sections (
  profile uuid not null references profiles,
  section text not null check (section in ('details', 'form')),
  state text not null check (state in ('incomplete', 'pending', 'approved', 'rejected')),
  data jsonb,
  updated_at timestamptz not null default now(),
  primary key (profile, section)
);

-- One row per verification that a profile needs. `person` is the id of a person of a company's details, else empty.
create table profile_verifications (
  profile uuid not null references profiles,
  kind text not null,
  person text not null default '',
  state text not null check (state in ('incomplete', 'pending', 'approved', 'rejected')),
  documents jsonb not null default '[]',
  updated_at timestamptz not null default now(),
  primary key (profile, kind, person)
);

-- Profiles whose data a provider delivers. The row is deleted when it has done so.
create table profile_shares (
  profile uuid primary key references profiles,
  provider text not null,
  family_name text not null,
  requested_at timestamptz not null default now()
);

-- Every decision on a profile, for as long as the profile exists.
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
create index profile_reviews_profile on profile_reviews (profile, id);
create index profiles_pending on profiles (created_at) where state = 'pending';

-- Existing profiles: their sections get the profile's state.
insert into profile_sections (profile, section, state)
select p.id, s.section, case when p.state in ('created', 'incomplete') then 'incomplete' else p.state end
from profiles p cross join (values ('details'), ('form')) s (section);
insert into profile_verifications (profile, kind, state)
select p.id, v.kind, case when p.state in ('created', 'incomplete') then 'incomplete' else p.state end
from profiles p join (values
  ('personal', 'idDocument'), ('personal', 'facialSimilarity'), ('personal', 'proofOfResidency'), ('personal', 'sourceOfFunds'),
  ('corporate', 'sourceOfFunds'), ('corporate', 'corporateName'), ('corporate', 'corporateAddress'),
  ('corporate', 'registrationNumber'), ('corporate', 'dateOfRegistration'), ('corporate', 'beneficialOwnership'),
  ('corporate', 'powerOfAttorney')
) v (profile_kind, kind) on v.profile_kind = p.kind;
