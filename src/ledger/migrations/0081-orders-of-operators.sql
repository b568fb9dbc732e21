-- Orders that an operator looks for, by the account of the payer or payee, by the amount and by the memo, the latest first. The texts are hashed: they are longer
-- than what an index should hold.
create index concurrently if not exists orders_counterpart_iban on orders (hashtextextended(counterpart -> 'identifier' ->> 'iban', 0), placed_at desc, id desc)
  where counterpart -> 'identifier' ->> 'iban' is not null;
create index concurrently if not exists orders_amount on orders (amount, placed_at desc, id desc);
create index concurrently if not exists orders_memo_of_all on orders (hashtextextended(lower(memo), 0), placed_at desc, id desc) where memo <> '';

-- Profiles by the words of their names. Names are written once; without a list of pending entries, which each search would read.
create index concurrently if not exists profiles_name_words on profiles using gin (to_tsvector('simple', name)) with (fastupdate = off);
