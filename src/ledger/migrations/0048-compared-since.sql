-- When a head of the chain was seen up to which every outcome is known to this ledger: a recovery ends only when that is after it began.
alter table outcome_audits add column compared_at timestamptz;
