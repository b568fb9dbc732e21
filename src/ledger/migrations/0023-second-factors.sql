-- Confidential clients, the end of token families (docs/api.md, Token endpoint).

-- Whether an authorization-code application proves itself by its secret. Private and whitelabel applications always do (RFC 6749, section 2.1).
alter table applications add column is_confidential boolean not null default false;

-- When no token of the family can be refreshed any more. Families that exist end as if they began now.
alter table refresh_tokens add column family_ends_at timestamptz not null default now() + interval '90 days';
