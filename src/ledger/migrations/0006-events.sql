-- Within one subject, `sequence` is the order in which things happened: it is drawn while the subject's row is locked.
-- `position` is given out once the event is committed, by one transaction after the other: whoever has read up to a
-- position has missed nothing before it.
alter table events
  add column sequence bigint generated always as identity,
  add column position bigint unique;
create sequence event_positions owned by events.position;
create index events_without_position on events (sequence) where position is null;
