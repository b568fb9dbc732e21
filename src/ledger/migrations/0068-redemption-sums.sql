-- What a holder's open redemptions come to, without reading them: a holder may have any number. Whoever places redemptions and whoever ends them
-- write rows of their own, so that neither waits for the other: `placed` less `ended` is open.
create table redemption_sums (
  account text not null,
  chain text not null,
  currency text not null,
  side text not null check (side in ('placed', 'ended')),
  -- minor units
  amount bigint not null,
  primary key (account, chain, currency, side)
-- A row is replaced within its page, and no index changes.
) with (fillfactor = 50);

create function sum_placed_redemptions() returns trigger language plpgsql as $$
begin
  -- In one order, so that two transactions never wait for each other's rows.
  insert into redemption_sums as s (account, chain, currency, side, amount)
  select account, chain, currency, 'placed', sum(amount) from new_legs
  where kind = 'redeem' and state in ('waiting', 'ready', 'sent') group by 1, 2, 3 order by 1, 2, 3
  on conflict (account, chain, currency, side) do update set amount = s.amount + excluded.amount;
  return null;
end $$;

create function sum_ended_redemptions() returns trigger language plpgsql as $$
begin
  -- Most statements that change legs end no redemption, and open none again.
  if not exists (select from new_legs where kind = 'redeem' and state not in ('waiting', 'ready', 'sent'))
    and not exists (select from old_legs where kind = 'redeem' and state not in ('waiting', 'ready', 'sent')) then
    return null;
  end if;
  insert into redemption_sums as s (account, chain, currency, side, amount)
  select account, chain, currency, 'ended', sum(amount) from (
    select account, chain, currency, amount from old_legs where kind = 'redeem' and state in ('waiting', 'ready', 'sent')
    union all
    select account, chain, currency, -amount from new_legs where kind = 'redeem' and state in ('waiting', 'ready', 'sent')
  ) l group by 1, 2, 3 having sum(amount) <> 0 order by 1, 2, 3
  on conflict (account, chain, currency, side) do update set amount = s.amount + excluded.amount;
  return null;
end $$;

create trigger sum_placed_redemptions after insert on legs referencing new table as new_legs
  for each statement execute function sum_placed_redemptions();
create trigger sum_ended_redemptions after update on legs referencing old table as old_legs new table as new_legs
  for each statement execute function sum_ended_redemptions();

insert into redemption_sums (account, chain, currency, side, amount)
select account, chain, currency, 'placed', sum(amount) from legs where kind = 'redeem' and state in ('waiting', 'ready', 'sent') group by 1, 2, 3;

-- Of an account's open redemptions only those are looked at that may be burnt already. Those that wait are in no index of accounts any more.
create index legs_maybe_burnt on legs (account, chain) where kind = 'redeem' and state in ('ready', 'sent') and token is not null;
drop index legs_redeeming;
