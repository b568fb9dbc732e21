-- What a signer had left of a resource at the end of a day of UTC, and how much of it the day has used: wei of the gas money (`gas`), or token units
-- of the mint allowance of a currency (`eur`). Days of the last month.
create table signer_amounts (
  chain text not null,
  signer text not null,
  resource text not null,
  day date not null,
  amount numeric(78) not null,
  used numeric(78) not null,
  primary key (chain, signer, resource, day)
);

-- When the client secret was made: what is older than an operator wants is named by `mintrail status`.
alter table applications add column secret_set_at timestamptz;
update applications a set secret_set_at = greatest(a.created_at, (
  select max(l.at) from audit_log l where l.action = 'app.rotate-secret' and l.subject = a.id::text));
alter table applications alter column secret_set_at set default now(), alter column secret_set_at set not null;
