-- Orders of a profile with an address. Whoever asks for the orders of a profile may name any address, also one with very many orders of another
-- profile: an index by one of both would read all of them.
create index orders_profile_address on orders (profile, address, placed_at desc, id desc);
