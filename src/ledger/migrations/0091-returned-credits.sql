-- Returned credits, the latest first: an operator searches among those of the last time.
create index concurrently if not exists credits_returned on credits (received_at) where state = 'returned';
