-- A part that was taken back of a credit counts for what replaces or repeats the credit, too.

-- the entry whose transactions replace the credit or reduce it, or the credit that it repeats
alter table reversals add column counts_with text;
create index reversals_counts_with on reversals (counts_with) where counts_with is not null;

update reversals v
  set counts_with = case c.state when 'repeated' then c.repeats else coalesce(c.entry_reference, c.replaced_from) end
  from credits c
  where c.reference = v.credit and (c.state in ('repeated', 'replaced') or (c.is_sum and c.entry_amount > c.amount));
