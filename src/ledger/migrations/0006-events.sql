-- Within one subject, `sequence` is the order of the changes: it is assigned while the subject's row is locked.
-- `position` is assigned after the event is committed, by one transaction after the other: a reader who has read up to a position has missed
-- no event before it.
alter table events
  add column sequence bigint generated always as identity,
  add column position bigint unique;
create sequence event_positions owned by events.position;
create index events_without_position on events (sequence) where position is null;
