-- Applications that run in browsers (docs/api.md, Browsers), and pages of long lists (docs/api.md, Paging).

-- The origins whose pages may read the answers to an application's requests.
alter table applications add column origins text[] not null default '{}';
create index applications_origins on applications (id) where origins <> '{}' and disabled_at is null;

drop trigger audit_create on applications;
create trigger audit_create after insert on applications for each row
  execute function record_audit('app.create', 'application', 'id', 'system', 'kind,name,redirect_uris,permissions,origins');
create trigger audit_origins after update on applications for each row when (old.origins is distinct from new.origins)
  execute function record_audit('app.origins', 'application', 'id', 'system', 'origins');

-- Pages of long lists of profiles come from these in their order.
create index profiles_of_application on profiles (application, created_at, id);
create index profiles_of_owner on profiles (owner, created_at, id);
drop index profiles_application;
drop index profiles_owner;
