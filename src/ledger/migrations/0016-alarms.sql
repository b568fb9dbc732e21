-- What has not moved when it should have, and the processes that report what they see.

-- Why a lane does not send is an alarm of its worker, so that it cannot outlive its cause.
drop table parked_lanes;

-- Two workers of one network, of which one is a hot spare, each have a row.
alter table heartbeats add column instance text not null default '';
alter table heartbeats drop constraint heartbeats_pkey;
alter table heartbeats add primary key (component, chain, instance);

-- Since when a leg could be carried out: `created_at` includes the time for which it waited for the leg before it, or for a signature.
alter table legs add column due_at timestamptz not null default now();
create index legs_waiting on legs (chain, kind) where state = 'waiting';
