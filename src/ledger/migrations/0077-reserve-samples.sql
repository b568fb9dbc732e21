-- What the reserve was over time, for the charts of the console: a row a minute for a day, and a row an hour for a quarter.

create table reserve_samples (
  step text not null check (step in ('minute', 'hour')),
  -- The beginning of the minute or hour.
  taken_at timestamptz not null,
  currency text not null,
  -- Minor units, all three.
  bank bigint not null,
  under_way bigint not null,
  -- By network, as texts: JSON's numbers are not exact.
  circulation jsonb not null,
  primary key (step, taken_at, currency)
);
