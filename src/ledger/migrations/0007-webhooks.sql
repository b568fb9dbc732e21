-- Subscriptions to events, and the deliveries of each event.

-- A deleted subscription is kept, without its secrets, because its deliveries refer to it. `previous_secret` signs beside the new one
-- until its time (docs/api.md, Subscriptions). A URL holds no user and password, so `origin` shows where deliveries go and no secret.
create table webhook_subscriptions (
  id uuid primary key default uuidv7(),
  application uuid not null references applications,
  url text not null check (url ~ '^https?://[^/?#@]+([/?#]|$)'),
  origin text not null generated always as (substring(url from '^https?://[^/?#]+')) stored,
  types text[] not null,
  state text not null default 'active' check (state in ('active', 'inactive', 'deleted')),
  secret text,
  previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((state = 'deleted') = (secret is null)),
  check ((previous_secret is null) = (previous_secret_until is null)),
  check (state <> 'deleted' or previous_secret is null)
);
create index webhook_subscriptions_application on webhook_subscriptions (application, id);

-- One event for one subscription. `sequence` is that of the event: within a subject the next one waits until this one has
-- ended. While a worker sends it, `lease` names the attempt and `next_attempt_at` is when the lease ends: a delivery whose
-- worker died becomes due by itself. `attempts` is counted when an attempt begins; `history` holds the latest attempts.
create table webhook_deliveries (
  id uuid primary key default uuidv7(),
  subscription uuid not null references webhook_subscriptions,
  event uuid not null references events,
  type text not null,
  subject uuid not null,
  sequence bigint not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'cancelled')),
  attempts integer not null default 0,
  first_attempt_at timestamptz,
  next_attempt_at timestamptz not null default now(),
  lease uuid,
  last_status integer,
  last_error text,
  last_duration integer,
  history jsonb not null default '[]',
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  unique (event, subscription),
  check ((state = 'pending') = (ended_at is null)),
  check (state = 'pending' or lease is null)
);
create index webhook_deliveries_due on webhook_deliveries (subscription, next_attempt_at, sequence) where state = 'pending';
create index webhook_deliveries_order on webhook_deliveries (subscription, subject, sequence) where state = 'pending';
create index webhook_deliveries_failed on webhook_deliveries (subscription, ended_at) where state = 'failed';
create index webhook_deliveries_list on webhook_deliveries (subscription, created_at, id);

create trigger audit_create after insert on webhook_subscriptions for each row
  execute function record_audit('webhook.create', 'webhook', 'id', 'system', 'application,origin,types');
create trigger audit_update after update on webhook_subscriptions for each row
  when (new.state <> 'deleted' and (old.url, old.types, old.state) is distinct from (new.url, new.types, new.state))
  execute function record_audit('webhook.update', 'webhook', 'id', 'system', 'application,origin,types,state');
create trigger audit_secret after update on webhook_subscriptions for each row
  when (new.state <> 'deleted' and old.secret is distinct from new.secret)
  execute function record_audit('webhook.rotate-secret', 'webhook', 'id', 'system', 'application');
create trigger audit_delete after update on webhook_subscriptions for each row when (old.state <> 'deleted' and new.state = 'deleted')
  execute function record_audit('webhook.delete', 'webhook', 'id', 'system', 'application,origin');
create trigger audit_replay after update on webhook_deliveries for each row
  when (old.state <> 'pending' and new.state = 'pending' and is_acting())
  execute function record_audit('webhook.replay', 'delivery', 'id', '', 'subscription,event');
