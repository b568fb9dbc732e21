-- Uploaded files that nobody needs are deleted, and so is what a crash left of an upload.

-- Null while the content is on its way into the storage or out of it: such a file is nobody's.
alter table files add column stored_at timestamptz;
-- When the first order or verification named it.
alter table files add column used_at timestamptz;

update files set stored_at = created_at;
update files set used_at = now() where id in (select supporting_document from orders where supporting_document is not null);
update files set used_at = now()
where id in (select (document ->> 'fileId')::uuid from profile_verifications, jsonb_array_elements(documents) document);

create index files_unstored on files (created_at) where stored_at is null;
create index files_unused on files (created_at) where used_at is null and stored_at is not null;

create function use_files(ids uuid[]) returns void language sql as $$ update files set used_at = now() where id = any(ids) and used_at is null $$;

create function use_supporting_document() returns trigger language plpgsql as $$
begin
  perform use_files(array[new.supporting_document]);
  return null;
end $$;
create trigger use_file after insert on orders for each row when (new.supporting_document is not null) execute function use_supporting_document();

create function use_verification_documents() returns trigger language plpgsql as $$
begin
  perform use_files(array(select (document ->> 'fileId')::uuid from jsonb_array_elements(new.documents) document));
  return null;
end $$;
create trigger use_files after insert or update of documents on profile_verifications
  for each row when (new.documents <> '[]') execute function use_verification_documents();
