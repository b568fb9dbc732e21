-- A document may be named at the moment at which it is taken away, because nobody used it (migration 0028). Then whoever names it fails: an order must
-- not point to content that is deleted.
create or replace function use_files(ids uuid[]) returns void language plpgsql as $$
begin
  update files set used_at = now() where id = any(ids) and used_at is null;
  if exists (select from files where id = any(ids) and stored_at is null) then
    raise exception 'a file that is named is not in the storage';
  end if;
end $$;
