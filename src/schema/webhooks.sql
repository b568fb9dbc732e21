-- Events, subscriptions to them, and the deliveries of each event.

-- A delivery has the time of its event, and is the same whoever makes it: an event is delivered to a subscription once, both are in partitions
-- of the same month, and no delivery outlives its event.
create function delivery_id(event uuid, subscription uuid) returns uuid language plpgsql immutable strict parallel safe as $$
declare
  bytes bytea := substring(uuid_send(event) for 6) || substring(sha256(uuid_send(event) || uuid_send(subscription)) for 10);
begin
  bytes := set_byte(bytes, 6, (get_byte(bytes, 6) & 15) | 112);
  return encode(set_byte(bytes, 8, (get_byte(bytes, 8) & 63) | 128), 'hex')::uuid;
end $$;

create table events (
  id uuid primary key default uuidv7(),
  type text not null,
  profile uuid not null,
  subject uuid not null,
  data jsonb not null,
  correlation_id text,
  created_at timestamptz not null default now(),
  -- Within one subject, the order of the changes: it is assigned while the subject's row is locked.
  sequence bigint not null generated always as identity,
  -- Assigned after the event is committed, by one transaction after the other: a reader who has read up to a position has missed no event before it.
  -- That a position is given once no index shows: the dispatcher takes them from a sequence, for events that have none, and only one dispatcher runs at a
  -- time.
  position bigint
) partition by range (id);
comment on table events is 'Events for subscribers, each written in the transaction of the change. The id is the webhook-id.';
create index events_subject on events (subject, id);
create index events_without_position on events (sequence) where position is null;
create index events_position on events (position) where position is not null;
create index events_of_orders on events (profile, position) where position is not null and type in ('order.created', 'order.held', 'order.updated');

create sequence event_positions owned by events.position;

create table webhook_subscriptions (
  id uuid primary key,
  application uuid not null references applications,
  url text not null check (url ~ '^https?://[^/?#@]+([/?#]|$)'),
  -- A URL holds no user and password, so this shows where deliveries go and no secret.
  origin text not null generated always as (substring(url from '^https?://[^/?#]+')) stored,
  types text[] not null,
  state text not null default 'active' check (state in ('active', 'inactive', 'deleted')),
  -- Why the service made it inactive; null where its application did.
  inactive_reason text,
  -- until when its receiver asked to be left alone
  paused_until timestamptz,
  secret text,
  -- signs beside the new one until its time (docs/api.md, Subscriptions)
  previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (inactive_reason is null or state <> 'active'),
  check ((state = 'deleted') = (secret is null)),
  check ((previous_secret is null) = (previous_secret_until is null)),
  check (state <> 'deleted' or previous_secret is null)
);
comment on table webhook_subscriptions is
  'Where an application wants events to be sent. A deleted one is kept, without its secrets, because its deliveries refer to it.';
create index webhook_subscriptions_application on webhook_subscriptions (application, id);
-- Which keys are in use, and what a rotation still has to seal again, are read from these.
create index webhook_subscriptions_secret_key on webhook_subscriptions (sealing_key(secret), (id::text)) where secret is not null;
create index webhook_subscriptions_previous_secret_key on webhook_subscriptions (sealing_key(previous_secret), (id::text)) where previous_secret is not null;

create table webhook_deliveries (
  -- `delivery_id` of event and subscription
  id uuid primary key default uuidv7(),
  subscription uuid not null,
  event uuid not null,
  type text not null,
  subject uuid not null,
  -- that of the event
  sequence bigint not null,
  state text not null default 'pending',
  -- counted when an attempt begins; `history` holds the latest ones
  attempts integer not null default 0,
  -- the first attempt, later by the time for which a further one was due and not made
  age_begins_at timestamptz,
  next_attempt_at timestamptz not null default now(),
  -- names the attempt of the worker that sends it; `next_attempt_at` is when the lease ends: a delivery whose worker died becomes due by itself
  lease uuid,
  last_status integer,
  last_error text,
  last_duration integer,
  history jsonb not null default '[]',
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check (state in ('pending', 'delivered', 'failed', 'cancelled')),
  check ((state = 'pending') = (ended_at is null)),
  check (state = 'pending' or lease is null)
) partition by range (id);
comment on table webhook_deliveries is 'One event for one subscription. Within a subject the next one waits until this one has ended.';
create index webhook_deliveries_due on webhook_deliveries (subscription, next_attempt_at, sequence) where state = 'pending';
create index webhook_deliveries_order on webhook_deliveries (subscription, subject, sequence) where state = 'pending';
create index webhook_deliveries_failed on webhook_deliveries (subscription, ended_at) where state = 'failed';
create index webhook_deliveries_list on webhook_deliveries (subscription, created_at, id);
create index webhook_deliveries_event on webhook_deliveries (event);
-- Deliveries of a subscription that are under way, or that went wrong.
create index webhook_deliveries_of_state on webhook_deliveries (subscription, state, created_at, id) where state <> 'delivered';

select make_default_partition('events'), make_partitions('events');
select make_default_partition('webhook_deliveries'), make_partitions('webhook_deliveries');
