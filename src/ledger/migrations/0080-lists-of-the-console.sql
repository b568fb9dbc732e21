-- Bank files as an operator lists them, the latest first.
create index concurrently if not exists bank_files_imported on bank_files (imported_at, hash);

-- Profiles of a state, the oldest first: what waits for a review is a state like the others.
create index concurrently if not exists profiles_of_state on profiles (state, created_at, id);
drop index concurrently if exists profiles_pending;
