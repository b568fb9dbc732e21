-- The log of a worker, and the events that it causes, name the request that they are due to. What is changed by no request has none.

-- That of the request that asked for the IBAN.
alter table ibans add column correlation_id text;
-- That of the newest submission.
alter table profiles add column correlation_id text;
alter table profile_shares add column correlation_id text;
alter table mails add column correlation_id text;
