-- Bank files as an operator lists them, the latest first.
create index bank_files_imported on bank_files (imported_at, hash);

-- Profiles of a state, the oldest first: what waits for a review is a state like the others.
create index profiles_of_state on profiles (state, created_at, id);
drop index profiles_pending;
