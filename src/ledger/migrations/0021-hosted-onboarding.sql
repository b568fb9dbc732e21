-- Onboarding on the hosted pages.

-- A file that a user uploads on the hosted pages is the user's own: no application may use it.
alter table files alter column application drop not null;

-- What a user has entered of a company's details and not submitted yet. Personal data, which is deleted with the submission.
create table profile_drafts (
  profile uuid primary key references profiles,
  data jsonb not null,
  updated_at timestamptz not null default now()
);
