-- What a user takes back from an application is found by these, however many tokens and codes others have.
create index access_tokens_user on access_tokens (user_id, application);
create index refresh_tokens_user on refresh_tokens (user_id, application);
create index authorization_codes_user on authorization_codes (user_id, application);
