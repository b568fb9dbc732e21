-- An order has one leg of a kind, and a kind has its position: a second index by order said the same. The ids of orders are hashes, so each of a leg's changes was an
-- entry at a place of its own in both.
alter table legs drop constraint legs_order_id_position_key;
