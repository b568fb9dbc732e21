-- An order is looked up by its hash among entries that are in the tree. PostgreSQL would else collect up to 4 MB of new ones in a list, which each look-up reads
-- and which one of the settler's statements has to sort in.
alter index orders_tx_hashes set (fastupdate = off);
select gin_clean_pending_list('orders_tx_hashes');
