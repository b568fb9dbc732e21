-- The triggers keep their plans for as long as a connection lasts. One that was made when the planner had counted few entries would read all entries for
-- each posting, until the planner counts again: a burst of credits in a new ledger meets that. With this setting there is no other plan than the index.
alter function check_postings() set enable_seqscan = off;
alter function note_bank_bookings() set enable_seqscan = off;
