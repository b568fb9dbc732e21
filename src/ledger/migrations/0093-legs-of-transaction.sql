-- Whether a transaction has a leg that is still sent is asked at each block until it has none. By the transaction alone each question read all its legs, with the
-- versions of each that are of the past: 17 pages for each leg of a large file.
create index concurrently if not exists legs_of_transaction on legs (transaction, state) where transaction is not null;
drop index concurrently if exists legs_transaction;
