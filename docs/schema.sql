-- The schema as PostgreSQL has understood src/schema/, by `npm run schema`: a review sees here what a change of it does.
-- Fingerprint: b73301f804d4

CREATE SEQUENCE event_positions;

CREATE SEQUENCE iban_numbers;

-- operators.sql

CREATE TABLE operators (
  name text NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  role text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  disabled_at timestamp with time zone,
  CONSTRAINT operators_pkey PRIMARY KEY (name),
  CONSTRAINT operators_id_key UNIQUE (id),
  CONSTRAINT operators_name_check CHECK ((name ~ '^[A-Za-z0-9_.@-]{1,64}$'::text)),
  CONSTRAINT operators_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'reviewer'::text, 'treasurer'::text, 'administrator'::text])))
);
CREATE UNIQUE INDEX operators_any_case ON operators USING btree (lower(name));
CREATE TRIGGER audit_add AFTER INSERT ON operators FOR EACH ROW EXECUTE FUNCTION record_audit('operator.add', 'operator', 'name', 'system', 'role');
CREATE TRIGGER audit_disable AFTER UPDATE OF disabled_at ON operators FOR EACH ROW WHEN (((old.disabled_at IS NULL) AND (new.disabled_at IS NOT NULL))) EXECUTE FUNCTION record_audit('operator.disable', 'operator', 'name', 'system');
CREATE TRIGGER audit_enable AFTER UPDATE OF disabled_at ON operators FOR EACH ROW WHEN (((old.disabled_at IS NOT NULL) AND (new.disabled_at IS NULL))) EXECUTE FUNCTION record_audit('operator.enable', 'operator', 'name', 'system');
CREATE TRIGGER audit_role AFTER UPDATE OF role ON operators FOR EACH ROW WHEN ((old.role <> new.role)) EXECUTE FUNCTION record_audit('operator.role', 'operator', 'name', 'system', 'role');

CREATE TABLE operator_invitations (
  operator text NOT NULL,
  hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  code_maker text,
  code_hash bytea,
  CONSTRAINT operator_invitations_pkey PRIMARY KEY (operator),
  CONSTRAINT operator_invitations_code CHECK (((code_hash IS NULL) OR (code_maker IS NOT NULL))),
  CONSTRAINT operator_invitations_code_maker_fkey FOREIGN KEY (code_maker) REFERENCES operators(name),
  CONSTRAINT operator_invitations_hash_key UNIQUE (hash),
  CONSTRAINT operator_invitations_operator_fkey FOREIGN KEY (operator) REFERENCES operators(name)
);
CREATE INDEX operator_invitations_expiry ON operator_invitations USING btree (expires_at);
CREATE TRIGGER audit_code AFTER UPDATE OF code_hash ON operator_invitations FOR EACH ROW WHEN ((new.code_hash IS NOT NULL)) EXECUTE FUNCTION record_audit('operator.invitation-code', 'operator', 'operator', 'operator:code_maker');
CREATE TRIGGER audit_invite AFTER INSERT ON operator_invitations FOR EACH ROW EXECUTE FUNCTION record_audit('operator.invite', 'operator', 'operator', 'system', 'code_maker');
CREATE TRIGGER audit_invite_again AFTER UPDATE OF hash ON operator_invitations FOR EACH ROW WHEN ((old.hash <> new.hash)) EXECUTE FUNCTION record_audit('operator.invite', 'operator', 'operator', 'system', 'code_maker');

CREATE TABLE approvals (
  id uuid NOT NULL DEFAULT uuidv7(),
  action text NOT NULL,
  input text NOT NULL,
  description text NOT NULL,
  digest bytea NOT NULL,
  state text NOT NULL DEFAULT 'waiting'::text,
  requested_by text NOT NULL,
  requested_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  decided_by text,
  decided_at timestamp with time zone,
  note text,
  attempts integer NOT NULL DEFAULT 0,
  leased_until timestamp with time zone,
  result text,
  error_code text,
  error_message text,
  ended_at timestamp with time zone,
  CONSTRAINT approvals_pkey PRIMARY KEY (id),
  CONSTRAINT approvals_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES operators(name),
  CONSTRAINT approvals_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES operators(name),
  CONSTRAINT approvals_second_person CHECK (
CASE
    WHEN (state = ANY (ARRAY['approved'::text, 'refused'::text, 'done'::text, 'failed'::text])) THEN ((decided_by IS NOT NULL) AND (decided_by <> requested_by))
    ELSE true
END),
  CONSTRAINT approvals_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'approved'::text, 'refused'::text, 'withdrawn'::text, 'expired'::text, 'done'::text, 'failed'::text])))
);
CREATE INDEX approvals_open ON approvals USING btree (id) WHERE (state = ANY (ARRAY['waiting'::text, 'approved'::text]));
CREATE INDEX approvals_requested_by ON approvals USING btree (requested_by, id);
CREATE TRIGGER audit_carry_out AFTER UPDATE OF state ON approvals FOR EACH ROW WHEN (((old.state = 'approved'::text) AND (new.state = ANY (ARRAY['done'::text, 'failed'::text])))) EXECUTE FUNCTION record_audit('approval.carry-out', 'approval', 'id', 'system', 'action,state,error_code');
CREATE TRIGGER audit_decide AFTER UPDATE OF state ON approvals FOR EACH ROW WHEN (((old.state = 'waiting'::text) AND (new.state = ANY (ARRAY['approved'::text, 'refused'::text])))) EXECUTE FUNCTION record_audit('approval.decide', 'approval', 'id', 'operator:decided_by', 'action,state,requested_by');
CREATE TRIGGER audit_expire AFTER UPDATE OF state ON approvals FOR EACH ROW WHEN (((old.state <> new.state) AND (new.state = 'expired'::text))) EXECUTE FUNCTION record_audit('approval.end', 'approval', 'id', 'always system', 'action,state');
CREATE TRIGGER audit_request AFTER INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION record_audit('approval.request', 'approval', 'id', 'operator:requested_by', 'action');
CREATE TRIGGER audit_withdraw AFTER UPDATE OF state ON approvals FOR EACH ROW WHEN (((old.state <> new.state) AND (new.state = 'withdrawn'::text))) EXECUTE FUNCTION record_audit('approval.end', 'approval', 'id', 'system', 'action,state');

CREATE TABLE bank_uploads (
  file uuid NOT NULL,
  operator text NOT NULL,
  bytes bigint NOT NULL,
  begun_at timestamp with time zone NOT NULL DEFAULT now(),
  approval uuid,
  CONSTRAINT bank_uploads_pkey PRIMARY KEY (file),
  CONSTRAINT bank_uploads_approval_fkey FOREIGN KEY (approval) REFERENCES approvals(id),
  CONSTRAINT bank_uploads_bytes_check CHECK ((bytes >= 0)),
  CONSTRAINT bank_uploads_operator_fkey FOREIGN KEY (operator) REFERENCES operators(name)
);
CREATE INDEX bank_uploads_approval ON bank_uploads USING btree (approval);

-- access.sql

CREATE TABLE users (
  id uuid NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  default_profile uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  email_verified_at timestamp with time zone,
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_default_profile_fkey FOREIGN KEY (default_profile) REFERENCES profiles(id),
  CONSTRAINT users_email_key UNIQUE (email)
);
CREATE UNIQUE INDEX users_email ON users USING btree (lower(email));
CREATE TRIGGER audit_verify AFTER UPDATE ON users FOR EACH ROW WHEN (((new.email_verified_at IS NOT NULL) AND (old.email_verified_at IS DISTINCT FROM new.email_verified_at))) EXECUTE FUNCTION record_audit('user.verify-email', 'user', 'id', 'user:id');
CREATE TRIGGER audit_verify_new AFTER INSERT ON users FOR EACH ROW WHEN ((new.email_verified_at IS NOT NULL)) EXECUTE FUNCTION record_audit('user.verify-email', 'user', 'id', 'user:id');

CREATE TABLE applications (
  id uuid NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  secret_hash bytea,
  owner uuid NOT NULL,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  redirect_uris text[] NOT NULL DEFAULT '{}'::text[],
  privacy_policy_url text,
  terms_url text,
  permissions text[] NOT NULL DEFAULT '{read}'::text[],
  approved_at timestamp with time zone,
  is_confidential boolean NOT NULL DEFAULT false,
  refresh_needs_secret boolean NOT NULL DEFAULT false,
  origins text[] NOT NULL DEFAULT '{}'::text[],
  secret_set_at timestamp with time zone NOT NULL DEFAULT now(),
  secret_stolen_since timestamp with time zone,
  previous_secret_hash bytea,
  previous_secret_until timestamp with time zone,
  CONSTRAINT applications_pkey PRIMARY KEY (id),
  CONSTRAINT applications_check CHECK ((is_confidential OR (NOT refresh_needs_secret))),
  CONSTRAINT applications_check1 CHECK (((previous_secret_hash IS NULL) = (previous_secret_until IS NULL))),
  CONSTRAINT applications_kind_check CHECK ((kind = ANY (ARRAY['authorization_code'::text, 'whitelabel'::text, 'private'::text]))),
  CONSTRAINT applications_owner_fkey FOREIGN KEY (owner) REFERENCES users(id),
  CONSTRAINT applications_permissions_check CHECK (((permissions <@ ARRAY['read'::text, 'write'::text]) AND ('read'::text = ANY (permissions)))),
  CONSTRAINT applications_public_has_no_secret CHECK ((is_confidential OR (kind <> 'authorization_code'::text) OR (secret_hash IS NULL)))
);
CREATE INDEX applications_origins ON applications USING btree (id) WHERE ((origins <> '{}'::text[]) AND (disabled_at IS NULL));
CREATE TRIGGER audit_approve AFTER UPDATE ON applications FOR EACH ROW WHEN (((old.approved_at IS NULL) AND (new.approved_at IS NOT NULL))) EXECUTE FUNCTION record_audit('app.approve', 'application', 'id', 'system');
CREATE TRIGGER audit_create AFTER INSERT ON applications FOR EACH ROW EXECUTE FUNCTION record_audit('app.create', 'application', 'id', 'system', 'kind,name,redirect_uris,permissions,origins');
CREATE TRIGGER audit_disable AFTER UPDATE ON applications FOR EACH ROW WHEN (((old.disabled_at IS NULL) AND (new.disabled_at IS NOT NULL))) EXECUTE FUNCTION record_audit('app.disable', 'application', 'id', 'system');
CREATE TRIGGER audit_origins AFTER UPDATE ON applications FOR EACH ROW WHEN ((old.origins IS DISTINCT FROM new.origins)) EXECUTE FUNCTION record_audit('app.origins', 'application', 'id', 'system', 'origins');
CREATE TRIGGER audit_secret AFTER UPDATE ON applications FOR EACH ROW WHEN ((old.secret_hash IS DISTINCT FROM new.secret_hash)) EXECUTE FUNCTION record_audit('app.rotate-secret', 'application', 'id', 'system', 'secret_stolen_since');

CREATE TABLE consents (
  user_id uuid NOT NULL,
  application uuid NOT NULL,
  permissions text[] NOT NULL,
  granted_at timestamp with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp with time zone,
  CONSTRAINT consents_pkey PRIMARY KEY (user_id, application),
  CONSTRAINT consents_application_fkey FOREIGN KEY (application) REFERENCES applications(id),
  CONSTRAINT consents_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE TRIGGER audit_consent AFTER INSERT OR UPDATE OF permissions, granted_at ON consents FOR EACH ROW EXECUTE FUNCTION record_audit('consent.grant', 'application', 'application', 'user:user_id', 'permissions');
CREATE TRIGGER audit_consent_end AFTER DELETE ON consents FOR EACH ROW EXECUTE FUNCTION record_audit('consent.revoke', 'application', 'application', 'user:user_id', 'permissions');

CREATE TABLE grants (
  id uuid NOT NULL,
  application uuid NOT NULL,
  user_id uuid NOT NULL,
  auth_method text,
  auth_subject text,
  auth_chain text,
  made_at timestamp with time zone NOT NULL DEFAULT now(),
  refreshed_at timestamp with time zone,
  ends_at timestamp with time zone NOT NULL DEFAULT (now() + '90 days'::interval),
  ended_at timestamp with time zone,
  distrusted_at timestamp with time zone,
  kept_until timestamp with time zone NOT NULL DEFAULT (now() + '31 days'::interval),
  CONSTRAINT grants_pkey PRIMARY KEY (id),
  CONSTRAINT grants_application_fkey FOREIGN KEY (application) REFERENCES applications(id),
  CONSTRAINT grants_auth_method_check CHECK ((auth_method = ANY (ARRAY['password'::text, 'resource'::text]))),
  CONSTRAINT grants_check CHECK (((distrusted_at IS NULL) OR (ended_at IS NOT NULL))),
  CONSTRAINT grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX grants_application ON grants USING btree (application);
CREATE INDEX grants_kept ON grants USING btree (kept_until);
CREATE INDEX grants_user ON grants USING btree (user_id, application);

CREATE TABLE authorization_codes (
  hash bytea NOT NULL,
  grant_id uuid NOT NULL,
  redirect_uri text NOT NULL,
  code_challenge text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT authorization_codes_pkey PRIMARY KEY (hash),
  CONSTRAINT authorization_codes_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES grants(id),
  CONSTRAINT authorization_codes_grant_id_key UNIQUE (grant_id)
);
CREATE INDEX authorization_codes_expiry ON authorization_codes USING btree (expires_at);

CREATE TABLE access_tokens (
  hash bytea NOT NULL,
  grant_id uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT access_tokens_pkey PRIMARY KEY (hash),
  CONSTRAINT access_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES grants(id)
);
CREATE INDEX access_tokens_expiry ON access_tokens USING btree (expires_at);
CREATE INDEX access_tokens_grant ON access_tokens USING btree (grant_id);

CREATE TABLE refresh_tokens (
  hash bytea NOT NULL,
  grant_id uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT refresh_tokens_pkey PRIMARY KEY (hash),
  CONSTRAINT refresh_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES grants(id)
);
CREATE INDEX refresh_tokens_expiry ON refresh_tokens USING btree (expires_at);
CREATE INDEX refresh_tokens_grant ON refresh_tokens USING btree (grant_id);

CREATE TABLE message_nonces (
  address text NOT NULL,
  purpose text NOT NULL,
  nonce text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT message_nonces_pkey PRIMARY KEY (address, purpose, nonce),
  CONSTRAINT message_nonces_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text)),
  CONSTRAINT message_nonces_purpose_check CHECK ((purpose = ANY (ARRAY['sign-in'::text, 'link'::text])))
);
CREATE INDEX message_nonces_expiry ON message_nonces USING btree (expires_at);

CREATE TABLE passwords (
  id uuid NOT NULL DEFAULT uuidv7(),
  user_id uuid,
  operator text,
  hash text NOT NULL,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  set_by text NOT NULL,
  CONSTRAINT passwords_pkey PRIMARY KEY (id),
  CONSTRAINT passwords_check CHECK ((num_nonnulls(user_id, operator) = 1)),
  CONSTRAINT passwords_operator_fkey FOREIGN KEY (operator) REFERENCES operators(name),
  CONSTRAINT passwords_operator_key UNIQUE (operator),
  CONSTRAINT passwords_set_by_check CHECK ((set_by = ANY (ARRAY['sign-up'::text, 'invitation'::text, 'change'::text, 'reset'::text]))),
  CONSTRAINT passwords_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT passwords_user_id_key UNIQUE (user_id)
);
CREATE TRIGGER audit_operator AFTER INSERT OR UPDATE ON passwords FOR EACH ROW WHEN ((new.operator IS NOT NULL)) EXECUTE FUNCTION record_audit('operator.password', 'operator', 'operator', 'operator:operator', 'set_by');
CREATE TRIGGER audit_user AFTER INSERT OR UPDATE ON passwords FOR EACH ROW WHEN ((new.user_id IS NOT NULL)) EXECUTE FUNCTION record_audit('user.password', 'user', 'user_id', 'user:user_id', 'set_by');

CREATE TABLE sessions (
  hash bytea NOT NULL,
  user_id uuid,
  operator text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  id uuid NOT NULL DEFAULT uuidv7(),
  last_used_at timestamp with time zone NOT NULL DEFAULT now(),
  browser text NOT NULL DEFAULT ''::text,
  network text NOT NULL DEFAULT ''::text,
  ended_at timestamp with time zone,
  proved_at timestamp with time zone,
  CONSTRAINT sessions_pkey PRIMARY KEY (hash),
  CONSTRAINT sessions_check CHECK ((num_nonnulls(user_id, operator) = 1)),
  CONSTRAINT sessions_id_key UNIQUE (id),
  CONSTRAINT sessions_operator_fkey FOREIGN KEY (operator) REFERENCES operators(name),
  CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sessions_expiry ON sessions USING btree (expires_at);
CREATE INDEX sessions_operator ON sessions USING btree (operator) WHERE (operator IS NOT NULL);
CREATE INDEX sessions_user ON sessions USING btree (user_id) WHERE (user_id IS NOT NULL);
CREATE TRIGGER audit_operator AFTER INSERT ON sessions FOR EACH ROW WHEN ((new.operator IS NOT NULL)) EXECUTE FUNCTION record_audit('operator.sign-in', 'operator', 'operator', 'operator:operator');
CREATE TRIGGER audit_operator_end AFTER UPDATE OF ended_at ON sessions FOR EACH ROW WHEN (((new.operator IS NOT NULL) AND (old.ended_at IS NULL) AND (new.ended_at IS NOT NULL))) EXECUTE FUNCTION record_audit('operator.sign-out', 'operator', 'operator', 'operator:operator');
CREATE TRIGGER audit_operator_proof AFTER UPDATE OF proved_at ON sessions FOR EACH ROW WHEN (((new.operator IS NOT NULL) AND (new.proved_at IS NOT NULL))) EXECUTE FUNCTION record_audit('operator.prove', 'operator', 'operator', 'operator:operator');
CREATE TRIGGER audit_user AFTER INSERT ON sessions FOR EACH ROW WHEN ((new.user_id IS NOT NULL)) EXECUTE FUNCTION record_audit('user.sign-in', 'user', 'user_id', 'user:user_id');
CREATE TRIGGER audit_user_end AFTER UPDATE OF ended_at ON sessions FOR EACH ROW WHEN (((new.user_id IS NOT NULL) AND (old.ended_at IS NULL) AND (new.ended_at IS NOT NULL))) EXECUTE FUNCTION record_audit('user.sign-out', 'user', 'user_id', 'user:user_id');

CREATE TABLE known_devices (
  hash bytea NOT NULL,
  user_id uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT known_devices_pkey PRIMARY KEY (hash, user_id),
  CONSTRAINT known_devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX known_devices_expiry ON known_devices USING btree (expires_at);
CREATE INDEX known_devices_user ON known_devices USING btree (user_id);

CREATE TABLE sign_in_tries (
  subject text NOT NULL,
  tries integer NOT NULL,
  until timestamp with time zone NOT NULL,
  blocked_until timestamp with time zone,
  CONSTRAINT sign_in_tries_pkey PRIMARY KEY (subject)
);
CREATE INDEX sign_in_tries_until ON sign_in_tries USING btree (until);

CREATE TABLE sign_in_failures (
  kind text NOT NULL,
  subject text NOT NULL,
  factor text NOT NULL,
  hour timestamp with time zone NOT NULL,
  failures integer NOT NULL,
  CONSTRAINT sign_in_failures_pkey PRIMARY KEY (kind, subject, factor, hour),
  CONSTRAINT sign_in_failures_factor_check CHECK ((factor = ANY (ARRAY['password'::text, 'code'::text, 'passkey'::text, 'invitation'::text]))),
  CONSTRAINT sign_in_failures_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'operator'::text])))
);
CREATE INDEX sign_in_failures_age ON sign_in_failures USING btree (hour);
CREATE TRIGGER audit_operator AFTER INSERT OR UPDATE ON sign_in_failures FOR EACH ROW WHEN (((new.kind = 'operator'::text) AND (new.failures = ANY (ARRAY[1, 10, 100, 1000, 10000])))) EXECUTE FUNCTION record_audit('operator.sign-in-failed', 'operator', 'subject', 'system', 'factor,failures');
CREATE TRIGGER audit_user AFTER INSERT OR UPDATE ON sign_in_failures FOR EACH ROW WHEN (((new.kind = 'user'::text) AND (new.failures = ANY (ARRAY[1, 10, 100, 1000, 10000])))) EXECUTE FUNCTION record_audit('user.sign-in-failed', 'user', 'subject', 'system', 'factor,failures');

CREATE TABLE passkeys (
  id uuid NOT NULL DEFAULT uuidv7(),
  user_id uuid,
  operator text,
  credential_id text NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  is_synchronised boolean NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp with time zone,
  counter_regressed_at timestamp with time zone,
  CONSTRAINT passkeys_pkey PRIMARY KEY (id),
  CONSTRAINT passkeys_check CHECK ((num_nonnulls(user_id, operator) = 1)),
  CONSTRAINT passkeys_credential_id_key UNIQUE (credential_id),
  CONSTRAINT passkeys_operator_fkey FOREIGN KEY (operator) REFERENCES operators(name),
  CONSTRAINT passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX passkeys_operator ON passkeys USING btree (operator) WHERE (operator IS NOT NULL);
CREATE INDEX passkeys_user ON passkeys USING btree (user_id) WHERE (user_id IS NOT NULL);
CREATE TRIGGER audit_operator AFTER INSERT ON passkeys FOR EACH ROW WHEN ((new.operator IS NOT NULL)) EXECUTE FUNCTION record_audit('operator.passkey-add', 'operator', 'operator', 'operator:operator', 'id,is_synchronised');
CREATE TRIGGER audit_operator_end AFTER DELETE ON passkeys FOR EACH ROW WHEN ((old.operator IS NOT NULL)) EXECUTE FUNCTION record_audit('operator.passkey-remove', 'operator', 'operator', 'operator:operator', 'id');
CREATE TRIGGER audit_operator_regress AFTER UPDATE OF counter_regressed_at ON passkeys FOR EACH ROW WHEN ((new.operator IS NOT NULL)) EXECUTE FUNCTION record_audit('operator.passkey-counter-regressed', 'operator', 'operator', 'operator:operator', 'id,counter');
CREATE TRIGGER audit_user AFTER INSERT ON passkeys FOR EACH ROW WHEN ((new.user_id IS NOT NULL)) EXECUTE FUNCTION record_audit('passkey.add', 'user', 'user_id', 'user:user_id', 'id,is_synchronised');
CREATE TRIGGER audit_user_end AFTER DELETE ON passkeys FOR EACH ROW WHEN ((old.user_id IS NOT NULL)) EXECUTE FUNCTION record_audit('passkey.remove', 'user', 'user_id', 'user:user_id', 'id');
CREATE TRIGGER audit_user_regress AFTER UPDATE OF counter_regressed_at ON passkeys FOR EACH ROW WHEN ((new.user_id IS NOT NULL)) EXECUTE FUNCTION record_audit('passkey.counter-regressed', 'user', 'user_id', 'user:user_id', 'id,counter');

CREATE TABLE webauthn_challenges (
  holder bytea NOT NULL,
  purpose text NOT NULL,
  user_id uuid,
  operator text,
  challenge text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT webauthn_challenges_pkey PRIMARY KEY (holder, purpose),
  CONSTRAINT webauthn_challenges_check CHECK ((num_nonnulls(user_id, operator) =
CASE purpose
    WHEN 'sign-in'::text THEN 0
    ELSE 1
END)),
  CONSTRAINT webauthn_challenges_operator_fkey FOREIGN KEY (operator) REFERENCES operators(name),
  CONSTRAINT webauthn_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['register'::text, 'sign-in'::text, 'second-factor'::text, 'proof'::text]))),
  CONSTRAINT webauthn_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX webauthn_challenges_expiry ON webauthn_challenges USING btree (expires_at);

CREATE TABLE totp_seeds (
  id uuid NOT NULL DEFAULT uuidv7(),
  user_id uuid,
  operator text,
  seed text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  activated_at timestamp with time zone,
  last_step bigint,
  CONSTRAINT totp_seeds_pkey PRIMARY KEY (id),
  CONSTRAINT totp_seeds_check CHECK ((num_nonnulls(user_id, operator) = 1)),
  CONSTRAINT totp_seeds_operator_fkey FOREIGN KEY (operator) REFERENCES operators(name),
  CONSTRAINT totp_seeds_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE UNIQUE INDEX totp_seeds_operator ON totp_seeds USING btree (operator, ((activated_at IS NULL))) WHERE (operator IS NOT NULL);
CREATE INDEX totp_seeds_seed_key ON totp_seeds USING btree (sealing_key(seed), ((id)::text)) WHERE (seed IS NOT NULL);
CREATE UNIQUE INDEX totp_seeds_user ON totp_seeds USING btree (user_id, ((activated_at IS NULL))) WHERE (user_id IS NOT NULL);
CREATE TRIGGER audit_operator AFTER UPDATE OF activated_at ON totp_seeds FOR EACH ROW WHEN (((new.operator IS NOT NULL) AND (old.activated_at IS NULL) AND (new.activated_at IS NOT NULL))) EXECUTE FUNCTION record_audit('operator.totp-add', 'operator', 'operator', 'operator:operator');
CREATE TRIGGER audit_operator_end AFTER DELETE ON totp_seeds FOR EACH ROW WHEN (((old.operator IS NOT NULL) AND (old.activated_at IS NOT NULL))) EXECUTE FUNCTION record_audit('operator.totp-remove', 'operator', 'operator', 'operator:operator');
CREATE TRIGGER audit_user AFTER UPDATE OF activated_at ON totp_seeds FOR EACH ROW WHEN (((new.user_id IS NOT NULL) AND (old.activated_at IS NULL) AND (new.activated_at IS NOT NULL))) EXECUTE FUNCTION record_audit('totp.add', 'user', 'user_id', 'user:user_id');
CREATE TRIGGER audit_user_end AFTER DELETE ON totp_seeds FOR EACH ROW WHEN (((old.user_id IS NOT NULL) AND (old.activated_at IS NOT NULL))) EXECUTE FUNCTION record_audit('totp.remove', 'user', 'user_id', 'user:user_id');

CREATE TABLE recovery_codes (
  hash bytea NOT NULL,
  user_id uuid,
  operator text,
  number smallint NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (hash),
  CONSTRAINT recovery_codes_check CHECK ((num_nonnulls(user_id, operator) = 1)),
  CONSTRAINT recovery_codes_operator_fkey FOREIGN KEY (operator) REFERENCES operators(name),
  CONSTRAINT recovery_codes_operator_number_key UNIQUE (operator, number),
  CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT recovery_codes_user_id_number_key UNIQUE (user_id, number)
);
CREATE TRIGGER audit_operator AFTER INSERT ON recovery_codes FOR EACH ROW WHEN (((new.operator IS NOT NULL) AND (new.number = 1))) EXECUTE FUNCTION record_audit('operator.recovery-codes', 'operator', 'operator', 'operator:operator');
CREATE TRIGGER audit_operator_use AFTER UPDATE OF used_at ON recovery_codes FOR EACH ROW WHEN ((new.operator IS NOT NULL)) EXECUTE FUNCTION record_audit('operator.recovery-code', 'operator', 'operator', 'operator:operator', 'number');
CREATE TRIGGER audit_user AFTER INSERT ON recovery_codes FOR EACH ROW WHEN (((new.user_id IS NOT NULL) AND (new.number = 1))) EXECUTE FUNCTION record_audit('recovery-codes.make', 'user', 'user_id', 'user:user_id');
CREATE TRIGGER audit_user_use AFTER UPDATE OF used_at ON recovery_codes FOR EACH ROW WHEN ((new.user_id IS NOT NULL)) EXECUTE FUNCTION record_audit('recovery-code.use', 'user', 'user_id', 'user:user_id', 'number');

CREATE TABLE pending_sign_ins (
  browser bytea NOT NULL,
  user_id uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT pending_sign_ins_pkey PRIMARY KEY (browser),
  CONSTRAINT pending_sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX pending_sign_ins_expiry ON pending_sign_ins USING btree (expires_at);
CREATE INDEX pending_sign_ins_user ON pending_sign_ins USING btree (user_id);

CREATE TABLE email_codes (
  browser bytea NOT NULL,
  purpose text NOT NULL,
  email text NOT NULL,
  code_hash bytea NOT NULL,
  name text,
  password_hash text,
  attempts integer NOT NULL DEFAULT 0,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT email_codes_pkey PRIMARY KEY (browser, purpose),
  CONSTRAINT email_codes_check CHECK (((purpose = 'reset'::text) OR ((name IS NOT NULL) AND (password_hash IS NOT NULL)))),
  CONSTRAINT email_codes_purpose_check CHECK ((purpose = ANY (ARRAY['sign-up'::text, 'reset'::text])))
);
CREATE INDEX email_codes_email ON email_codes USING btree (lower(email), purpose);
CREATE INDEX email_codes_expiry ON email_codes USING btree (expires_at);

CREATE TABLE mailed_codes (
  recipient text NOT NULL,
  purpose text NOT NULL,
  salt bytea NOT NULL,
  mails integer NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT mailed_codes_pkey PRIMARY KEY (recipient, purpose),
  CONSTRAINT mailed_codes_purpose_check CHECK ((purpose = ANY (ARRAY['sign-up'::text, 'reset'::text, 'no-account'::text])))
);
CREATE INDEX mailed_codes_until ON mailed_codes USING btree (until);

CREATE TABLE mails (
  id uuid NOT NULL,
  recipient text NOT NULL,
  content text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  due_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  correlation_id text,
  network text,
  turn integer NOT NULL DEFAULT 0,
  code_purpose text,
  CONSTRAINT mails_pkey PRIMARY KEY (id),
  CONSTRAINT mails_check CHECK (((network IS NULL) = (turn = 0))),
  CONSTRAINT mails_code_purpose_check CHECK ((code_purpose = ANY (ARRAY['sign-up'::text, 'reset'::text, 'no-account'::text]))),
  CONSTRAINT mails_network_check CHECK ((length(network) <= 45))
);
CREATE INDEX mails_code ON mails USING btree (lower(recipient), code_purpose) WHERE (code_purpose IS NOT NULL);
CREATE INDEX mails_content_key ON mails USING btree (sealing_key(content), ((id)::text));
CREATE INDEX mails_due ON mails USING btree (due_at);
CREATE INDEX mails_network ON mails USING btree (network, turn);
CREATE INDEX mails_turn ON mails USING btree (turn, due_at);

-- customers.sql

CREATE TABLE profiles (
  id uuid NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  state text NOT NULL,
  owner uuid,
  application uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  correlation_id text,
  CONSTRAINT profiles_pkey PRIMARY KEY (id),
  CONSTRAINT profiles_application_fkey FOREIGN KEY (application) REFERENCES applications(id),
  CONSTRAINT profiles_kind_check CHECK ((kind = ANY (ARRAY['personal'::text, 'corporate'::text]))),
  CONSTRAINT profiles_owner_fkey FOREIGN KEY (owner) REFERENCES users(id),
  CONSTRAINT profiles_state_check CHECK ((state = ANY (ARRAY['created'::text, 'incomplete'::text, 'pending'::text, 'approved'::text, 'rejected'::text])))
);
CREATE INDEX profiles_name_words ON profiles USING gin (to_tsvector('simple'::regconfig, name)) WITH (fastupdate=off);
CREATE INDEX profiles_of_application ON profiles USING btree (application, created_at, id);
CREATE INDEX profiles_of_owner ON profiles USING btree (owner, created_at, id);
CREATE INDEX profiles_of_state ON profiles USING btree (state, created_at, id);
CREATE TRIGGER audit_create AFTER INSERT ON profiles FOR EACH ROW WHEN ((acting() IS NOT NULL)) EXECUTE FUNCTION record_audit('profile.create', 'profile', 'id', '', 'kind');
CREATE TRIGGER count_added AFTER INSERT ON profiles REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_profiles();
CREATE TRIGGER count_removed AFTER DELETE ON profiles REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_profiles();

CREATE TABLE profile_sections (
  profile uuid NOT NULL,
  section text NOT NULL,
  state text NOT NULL,
  data jsonb,
  draft jsonb,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT profile_sections_pkey PRIMARY KEY (profile, section),
  CONSTRAINT profile_sections_profile_fkey FOREIGN KEY (profile) REFERENCES profiles(id),
  CONSTRAINT profile_sections_section_check CHECK ((section = ANY (ARRAY['details'::text, 'form'::text]))),
  CONSTRAINT profile_sections_state_check CHECK ((state = ANY (ARRAY['incomplete'::text, 'pending'::text, 'approved'::text, 'rejected'::text])))
);
CREATE TRIGGER audit_submit AFTER INSERT ON profile_sections FOR EACH ROW WHEN (((new.data IS NOT NULL) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('profile.submit', 'profile', 'profile', '', 'section,state');
CREATE TRIGGER audit_submit_again AFTER UPDATE ON profile_sections FOR EACH ROW WHEN (((old.data IS DISTINCT FROM new.data) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('profile.submit', 'profile', 'profile', '', 'section,state');

CREATE TABLE profile_verifications (
  profile uuid NOT NULL,
  kind text NOT NULL,
  person text NOT NULL DEFAULT ''::text,
  state text NOT NULL,
  documents jsonb NOT NULL DEFAULT '[]'::jsonb,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT profile_verifications_pkey PRIMARY KEY (profile, kind, person),
  CONSTRAINT profile_verifications_profile_fkey FOREIGN KEY (profile) REFERENCES profiles(id),
  CONSTRAINT profile_verifications_state_check CHECK ((state = ANY (ARRAY['incomplete'::text, 'pending'::text, 'approved'::text, 'rejected'::text])))
);
CREATE TRIGGER audit_submit AFTER INSERT ON profile_verifications FOR EACH ROW WHEN (((new.documents <> '[]'::jsonb) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('profile.verify', 'profile', 'profile', '', 'kind,state');
CREATE TRIGGER audit_submit_again AFTER UPDATE ON profile_verifications FOR EACH ROW WHEN (((old.documents <> new.documents) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('profile.verify', 'profile', 'profile', '', 'kind,state');
CREATE TRIGGER use_files AFTER INSERT OR UPDATE OF documents ON profile_verifications FOR EACH ROW WHEN ((new.documents <> '[]'::jsonb)) EXECUTE FUNCTION use_verification_documents();

CREATE TABLE profile_shares (
  profile uuid NOT NULL,
  provider text NOT NULL,
  family_name text NOT NULL,
  requested_at timestamp with time zone NOT NULL DEFAULT now(),
  correlation_id text,
  CONSTRAINT profile_shares_pkey PRIMARY KEY (profile),
  CONSTRAINT profile_shares_profile_fkey FOREIGN KEY (profile) REFERENCES profiles(id)
);
CREATE TRIGGER audit_share AFTER INSERT ON profile_shares FOR EACH ROW WHEN ((acting() IS NOT NULL)) EXECUTE FUNCTION record_audit('profile.share', 'profile', 'profile', '', 'provider');

CREATE TABLE profile_reviews (
  id uuid NOT NULL DEFAULT uuidv7(),
  profile uuid NOT NULL,
  decision text NOT NULL,
  reason text,
  errors jsonb,
  decided_by text NOT NULL,
  correlation_id text,
  decided_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT profile_reviews_pkey PRIMARY KEY (id),
  CONSTRAINT profile_reviews_check CHECK (((decision = 'rejected'::text) = (reason IS NOT NULL))),
  CONSTRAINT profile_reviews_check1 CHECK (((decision = 'incomplete'::text) = (errors IS NOT NULL))),
  CONSTRAINT profile_reviews_decision_check CHECK ((decision = ANY (ARRAY['approved'::text, 'rejected'::text, 'incomplete'::text]))),
  CONSTRAINT profile_reviews_profile_fkey FOREIGN KEY (profile) REFERENCES profiles(id)
);
CREATE INDEX profile_reviews_profile ON profile_reviews USING btree (profile, id);
CREATE TRIGGER audit_review AFTER INSERT ON profile_reviews FOR EACH ROW EXECUTE FUNCTION record_audit('profile.review', 'profile', 'profile', 'system:decided_by', 'decision');

CREATE TABLE files (
  id uuid NOT NULL,
  application uuid,
  uploaded_by uuid NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  size integer NOT NULL,
  hash text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  stored_at timestamp with time zone,
  used_at timestamp with time zone,
  CONSTRAINT files_pkey PRIMARY KEY (id),
  CONSTRAINT files_application_fkey FOREIGN KEY (application) REFERENCES applications(id),
  CONSTRAINT files_name_check CHECK ((length(name) <= 100)),
  CONSTRAINT files_uploaded_by_fkey FOREIGN KEY (uploaded_by) REFERENCES users(id)
);
CREATE INDEX files_unstored ON files USING btree (created_at) WHERE (stored_at IS NULL);
CREATE INDEX files_unused ON files USING btree (created_at) WHERE ((used_at IS NULL) AND (stored_at IS NOT NULL));
CREATE TRIGGER audit_upload AFTER INSERT ON files FOR EACH ROW WHEN ((acting() IS NOT NULL)) EXECUTE FUNCTION record_audit('file.upload', 'file', 'id', '', 'type,size,hash');
CREATE TRIGGER count_added AFTER INSERT ON files REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_files();
CREATE TRIGGER count_removed AFTER DELETE ON files REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_files();

CREATE TABLE addresses (
  address text NOT NULL,
  profile uuid NOT NULL,
  CONSTRAINT addresses_pkey PRIMARY KEY (address),
  CONSTRAINT addresses_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text)),
  CONSTRAINT addresses_profile_fkey FOREIGN KEY (profile) REFERENCES profiles(id)
);
CREATE INDEX addresses_profile ON addresses USING btree (profile);
CREATE TRIGGER audit_unlink AFTER DELETE ON addresses FOR EACH ROW EXECUTE FUNCTION record_audit('address.unlink', 'address', 'address', 'system', 'profile');

CREATE TABLE address_links (
  address text NOT NULL,
  chain text NOT NULL,
  linked_by uuid NOT NULL,
  linked_at timestamp with time zone NOT NULL DEFAULT now(),
  proof text NOT NULL DEFAULT 'sentence'::text,
  on_hosted_pages boolean NOT NULL DEFAULT false,
  linked_through uuid[] NOT NULL DEFAULT '{}'::uuid[],
  CONSTRAINT address_links_pkey PRIMARY KEY (address, chain),
  CONSTRAINT address_links_address_fkey FOREIGN KEY (address) REFERENCES addresses(address),
  CONSTRAINT address_links_linked_by_fkey FOREIGN KEY (linked_by) REFERENCES users(id),
  CONSTRAINT address_links_proof_check CHECK ((proof = ANY (ARRAY['sentence on chain'::text, 'sentence'::text, 'message'::text])))
);
CREATE INDEX address_links_through ON address_links USING gin (linked_through) WITH (fastupdate=off);
CREATE TRIGGER audit_link AFTER INSERT ON address_links FOR EACH ROW WHEN ((acting() IS NOT NULL)) EXECUTE FUNCTION record_audit('address.link', 'address', 'address', '', 'chain,proof');

CREATE TABLE released_addresses (
  address text NOT NULL,
  profile uuid NOT NULL,
  CONSTRAINT released_addresses_pkey PRIMARY KEY (address, profile),
  CONSTRAINT released_addresses_profile_fkey FOREIGN KEY (profile) REFERENCES profiles(id)
);

CREATE TABLE ibans (
  id uuid NOT NULL DEFAULT uuidv7(),
  profile uuid NOT NULL,
  iban text,
  bic text,
  address text NOT NULL,
  chain text NOT NULL,
  state text NOT NULL DEFAULT 'requested'::text,
  email_notifications boolean NOT NULL DEFAULT true,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  correlation_id text,
  CONSTRAINT ibans_pkey PRIMARY KEY (id),
  CONSTRAINT ibans_check CHECK (((iban IS NOT NULL) OR (state = ANY (ARRAY['requested'::text, 'rejected'::text])))),
  CONSTRAINT ibans_iban_key UNIQUE (iban),
  CONSTRAINT ibans_profile_fkey FOREIGN KEY (profile) REFERENCES profiles(id),
  CONSTRAINT ibans_profile_key UNIQUE (profile),
  CONSTRAINT ibans_state_check CHECK ((state = ANY (ARRAY['requested'::text, 'pending'::text, 'approved'::text, 'rejected'::text, 'closed'::text])))
);
CREATE INDEX ibans_address ON ibans USING btree (address);
CREATE INDEX ibans_requested ON ibans USING btree (created_at) WHERE (state = ANY (ARRAY['requested'::text, 'pending'::text]));
CREATE TRIGGER audit_move AFTER UPDATE ON ibans FOR EACH ROW WHEN ((((old.address IS DISTINCT FROM new.address) OR (old.chain IS DISTINCT FROM new.chain)) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('iban.move', 'profile', 'profile', '', 'address,chain');
CREATE TRIGGER audit_request AFTER INSERT ON ibans FOR EACH ROW WHEN ((acting() IS NOT NULL)) EXECUTE FUNCTION record_audit('iban.request', 'profile', 'profile', '', 'address,chain');

CREATE TABLE quota_usage (
  quota text NOT NULL,
  owner uuid NOT NULL,
  count bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  CONSTRAINT quota_usage_pkey PRIMARY KEY (quota, owner),
  CONSTRAINT quota_usage_quota_check CHECK ((quota = ANY (ARRAY['profiles'::text, 'files'::text, 'user_files'::text])))
);

-- orders.sql

CREATE TABLE order_id_secret (
  secret bytea NOT NULL DEFAULT sha256((uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))),
  CONSTRAINT order_id_secret_pkey PRIMARY KEY (secret),
  CONSTRAINT order_id_secret_secret_check CHECK ((length(secret) = 32))
);

CREATE TABLE orders (
  id uuid NOT NULL,
  kind text NOT NULL,
  profile uuid NOT NULL,
  address text NOT NULL,
  chain text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  counterpart jsonb NOT NULL,
  memo text NOT NULL,
  reference_number text,
  message text,
  signature text,
  state text NOT NULL DEFAULT 'placed'::text,
  placed_at timestamp with time zone NOT NULL DEFAULT now(),
  processed_at timestamp with time zone,
  rejected_reason text,
  supporting_document uuid,
  tx_hashes text[] NOT NULL DEFAULT '{}'::text[],
  correlation_id text,
  digest text,
  source_order uuid,
  request_hash bytea,
  gives_back uuid,
  rejected_at timestamp with time zone,
  held_since timestamp with time zone,
  held_for text,
  held_until timestamp with time zone,
  CONSTRAINT orders_pkey PRIMARY KEY (id),
  CONSTRAINT orders_amount_check CHECK ((amount > 0)),
  CONSTRAINT orders_check CHECK (((state = 'processed'::text) = (processed_at IS NOT NULL))),
  CONSTRAINT orders_check1 CHECK (((state = 'rejected'::text) = (rejected_reason IS NOT NULL))),
  CONSTRAINT orders_currency_check CHECK ((currency = ANY (ARRAY['eur'::text, 'usd'::text, 'gbp'::text, 'isk'::text]))),
  CONSTRAINT orders_gives_back_fkey FOREIGN KEY (gives_back) REFERENCES orders(id),
  CONSTRAINT orders_held_for_check CHECK ((held_for = ANY (ARRAY['gas_budget'::text, 'dust'::text]))),
  CONSTRAINT orders_kind_check CHECK ((kind = ANY (ARRAY['issue'::text, 'redeem'::text]))),
  CONSTRAINT orders_profile_fkey FOREIGN KEY (profile) REFERENCES profiles(id),
  CONSTRAINT orders_source_order_fkey FOREIGN KEY (source_order) REFERENCES orders(id),
  CONSTRAINT orders_state_check CHECK ((state = ANY (ARRAY['placed'::text, 'pending'::text, 'processed'::text, 'rejected'::text]))),
  CONSTRAINT orders_supporting_document_fkey FOREIGN KEY (supporting_document) REFERENCES files(id)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000, vacuum_index_cleanup=on);
CREATE INDEX orders_address ON orders USING btree (address, profile, placed_at DESC, id DESC);
CREATE INDEX orders_amount ON orders USING btree (amount, placed_at DESC, id DESC);
CREATE INDEX orders_counterpart_iban ON orders USING btree (hashtextextended(((counterpart -> 'identifier'::text) ->> 'iban'::text), (0)::bigint), placed_at DESC, id DESC) WHERE (((counterpart -> 'identifier'::text) ->> 'iban'::text) IS NOT NULL);
CREATE INDEX orders_gives_back ON orders USING btree (gives_back) WHERE (gives_back IS NOT NULL);
CREATE INDEX orders_memo ON orders USING btree (profile, hashtextextended(memo, (0)::bigint), placed_at DESC, id DESC);
CREATE INDEX orders_memo_of_all ON orders USING btree (hashtextextended(lower(memo), (0)::bigint), placed_at DESC, id DESC) WHERE (memo <> ''::text);
CREATE UNIQUE INDEX orders_message ON orders USING btree (address, digest) WHERE (kind = 'redeem'::text);
CREATE INDEX orders_placed ON orders USING btree (placed_at, id);
CREATE INDEX orders_profile ON orders USING btree (profile, placed_at DESC, id DESC);
CREATE INDEX orders_rejected ON orders USING btree (placed_at, id) WHERE (rejected_at IS NOT NULL);
CREATE INDEX orders_rejected_of_profile ON orders USING btree (profile, placed_at DESC, id DESC) WHERE (rejected_at IS NOT NULL);
CREATE UNIQUE INDEX orders_source_order ON orders USING btree (source_order) WHERE (source_order IS NOT NULL);
CREATE TRIGGER add_open AFTER INSERT ON orders REFERENCING NEW TABLE AS placed_orders FOR EACH STATEMENT EXECUTE FUNCTION add_open_orders();
CREATE TRIGGER announce_ended AFTER UPDATE ON orders REFERENCING OLD TABLE AS orders_before NEW TABLE AS changed_orders FOR EACH STATEMENT EXECUTE FUNCTION announce_ended_orders();
CREATE TRIGGER announce_held AFTER UPDATE OF held_until ON orders FOR EACH ROW WHEN (((new.held_until IS NOT NULL) AND (new.held_until IS DISTINCT FROM old.held_until))) EXECUTE FUNCTION announce_held_order();
CREATE TRIGGER announce_placed AFTER INSERT ON orders REFERENCING NEW TABLE AS placed_orders FOR EACH STATEMENT EXECUTE FUNCTION announce_placed_orders();
CREATE TRIGGER audit_place AFTER INSERT ON orders FOR EACH ROW WHEN (((new.kind = 'redeem'::text) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('order.place', 'order', 'id', '', 'profile,address,chain,currency,amount');
CREATE TRIGGER end_hold BEFORE UPDATE ON orders FOR EACH ROW WHEN (((new.held_until IS NOT NULL) AND (new.state = ANY (ARRAY['processed'::text, 'rejected'::text])))) EXECUTE FUNCTION end_hold();
CREATE TRIGGER follow_open AFTER UPDATE ON orders REFERENCING NEW TABLE AS changed_orders FOR EACH STATEMENT EXECUTE FUNCTION follow_open_orders();
CREATE TRIGGER redirect_open AFTER UPDATE OF address ON orders FOR EACH ROW WHEN ((new.address <> old.address)) EXECUTE FUNCTION redirect_open_order();
CREATE TRIGGER set_rejected_at BEFORE UPDATE ON orders FOR EACH ROW WHEN (((new.state = 'rejected'::text) AND (old.state <> 'rejected'::text))) EXECUTE FUNCTION set_rejected_at();
CREATE TRIGGER use_file AFTER INSERT ON orders FOR EACH ROW WHEN ((new.supporting_document IS NOT NULL)) EXECUTE FUNCTION use_supporting_document();

CREATE TABLE open_orders (
  id uuid NOT NULL,
  profile uuid NOT NULL,
  state text NOT NULL,
  placed_at timestamp with time zone NOT NULL,
  address text NOT NULL,
  is_dependent boolean NOT NULL,
  CONSTRAINT open_orders_pkey PRIMARY KEY (id),
  CONSTRAINT open_orders_state_check CHECK ((state = ANY (ARRAY['placed'::text, 'pending'::text])))
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000, vacuum_index_cleanup=on);
CREATE INDEX open_orders_dependent ON open_orders USING btree (id) WHERE is_dependent;
CREATE INDEX open_orders_of_profile ON open_orders USING btree (profile, state, placed_at DESC, id DESC);
CREATE INDEX open_orders_of_state ON open_orders USING btree (state, placed_at, id);

CREATE TABLE signature_requests (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  kind text NOT NULL,
  profile uuid NOT NULL,
  chain text NOT NULL,
  address text NOT NULL,
  digest text NOT NULL,
  signature text NOT NULL,
  draft jsonb NOT NULL,
  order_id uuid,
  state text NOT NULL DEFAULT 'pending'::text,
  reason text,
  correlation_id text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  decided_at timestamp with time zone,
  check_at timestamp with time zone NOT NULL DEFAULT now(),
  contested_since timestamp with time zone,
  public_id uuid GENERATED ALWAYS AS ( CASE WHEN (kind = 'order'::text) THEN ((draft ->> 'id'::text))::uuid ELSE id END),
  CONSTRAINT signature_requests_pkey PRIMARY KEY (id),
  CONSTRAINT signature_requests_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text)),
  CONSTRAINT signature_requests_check CHECK (((state = 'pending'::text) = (decided_at IS NULL))),
  CONSTRAINT signature_requests_kind_check CHECK ((kind = ANY (ARRAY['order'::text, 'linkAddress'::text]))),
  CONSTRAINT signature_requests_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  CONSTRAINT signature_requests_order_id_key UNIQUE (order_id),
  CONSTRAINT signature_requests_profile_fkey FOREIGN KEY (profile) REFERENCES profiles(id),
  CONSTRAINT signature_requests_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'valid'::text, 'invalid'::text, 'expired'::text])))
);
CREATE INDEX signature_requests_account ON signature_requests USING btree (address, chain) WHERE (state = 'pending'::text);
CREATE INDEX signature_requests_ended ON signature_requests USING btree (profile, decided_at) WHERE ((kind = 'linkAddress'::text) AND (state = ANY (ARRAY['invalid'::text, 'expired'::text])) AND ((draft ->> 'signsIn'::text) IS NULL));
CREATE UNIQUE INDEX signature_requests_message ON signature_requests USING btree (address, digest) WHERE ((kind = 'order'::text) AND (state = 'pending'::text) AND (order_id IS NULL));
CREATE INDEX signature_requests_pending ON signature_requests USING btree (chain, check_at) WHERE (state = 'pending'::text);
CREATE INDEX signature_requests_profile ON signature_requests USING btree (profile, id) WHERE (state = 'pending'::text);
CREATE TRIGGER audit_decide AFTER UPDATE ON signature_requests FOR EACH ROW WHEN (((old.state = 'pending'::text) AND (new.state <> 'pending'::text) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('signature.decide', 'address', 'address', '', 'id,kind,chain,profile,state,reason');
CREATE TRIGGER audit_request AFTER INSERT ON signature_requests FOR EACH ROW WHEN ((acting() IS NOT NULL)) EXECUTE FUNCTION record_audit('signature.request', 'address', 'address', '', 'id,kind,chain,profile');

-- lanes.sql

CREATE TABLE transactions (
  id uuid NOT NULL DEFAULT uuidv7(),
  chain text NOT NULL,
  signer text NOT NULL,
  nonce bigint NOT NULL,
  currency text,
  kind text NOT NULL,
  gas_limit bigint NOT NULL,
  state text NOT NULL DEFAULT 'sent'::text,
  hash text,
  block_number bigint,
  gas_used bigint,
  sent_at_block bigint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  mined_at timestamp with time zone,
  block_hash text,
  first_sent_at_block bigint,
  refusals smallint NOT NULL DEFAULT 0,
  refused_since_block bigint,
  CONSTRAINT transactions_pkey PRIMARY KEY (id),
  CONSTRAINT transactions_check CHECK (((state = ANY (ARRAY['mined'::text, 'settled'::text, 'reverted'::text])) = ((hash IS NOT NULL) AND (block_number IS NOT NULL)))),
  CONSTRAINT transactions_check1 CHECK (((kind = 'cancel'::text) = (currency IS NULL))),
  CONSTRAINT transactions_kind_check CHECK ((kind = ANY (ARRAY['issue'::text, 'redeem'::text, 'cancel'::text]))),
  CONSTRAINT transactions_state_check CHECK ((state = ANY (ARRAY['sent'::text, 'mined'::text, 'settled'::text, 'reverted'::text, 'lost'::text])))
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000, vacuum_index_cleanup=on);
CREATE UNIQUE INDEX transactions_live_nonce ON transactions USING btree (chain, signer, nonce) WHERE (state = ANY (ARRAY['sent'::text, 'mined'::text, 'settled'::text]));
CREATE INDEX transactions_nonce ON transactions USING btree (chain, signer, nonce);
CREATE INDEX transactions_open ON transactions USING btree (chain, signer, nonce) WHERE (state = ANY (ARRAY['sent'::text, 'mined'::text]));
CREATE INDEX transactions_unmined ON transactions USING btree (chain, signer) WHERE (state = 'sent'::text);

CREATE TABLE transaction_attempts (
  hash text NOT NULL,
  transaction uuid NOT NULL,
  raw text,
  max_fee_per_gas numeric(78,0) NOT NULL,
  max_priority_fee_per_gas numeric(78,0) NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  position smallint NOT NULL,
  CONSTRAINT transaction_attempts_pkey PRIMARY KEY (hash),
  CONSTRAINT transaction_attempts_transaction_fkey FOREIGN KEY (transaction) REFERENCES transactions(id)
);
CREATE UNIQUE INDEX transaction_attempts_position ON transaction_attempts USING btree (transaction, "position");
CREATE INDEX transaction_attempts_with_bytes ON transaction_attempts USING btree (created_at) WHERE (raw IS NOT NULL);

CREATE TABLE leg_history (
  id uuid NOT NULL DEFAULT uuidv7(),
  order_id uuid NOT NULL,
  kind text NOT NULL,
  position smallint NOT NULL,
  chain text,
  currency text NOT NULL,
  account text,
  amount bigint NOT NULL,
  signed_by text NOT NULL DEFAULT 'nobody'::text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  outcome text,
  done_at timestamp with time zone,
  token text,
  sequence bigint,
  transaction uuid,
  tx_hash text,
  block_number bigint,
  reason text,
  CONSTRAINT leg_history_pkey PRIMARY KEY (id),
  CONSTRAINT leg_history_amount_check CHECK ((amount > 0)),
  CONSTRAINT leg_history_check CHECK (((outcome IS NULL) = (done_at IS NULL))),
  CONSTRAINT leg_history_check1 CHECK (((outcome <> 'done'::text) OR (kind <> ALL (ARRAY['issue'::text, 'redeem'::text])) OR (tx_hash IS NOT NULL))),
  CONSTRAINT leg_history_kind_check CHECK ((kind = ANY (ARRAY['issue'::text, 'redeem'::text, 'payout'::text, 'return'::text]))),
  CONSTRAINT leg_history_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  CONSTRAINT leg_history_order_id_kind_key UNIQUE (order_id, kind),
  CONSTRAINT leg_history_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'refused'::text, 'void'::text]))),
  CONSTRAINT leg_history_signed_by_check CHECK ((signed_by = ANY (ARRAY['nobody'::text, 'key'::text, 'contract'::text]))),
  CONSTRAINT leg_history_signed_by_somebody CHECK (((kind = 'redeem'::text) = (signed_by <> 'nobody'::text))),
  CONSTRAINT leg_history_transaction_fkey FOREIGN KEY (transaction) REFERENCES transactions(id)
);
CREATE INDEX leg_history_by_account ON leg_history USING btree (chain, account, outcome, done_at) WHERE ((signed_by = 'contract'::text) AND (outcome = ANY (ARRAY['done'::text, 'refused'::text])));
CREATE INDEX leg_history_newest ON leg_history USING btree (chain, block_number DESC) WHERE ((outcome = 'done'::text) AND (block_number IS NOT NULL));
CREATE INDEX leg_history_not_given_back ON leg_history USING btree (id) WHERE ((kind = 'issue'::text) AND ("position" > 0) AND (outcome = 'refused'::text));
CREATE UNIQUE INDEX leg_history_sequence ON leg_history USING btree (chain, token, sequence) WHERE (sequence IS NOT NULL);
CREATE INDEX leg_history_transaction ON leg_history USING btree (transaction) WHERE (transaction IS NOT NULL);
CREATE INDEX leg_history_tx_hash ON leg_history USING btree (tx_hash) WHERE (tx_hash IS NOT NULL);

CREATE TABLE open_legs (
  id uuid NOT NULL,
  order_id uuid NOT NULL,
  kind text NOT NULL,
  position smallint NOT NULL,
  chain text,
  currency text NOT NULL,
  account text,
  amount bigint NOT NULL,
  signed_by text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  state text NOT NULL,
  claimed_by text,
  token text,
  sequence bigint,
  transaction uuid,
  after_block bigint,
  batch_limit integer NOT NULL DEFAULT 0,
  lone_reverts smallint NOT NULL DEFAULT 0,
  held_until timestamp with time zone,
  held_for text,
  due_at timestamp with time zone NOT NULL DEFAULT now(),
  claim_state text NOT NULL GENERATED ALWAYS AS ( CASE WHEN (state <> 'ready'::text) THEN state WHEN (claimed_by IS NOT NULL) THEN 'claimed'::text WHEN (held_until IS NOT NULL) THEN 'held'::text WHEN (lone_reverts >= 3) THEN 'failing'::text ELSE 'ready'::text END),
  turn text GENERATED ALWAYS AS ( CASE WHEN ((signed_by = 'contract'::text) AND (batch_limit = 0)) THEN account ELSE ''::text END),
  CONSTRAINT open_legs_pkey PRIMARY KEY (id),
  CONSTRAINT open_legs_check CHECK (((state <> 'sent'::text) OR (kind <> ALL (ARRAY['issue'::text, 'redeem'::text])) OR (transaction IS NOT NULL))),
  CONSTRAINT open_legs_claim_state_check CHECK ((claim_state = ANY (ARRAY['waiting'::text, 'ready'::text, 'claimed'::text, 'held'::text, 'failing'::text, 'sent'::text]))),
  CONSTRAINT open_legs_held_for_a_reason CHECK (((held_until IS NULL) OR ((held_for IS NOT NULL) AND (state = 'ready'::text)))),
  CONSTRAINT open_legs_held_for_check CHECK ((held_for = ANY (ARRAY['gas_budget'::text, 'dust'::text]))),
  CONSTRAINT open_legs_id_fkey FOREIGN KEY (id) REFERENCES leg_history(id),
  CONSTRAINT open_legs_kind_check CHECK ((kind = ANY (ARRAY['issue'::text, 'redeem'::text, 'payout'::text, 'return'::text]))),
  CONSTRAINT open_legs_signed_by_check CHECK ((signed_by = ANY (ARRAY['nobody'::text, 'key'::text, 'contract'::text]))),
  CONSTRAINT open_legs_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'ready'::text, 'sent'::text]))),
  CONSTRAINT open_legs_transaction_fkey FOREIGN KEY (transaction) REFERENCES transactions(id)
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000, vacuum_index_cleanup=on);
CREATE INDEX open_legs_apart ON open_legs USING btree (chain, claim_state, held_for, currency, held_until) INCLUDE (kind, due_at) WHERE ((claim_state = 'held'::text) OR (lone_reverts > 0));
CREATE INDEX open_legs_claim ON open_legs USING btree (chain, claim_state, kind, signed_by, currency, batch_limit, turn, id);
CREATE INDEX open_legs_due ON open_legs USING btree (chain, kind, signed_by, state, due_at) WHERE (held_until IS NULL);
CREATE INDEX open_legs_order ON open_legs USING btree (order_id);
CREATE UNIQUE INDEX open_legs_outcome ON open_legs USING btree (chain, sequence, (
CASE
    WHEN (sequence IS NULL) THEN account
    ELSE token
END)) WHERE (token IS NOT NULL);
CREATE INDEX open_legs_transaction ON open_legs USING btree (transaction) WHERE (transaction IS NOT NULL);
CREATE TRIGGER sum_ended_redemptions AFTER DELETE ON open_legs REFERENCING OLD TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION sum_ended_redemptions();
CREATE TRIGGER sum_placed_redemptions AFTER INSERT ON open_legs REFERENCING NEW TABLE AS placed FOR EACH STATEMENT EXECUTE FUNCTION sum_placed_redemptions();

CREATE TABLE leg_failures (
  id uuid NOT NULL DEFAULT uuidv7(),
  leg uuid NOT NULL,
  outcome text NOT NULL,
  transaction uuid,
  tx_hash text,
  block_number bigint,
  reason text,
  at timestamp with time zone NOT NULL DEFAULT now(),
  alone boolean NOT NULL DEFAULT false,
  CONSTRAINT leg_failures_pkey PRIMARY KEY (id),
  CONSTRAINT leg_failures_leg_fkey FOREIGN KEY (leg) REFERENCES leg_history(id),
  CONSTRAINT leg_failures_outcome_check CHECK ((outcome = ANY (ARRAY['reverted'::text, 'lost'::text, 'cancelled'::text, 'refused'::text, 'number_used'::text]))),
  CONSTRAINT leg_failures_transaction_fkey FOREIGN KEY (transaction) REFERENCES transactions(id)
);
CREATE INDEX leg_failures_leg ON leg_failures USING btree (leg);
CREATE INDEX leg_failures_number_used ON leg_failures USING btree (at) WHERE (outcome = 'number_used'::text);
CREATE INDEX leg_failures_transaction ON leg_failures USING btree (transaction);
CREATE INDEX leg_failures_tx_hash ON leg_failures USING btree (tx_hash) WHERE (tx_hash IS NOT NULL);
CREATE INDEX leg_failures_unexplained ON leg_failures USING btree (id) WHERE ((outcome = 'reverted'::text) AND alone AND (reason IS NULL));

CREATE TABLE redemption_sums (
  account text NOT NULL,
  chain text NOT NULL,
  currency text NOT NULL,
  side text NOT NULL,
  amount bigint NOT NULL,
  CONSTRAINT redemption_sums_pkey PRIMARY KEY (account, chain, currency, side),
  CONSTRAINT redemption_sums_side_check CHECK ((side = ANY (ARRAY['placed'::text, 'ended'::text])))
) WITH (fillfactor=50);

CREATE TABLE account_backoffs (
  chain text NOT NULL,
  account text NOT NULL,
  failures integer NOT NULL,
  until_block bigint,
  CONSTRAINT account_backoffs_pkey PRIMARY KEY (chain, account)
);
CREATE INDEX account_backoffs_beginning ON account_backoffs USING btree (chain) WHERE (until_block IS NULL);

CREATE TABLE gas_spending (
  chain text NOT NULL,
  profile uuid NOT NULL,
  day date NOT NULL,
  wei numeric(78,0) NOT NULL,
  CONSTRAINT gas_spending_pkey PRIMARY KEY (chain, profile),
  CONSTRAINT gas_spending_profile_fkey FOREIGN KEY (profile) REFERENCES profiles(id)
);

CREATE TABLE signer_amounts (
  chain text NOT NULL,
  signer text NOT NULL,
  resource text NOT NULL,
  day date NOT NULL,
  amount numeric(78,0) NOT NULL,
  used numeric(78,0) NOT NULL,
  CONSTRAINT signer_amounts_pkey PRIMARY KEY (chain, signer, resource, day)
);

CREATE TABLE token_sequences (
  chain text NOT NULL,
  token text NOT NULL,
  next bigint NOT NULL DEFAULT 0,
  CONSTRAINT token_sequences_pkey PRIMARY KEY (chain, token)
);

CREATE TABLE token_openings (
  chain text NOT NULL,
  token text NOT NULL,
  currency text NOT NULL,
  block bigint NOT NULL,
  supply bigint NOT NULL,
  opened_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT token_openings_pkey PRIMARY KEY (chain, token),
  CONSTRAINT token_openings_supply_check CHECK ((supply >= 0))
);

CREATE TABLE networks (
  chain text NOT NULL,
  chain_id bigint NOT NULL,
  genesis_hash text NOT NULL,
  seen_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT networks_pkey PRIMARY KEY (chain)
);

CREATE TABLE heartbeats (
  component text NOT NULL,
  chain text NOT NULL DEFAULT ''::text,
  facts jsonb NOT NULL,
  seen_at timestamp with time zone NOT NULL DEFAULT now(),
  instance text NOT NULL DEFAULT ''::text,
  version text NOT NULL,
  CONSTRAINT heartbeats_pkey PRIMARY KEY (component, chain, instance)
);

CREATE TABLE index_owners (
  tables_schema text NOT NULL,
  run uuid NOT NULL,
  run_before uuid,
  seen_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT index_owners_pkey PRIMARY KEY (tables_schema)
);

CREATE TABLE index_rebuilds (
  chain text NOT NULL,
  index_name text NOT NULL,
  number integer NOT NULL DEFAULT 1,
  damage text NOT NULL,
  holds_balances boolean NOT NULL,
  in_a_row integer NOT NULL DEFAULT 1,
  found_at timestamp with time zone NOT NULL DEFAULT now(),
  ended_at timestamp with time zone,
  CONSTRAINT index_rebuilds_pkey PRIMARY KEY (chain)
);

-- book.sql

CREATE TABLE entries (
  id uuid NOT NULL DEFAULT uuidv7(),
  kind text NOT NULL,
  source text NOT NULL,
  booked_on date NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT entries_pkey PRIMARY KEY (id),
  CONSTRAINT entries_kind_source_key UNIQUE (kind, source)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();

CREATE TABLE postings (
  entry uuid NOT NULL,
  position smallint NOT NULL,
  account text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  booked_on date NOT NULL,
  CONSTRAINT postings_pkey PRIMARY KEY (entry, "position"),
  CONSTRAINT postings_amount_check CHECK ((amount <> 0))
) PARTITION BY RANGE (entry);
CREATE INDEX postings_account ON ONLY postings USING btree (account, currency, entry);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON postings FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER balanced AFTER INSERT ON postings REFERENCING NEW TABLE AS new_postings FOR EACH STATEMENT EXECUTE FUNCTION check_postings();
CREATE TRIGGER note_bank_bookings AFTER INSERT ON postings REFERENCING NEW TABLE AS new_postings FOR EACH STATEMENT EXECUTE FUNCTION note_bank_bookings();

CREATE TABLE balance_changes (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  account text NOT NULL,
  currency text NOT NULL,
  booked_on date NOT NULL,
  debited numeric NOT NULL,
  credited numeric NOT NULL,
  CONSTRAINT balance_changes_pkey PRIMARY KEY (id)
);

CREATE TABLE balances (
  account text NOT NULL,
  currency text NOT NULL,
  debited numeric NOT NULL,
  credited numeric NOT NULL,
  CONSTRAINT balances_pkey PRIMARY KEY (account, currency)
);

CREATE TABLE account_days (
  account text NOT NULL,
  currency text NOT NULL,
  day date NOT NULL,
  debited numeric NOT NULL,
  credited numeric NOT NULL,
  CONSTRAINT account_days_pkey PRIMARY KEY (account, currency, day)
);

CREATE TABLE comparisons (
  comparison text NOT NULL,
  currency text NOT NULL,
  account text NOT NULL,
  chain text NOT NULL,
  expected numeric NOT NULL,
  actual numeric NOT NULL,
  items jsonb NOT NULL,
  difference numeric NOT NULL,
  compared_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT comparisons_pkey PRIMARY KEY (comparison, currency, account)
);

CREATE TABLE reserve_breaches (
  id uuid NOT NULL DEFAULT uuidv7(),
  currency text NOT NULL,
  difference numeric NOT NULL,
  found_at timestamp with time zone NOT NULL DEFAULT now(),
  acknowledged_at timestamp with time zone,
  acknowledged_by text,
  comparison text NOT NULL DEFAULT 'index'::text,
  chain text NOT NULL DEFAULT ''::text,
  account text NOT NULL DEFAULT ''::text,
  reason text,
  items jsonb,
  ended_at timestamp with time zone,
  CONSTRAINT reserve_breaches_pkey PRIMARY KEY (id),
  CONSTRAINT reserve_breaches_check CHECK (((acknowledged_at IS NULL) = (acknowledged_by IS NULL))),
  CONSTRAINT reserve_breaches_comparison_check CHECK ((comparison = ANY (ARRAY['states'::text, 'index'::text, 'nodes'::text, 'bank'::text])))
);
CREATE INDEX reserve_breaches_acknowledged ON reserve_breaches USING btree (currency) WHERE ((acknowledged_at IS NOT NULL) AND (ended_at IS NULL));
CREATE UNIQUE INDEX reserve_breaches_open ON reserve_breaches USING btree (currency, comparison, account) WHERE (acknowledged_at IS NULL);
CREATE TRIGGER audit_acknowledge AFTER UPDATE ON reserve_breaches FOR EACH ROW WHEN (((old.acknowledged_at IS DISTINCT FROM new.acknowledged_at) AND (new.acknowledged_at IS NOT NULL))) EXECUTE FUNCTION record_audit('reserve.acknowledge', 'currency', 'currency', 'operator:acknowledged_by', 'comparison,account,difference,reason,items');

CREATE TABLE reserve_samples (
  step text NOT NULL,
  taken_at timestamp with time zone NOT NULL,
  currency text NOT NULL,
  bank bigint NOT NULL,
  under_way bigint NOT NULL,
  circulation jsonb NOT NULL,
  CONSTRAINT reserve_samples_pkey PRIMARY KEY (step, taken_at, currency),
  CONSTRAINT reserve_samples_step_check CHECK ((step = ANY (ARRAY['minute'::text, 'hour'::text])))
);

-- bank.sql

CREATE TABLE bank_files (
  hash bytea NOT NULL,
  name text NOT NULL,
  message text NOT NULL,
  report jsonb NOT NULL,
  imported_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT bank_files_pkey PRIMARY KEY (hash)
);
CREATE INDEX bank_files_imported ON bank_files USING btree (imported_at, hash);
CREATE TRIGGER audit_import AFTER INSERT ON bank_files FOR EACH ROW WHEN ((acting() IS NOT NULL)) EXECUTE FUNCTION record_audit('bank.import', 'file', 'name', '', 'message');

CREATE TABLE credits (
  reference text NOT NULL,
  iban text,
  currency text,
  amount bigint,
  payer jsonb NOT NULL,
  remittance text,
  structured_reference text,
  end_to_end_id text,
  booked_on date,
  source text NOT NULL,
  state text NOT NULL,
  order_id uuid,
  reason text,
  rail_reason text,
  entry_reference text,
  entry_amount numeric(30,0),
  facts jsonb,
  received_at timestamp with time zone NOT NULL DEFAULT now(),
  returned_at timestamp with time zone,
  bank_account text NOT NULL,
  is_awaited boolean NOT NULL DEFAULT false,
  stated_as text,
  awaits_debit boolean NOT NULL DEFAULT false,
  settled_as text,
  settled_at timestamp with time zone,
  added_by_operator bigint,
  uetr uuid,
  message text,
  matched_because text,
  rest_of text,
  repeats text,
  CONSTRAINT credits_pkey PRIMARY KEY (reference),
  CONSTRAINT credits_amount_check CHECK ((amount > 0)),
  CONSTRAINT credits_check CHECK (((state = 'matched'::text) = ((order_id IS NOT NULL) AND (reason IS NULL)))),
  CONSTRAINT credits_matched_because_check CHECK ((length(matched_because) <= 500)),
  CONSTRAINT credits_matched_facts CHECK (((state <> 'matched'::text) OR ((currency IS NOT NULL) AND (amount IS NOT NULL) AND ((iban IS NOT NULL) OR (rail_reason = ANY (ARRAY['payment_returned'::text, 'debit_reversed'::text])))))),
  CONSTRAINT credits_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  CONSTRAINT credits_order_id_key UNIQUE (order_id),
  CONSTRAINT credits_repeats_check CHECK (((state <> 'repeated'::text) OR (repeats IS NOT NULL))),
  CONSTRAINT credits_repeats_fkey FOREIGN KEY (repeats) REFERENCES credits(reference) ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT credits_rest_of_fkey FOREIGN KEY (rest_of) REFERENCES credits(reference) ON UPDATE CASCADE,
  CONSTRAINT credits_settled CHECK (((state = 'settled'::text) = ((settled_as IS NOT NULL) AND (settled_at IS NOT NULL)))),
  CONSTRAINT credits_settled_as_check CHECK ((settled_as = ANY (ARRAY['own'::text, 'difference'::text, 'return'::text, 'claim'::text, 'debit'::text]))),
  CONSTRAINT credits_state_check CHECK ((state = ANY (ARRAY['matched'::text, 'unmatched'::text, 'returned'::text, 'replaced'::text, 'settled'::text, 'repeated'::text, 'reversed'::text])))
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000, vacuum_index_cleanup=on);
CREATE INDEX credits_awaited ON credits USING btree (bank_account, booked_on) WHERE is_awaited;
CREATE INDEX credits_awaiting_debit ON credits USING btree (reference) WHERE awaits_debit;
CREATE INDEX credits_end_to_end ON credits USING btree (hashtextextended(end_to_end_id, (0)::bigint), amount, booked_on) WHERE (end_to_end_id IS NOT NULL);
CREATE INDEX credits_entry ON credits USING btree (entry_reference);
CREATE INDEX credits_repeats ON credits USING btree (repeats) WHERE (repeats IS NOT NULL);
CREATE INDEX credits_rest_of ON credits USING btree (rest_of) WHERE (rest_of IS NOT NULL);
CREATE INDEX credits_returned ON credits USING btree (received_at) WHERE (state = 'returned'::text);
CREATE INDEX credits_stated_as ON credits USING btree (stated_as) WHERE (stated_as IS NOT NULL);
CREATE INDEX credits_uetr ON credits USING btree (uetr) WHERE (uetr IS NOT NULL);
CREATE INDEX credits_unmatched ON credits USING btree (received_at) WHERE (state = 'unmatched'::text);
CREATE TRIGGER audit_match AFTER UPDATE ON credits FOR EACH ROW WHEN (((old.state = 'unmatched'::text) AND (new.state = 'matched'::text) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('credit.match', 'credit', 'reference', '', 'currency,amount,order_id,matched_because');
CREATE TRIGGER audit_repeat AFTER UPDATE ON credits FOR EACH ROW WHEN (((old.state = 'unmatched'::text) AND (new.state = 'repeated'::text) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('credit.repeat', 'credit', 'reference', '', 'currency,amount,repeats');
CREATE TRIGGER audit_return AFTER UPDATE ON credits FOR EACH ROW WHEN (((old.state = 'unmatched'::text) AND (new.state = 'returned'::text) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('credit.return', 'credit', 'reference', '', 'currency,amount');
CREATE TRIGGER audit_settle AFTER UPDATE ON credits FOR EACH ROW WHEN (((old.state = 'unmatched'::text) AND (new.state = 'settled'::text) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('credit.settle', 'credit', 'reference', '', 'currency,amount,settled_as');

CREATE TABLE payment_files (
  id uuid NOT NULL DEFAULT uuidv7(),
  name text NOT NULL,
  content text NOT NULL,
  written_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT payment_files_pkey PRIMARY KEY (id),
  CONSTRAINT payment_files_name_key UNIQUE (name)
);
CREATE INDEX payment_files_unwritten ON payment_files USING btree (created_at) WHERE (written_at IS NULL);

CREATE TABLE payments (
  id uuid NOT NULL DEFAULT uuidv7(),
  kind text NOT NULL,
  leg uuid,
  credit text,
  currency text NOT NULL,
  amount bigint NOT NULL,
  creditor_name text NOT NULL,
  creditor_iban text NOT NULL,
  creditor_country text,
  creditor_address jsonb,
  remittance text,
  structured_reference text,
  state text NOT NULL DEFAULT 'ready'::text,
  file uuid,
  bank_status text,
  reason text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  sent_at timestamp with time zone,
  decided_at timestamp with time zone,
  bank_status_at timestamp with time zone,
  bank_account text,
  booked_on date,
  came_back_by text,
  returned_at timestamp with time zone,
  CONSTRAINT payments_pkey PRIMARY KEY (id),
  CONSTRAINT payments_amount_check CHECK ((amount > 0)),
  CONSTRAINT payments_booked CHECK (((booked_on IS NULL) OR (state = ANY (ARRAY['accepted'::text, 'returned'::text])))),
  CONSTRAINT payments_came_back CHECK (((state = 'returned'::text) = (came_back_by IS NOT NULL))),
  CONSTRAINT payments_came_back_by_fkey FOREIGN KEY (came_back_by) REFERENCES credits(reference) ON UPDATE CASCADE,
  CONSTRAINT payments_check CHECK (((leg IS NOT NULL) OR (credit IS NOT NULL))),
  CONSTRAINT payments_check2 CHECK (((bank_account IS NULL) = (booked_on IS NULL))),
  CONSTRAINT payments_credit_fkey FOREIGN KEY (credit) REFERENCES credits(reference) ON UPDATE CASCADE,
  CONSTRAINT payments_file_fkey FOREIGN KEY (file) REFERENCES payment_files(id),
  CONSTRAINT payments_kind_check CHECK ((kind = ANY (ARRAY['payout'::text, 'return'::text]))),
  CONSTRAINT payments_leg_fkey FOREIGN KEY (leg) REFERENCES leg_history(id),
  CONSTRAINT payments_leg_key UNIQUE (leg),
  CONSTRAINT payments_reason CHECK (((state = ANY (ARRAY['refused'::text, 'returned'::text])) = (reason IS NOT NULL))),
  CONSTRAINT payments_returned_at CHECK (((state = 'returned'::text) = (returned_at IS NOT NULL))),
  CONSTRAINT payments_state_check CHECK ((state = ANY (ARRAY['ready'::text, 'sent'::text, 'accepted'::text, 'refused'::text, 'returned'::text])))
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000, vacuum_index_cleanup=on);
CREATE UNIQUE INDEX payments_came_back_by ON payments USING btree (came_back_by) WHERE (came_back_by IS NOT NULL);
CREATE INDEX payments_contradicted ON payments USING btree (bank_status_at, id) WHERE ((state = 'accepted'::text) AND (bank_status = ANY (ARRAY['RJCT'::text, 'CANC'::text])));
CREATE INDEX payments_created ON payments USING btree (created_at, id);
CREATE UNIQUE INDEX payments_credit ON payments USING btree (credit) WHERE ((credit IS NOT NULL) AND (state <> ALL (ARRAY['refused'::text, 'returned'::text])));
CREATE INDEX payments_failed ON payments USING btree (state, created_at, id) WHERE (state = ANY (ARRAY['refused'::text, 'returned'::text]));
CREATE INDEX payments_file ON payments USING btree (file) WHERE (file IS NOT NULL);
CREATE INDEX payments_of_credit ON payments USING btree (credit) WHERE (credit IS NOT NULL);
CREATE INDEX payments_open ON payments USING btree (state, id) WHERE (state = ANY (ARRAY['ready'::text, 'sent'::text]));
CREATE INDEX payments_rejected ON payments USING btree (bank_status_at, id) WHERE ((state = 'sent'::text) AND (bank_status = ANY (ARRAY['RJCT'::text, 'CANC'::text])));
CREATE INDEX payments_unbooked ON payments USING btree (id) WHERE ((state = ANY (ARRAY['accepted'::text, 'returned'::text])) AND (booked_on IS NULL));
CREATE TRIGGER audit_come_back AFTER UPDATE ON payments FOR EACH ROW WHEN (((old.state <> 'returned'::text) AND (new.state = 'returned'::text) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('payment.come-back', 'payment', 'id', '', 'kind,currency,amount,came_back_by');
CREATE TRIGGER audit_reject AFTER UPDATE ON payments FOR EACH ROW WHEN (((old.state <> 'refused'::text) AND (new.state = 'refused'::text) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('payment.reject', 'payment', 'id', '', 'kind,currency,amount');

CREATE TABLE recalls (
  id uuid NOT NULL,
  amount bigint,
  currency text,
  end_to_end_id text,
  uetr uuid,
  numbers text[] NOT NULL,
  facts jsonb NOT NULL,
  source text NOT NULL,
  received_at timestamp with time zone NOT NULL DEFAULT now(),
  answer text,
  reason text,
  credit text,
  answered_by text,
  answered_at timestamp with time zone,
  undone_because text,
  undone_by text,
  CONSTRAINT recalls_pkey PRIMARY KEY (id),
  CONSTRAINT recalls_answer_check CHECK ((answer = ANY (ARRAY['accepted'::text, 'refused'::text]))),
  CONSTRAINT recalls_check CHECK (((undone_because IS NULL) = (undone_by IS NULL))),
  CONSTRAINT recalls_check1 CHECK ((((answer IS NULL) = (answered_at IS NULL)) AND ((answer IS NULL) = (answered_by IS NULL)))),
  CONSTRAINT recalls_check2 CHECK (((NOT (answer IS DISTINCT FROM 'accepted'::text)) = (credit IS NOT NULL))),
  CONSTRAINT recalls_check3 CHECK (((NOT (answer IS DISTINCT FROM 'refused'::text)) = (reason IS NOT NULL))),
  CONSTRAINT recalls_credit_fkey FOREIGN KEY (credit) REFERENCES credits(reference) ON UPDATE CASCADE,
  CONSTRAINT recalls_undone_because_check CHECK ((length(undone_because) <= 500))
);
CREATE UNIQUE INDEX recalls_accepted ON recalls USING btree (credit) WHERE ((credit IS NOT NULL) AND (undone_by IS NULL));
CREATE INDEX recalls_open ON recalls USING btree (received_at, id) WHERE (answer IS NULL);
CREATE TRIGGER audit_answer AFTER UPDATE ON recalls FOR EACH ROW WHEN (((old.answer IS NULL) AND (new.answer IS NOT NULL))) EXECUTE FUNCTION record_audit('recall.answer', 'recall', 'id', 'operator:answered_by', 'answer,reason,credit,amount,currency');
CREATE TRIGGER audit_undo AFTER UPDATE ON recalls FOR EACH ROW WHEN (((old.undone_by IS NULL) AND (new.undone_by IS NOT NULL))) EXECUTE FUNCTION record_audit('recall.undo', 'recall', 'id', 'operator:undone_by', 'credit,undone_because,amount,currency');

CREATE TABLE unknown_payment_statuses (
  payment uuid NOT NULL,
  verdict text NOT NULL,
  code text NOT NULL,
  reason text NOT NULL,
  reported_at timestamp with time zone NOT NULL DEFAULT now(),
  set_aside text,
  set_aside_by text,
  CONSTRAINT unknown_payment_statuses_pkey PRIMARY KEY (payment),
  CONSTRAINT unknown_payment_statuses_check CHECK (((set_aside IS NULL) = (set_aside_by IS NULL))),
  CONSTRAINT unknown_payment_statuses_verdict_check CHECK ((verdict = ANY (ARRAY['executed'::text, 'refused'::text, 'open'::text])))
);

CREATE TABLE bank_debits (
  reference text NOT NULL,
  entry_reference text,
  replaced_from text,
  account text NOT NULL,
  currency text NOT NULL,
  amount bigint,
  booked_on date NOT NULL,
  payee jsonb NOT NULL DEFAULT '{}'::jsonb,
  remittance text,
  end_to_end_id text,
  uetr text,
  source text NOT NULL,
  state text NOT NULL,
  payment uuid,
  more_payments uuid[],
  payment_file uuid,
  problem text,
  hold text,
  explained_as text,
  returned_credit text,
  explanation text,
  explained_by text,
  explained_at timestamp with time zone,
  received_at timestamp with time zone NOT NULL DEFAULT now(),
  takes_back text,
  undone_by text,
  reversals_undone integer NOT NULL DEFAULT 0,
  last_undone_credit text,
  last_undo_reason text,
  last_undone_by text,
  kept_of text,
  repeats text[],
  CONSTRAINT bank_debits_pkey PRIMARY KEY (reference),
  CONSTRAINT bank_debits_amount CHECK (((amount IS NOT NULL) OR (state = ANY (ARRAY['unexplained'::text, 'replaced'::text])))),
  CONSTRAINT bank_debits_amount_check CHECK ((amount > 0)),
  CONSTRAINT bank_debits_check CHECK (((state = 'explained'::text) = ((explained_as IS NOT NULL) AND (explanation IS NOT NULL) AND (explained_by IS NOT NULL) AND (explained_at IS NOT NULL)))),
  CONSTRAINT bank_debits_check1 CHECK (((state <> 'payment'::text) OR (payment IS NOT NULL) OR (payment_file IS NOT NULL))),
  CONSTRAINT bank_debits_explained_as_check CHECK ((explained_as = ANY (ARRAY['fee'::text, 'interest'::text, 'own'::text, 'payment'::text, 'return-of'::text, 'reversal-of'::text, 'undone-by'::text, 'repeat-of'::text]))),
  CONSTRAINT bank_debits_hold_check CHECK ((hold = ANY (ARRAY['suspected_repeat'::text, 'reference_conflict'::text, 'details_differ'::text]))),
  CONSTRAINT bank_debits_kept_of_fkey FOREIGN KEY (kept_of) REFERENCES credits(reference) ON UPDATE CASCADE,
  CONSTRAINT bank_debits_payment_file_fkey FOREIGN KEY (payment_file) REFERENCES payment_files(id),
  CONSTRAINT bank_debits_payment_fkey FOREIGN KEY (payment) REFERENCES payments(id),
  CONSTRAINT bank_debits_repeats CHECK (((repeats IS NOT NULL) = (NOT (explained_as IS DISTINCT FROM 'repeat-of'::text)))),
  CONSTRAINT bank_debits_reversals_undone CHECK ((((reversals_undone = 0) = (last_undone_credit IS NULL)) AND ((reversals_undone = 0) = (last_undo_reason IS NULL)) AND ((reversals_undone = 0) = (last_undone_by IS NULL)))),
  CONSTRAINT bank_debits_state_check CHECK ((state = ANY (ARRAY['payment'::text, 'reversal'::text, 'unexplained'::text, 'explained'::text, 'replaced'::text]))),
  CONSTRAINT bank_debits_undone CHECK (((undone_by IS NULL) OR (explained_as = 'undone-by'::text))),
  CONSTRAINT bank_debits_undone_by_fkey FOREIGN KEY (undone_by) REFERENCES credits(reference) ON UPDATE CASCADE,
  CONSTRAINT bank_debits_undone_by_key UNIQUE (undone_by)
);
CREATE INDEX bank_debits_entry ON bank_debits USING btree (entry_reference) WHERE (entry_reference IS NOT NULL);
CREATE INDEX bank_debits_kept_of ON bank_debits USING btree (kept_of) WHERE (kept_of IS NOT NULL);
CREATE INDEX bank_debits_more_payments ON bank_debits USING gin (more_payments) WHERE (more_payments IS NOT NULL);
CREATE INDEX bank_debits_not_of_payments ON bank_debits USING btree (end_to_end_id) WHERE ((state = ANY (ARRAY['unexplained'::text, 'explained'::text])) AND (end_to_end_id IS NOT NULL));
CREATE INDEX bank_debits_payment ON bank_debits USING btree (payment) WHERE (payment IS NOT NULL);
CREATE INDEX bank_debits_payment_file ON bank_debits USING btree (payment_file) WHERE (payment_file IS NOT NULL);
CREATE INDEX bank_debits_repeated ON bank_debits USING btree ((repeats[1])) WHERE (repeats IS NOT NULL);
CREATE INDEX bank_debits_replaced ON bank_debits USING btree (replaced_from) WHERE (replaced_from IS NOT NULL);
CREATE UNIQUE INDEX bank_debits_returned_credit ON bank_debits USING btree (returned_credit) WHERE (returned_credit IS NOT NULL);
CREATE INDEX bank_debits_taking_back ON bank_debits USING btree (account, currency, amount, received_at) WHERE ((state = 'unexplained'::text) AND (takes_back IS NOT NULL));
CREATE INDEX bank_debits_uetr ON bank_debits USING btree (uetr) WHERE (uetr IS NOT NULL);
CREATE INDEX bank_debits_unexplained ON bank_debits USING btree (received_at, reference) WHERE (state = 'unexplained'::text);
CREATE TRIGGER audit_explain AFTER UPDATE ON bank_debits FOR EACH ROW WHEN (((old.state = 'unexplained'::text) AND (new.state = 'explained'::text))) EXECUTE FUNCTION record_audit('debit.explain', 'debit', 'reference', 'operator:explained_by', 'explained_as,payment,returned_credit,explanation,amount,currency');
CREATE TRIGGER audit_undo AFTER UPDATE ON bank_debits FOR EACH ROW WHEN ((new.reversals_undone > old.reversals_undone)) EXECUTE FUNCTION record_audit('debit.undo-reversal', 'debit', 'reference', 'operator:last_undone_by', 'last_undone_credit,last_undo_reason,amount,currency');

CREATE TABLE bank_documents (
  id uuid NOT NULL DEFAULT uuidv7(),
  written_account text NOT NULL,
  account text NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  created text,
  page integer,
  is_last_page boolean NOT NULL,
  from_on date,
  closed_on date,
  balances jsonb NOT NULL,
  statements uuid[] NOT NULL,
  imported_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT bank_documents_pkey PRIMARY KEY (id)
);
CREATE INDEX bank_documents_closed ON bank_documents USING btree (account, closed_on) WHERE (closed_on IS NOT NULL);

CREATE TABLE bank_reports (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  document uuid NOT NULL,
  entry integer NOT NULL,
  line integer NOT NULL,
  account text NOT NULL,
  currency text,
  amount bigint,
  booked_on date,
  number text,
  entry_number text,
  entry_name text,
  entry_total numeric(30,0),
  entry_count integer,
  charges bigint,
  entry_charges bigint,
  is_sum boolean NOT NULL,
  uetr uuid,
  reference text NOT NULL,
  entry_reference text,
  facts jsonb NOT NULL,
  is_debit boolean NOT NULL GENERATED ALWAYS AS (COALESCE((amount < 0), (facts ? 'payee'::text))),
  CONSTRAINT bank_reports_pkey PRIMARY KEY (id)
);
CREATE INDEX bank_reports_after_charges ON bank_reports USING btree (account, ((amount - charges)), currency, booked_on) WHERE (charges IS NOT NULL);
CREATE INDEX bank_reports_before_charges ON bank_reports USING btree (account, ((amount + charges)), currency, booked_on) WHERE (charges IS NOT NULL);
CREATE INDEX bank_reports_document ON bank_reports USING btree (document, COALESCE(amount, (0)::bigint), COALESCE(currency, ''::text));
CREATE INDEX bank_reports_document_entry ON bank_reports USING btree (document, entry) WHERE (entry_count <> 1);
CREATE INDEX bank_reports_entry ON bank_reports USING btree (entry_number, account, booked_on) WHERE (entry_number IS NOT NULL);
CREATE INDEX bank_reports_entry_reference ON bank_reports USING btree (entry_reference) WHERE (entry_reference <> reference);
CREATE INDEX bank_reports_money ON bank_reports USING btree (amount, account, currency, booked_on);
CREATE INDEX bank_reports_number ON bank_reports USING btree (number, account, booked_on) WHERE (number IS NOT NULL);
CREATE INDEX bank_reports_reference ON bank_reports USING btree (reference);
CREATE INDEX bank_reports_total ON bank_reports USING btree (account, entry_total, currency, booked_on) WHERE (entry_count <> 1);
CREATE INDEX bank_reports_total_after_charges ON bank_reports USING btree (account, ((entry_total - (entry_charges)::numeric)), currency, booked_on) WHERE ((entry_charges IS NOT NULL) AND (entry_count <> 1));
CREATE INDEX bank_reports_total_before_charges ON bank_reports USING btree (account, ((entry_total + (entry_charges)::numeric)), currency, booked_on) WHERE ((entry_charges IS NOT NULL) AND (entry_count <> 1));
CREATE INDEX bank_reports_uetr ON bank_reports USING btree (uetr) WHERE (uetr IS NOT NULL);

CREATE TABLE report_money (
  report bigint NOT NULL,
  credit text,
  debit text,
  is_first boolean NOT NULL,
  is_pinned boolean NOT NULL DEFAULT false,
  CONSTRAINT report_money_pkey PRIMARY KEY (report),
  CONSTRAINT report_money_debit_fkey FOREIGN KEY (debit) REFERENCES bank_debits(reference) ON UPDATE CASCADE
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000, vacuum_index_cleanup=on);
CREATE INDEX report_money_credit ON report_money USING btree (credit) WHERE (credit IS NOT NULL);
CREATE INDEX report_money_debit ON report_money USING btree (debit) WHERE (debit IS NOT NULL);

CREATE TABLE reversals (
  reference text NOT NULL,
  debit text NOT NULL,
  credit text NOT NULL,
  amount bigint NOT NULL,
  is_part boolean NOT NULL DEFAULT false,
  counts_with text,
  CONSTRAINT reversals_pkey PRIMARY KEY (reference),
  CONSTRAINT reversals_amount_check CHECK ((amount > 0)),
  CONSTRAINT reversals_credit_fkey FOREIGN KEY (credit) REFERENCES credits(reference) ON UPDATE CASCADE,
  CONSTRAINT reversals_debit_fkey FOREIGN KEY (debit) REFERENCES bank_debits(reference) ON UPDATE CASCADE
);
CREATE INDEX reversals_counts_with ON reversals USING btree (counts_with) WHERE (counts_with IS NOT NULL);
CREATE INDEX reversals_credit ON reversals USING btree (credit);
CREATE INDEX reversals_debit ON reversals USING btree (debit);
CREATE UNIQUE INDEX reversals_whole ON reversals USING btree (credit) WHERE (NOT is_part);

CREATE TABLE claims (
  reversal text NOT NULL,
  credit text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  recovered bigint NOT NULL DEFAULT 0,
  state text NOT NULL,
  reason text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  ended_at timestamp with time zone,
  CONSTRAINT claims_pkey PRIMARY KEY (reversal),
  CONSTRAINT claims_amount_check CHECK ((amount > 0)),
  CONSTRAINT claims_check CHECK (((recovered >= 0) AND (recovered <= amount))),
  CONSTRAINT claims_check1 CHECK (((state = ANY (ARRAY['pending'::text, 'open'::text])) = (ended_at IS NULL))),
  CONSTRAINT claims_check2 CHECK (((state <> 'recovered'::text) OR (recovered = amount))),
  CONSTRAINT claims_check3 CHECK (((state = 'written_off'::text) = (reason IS NOT NULL))),
  CONSTRAINT claims_credit_fkey FOREIGN KEY (credit) REFERENCES credits(reference) ON UPDATE CASCADE,
  CONSTRAINT claims_reversal_fkey FOREIGN KEY (reversal) REFERENCES reversals(reference),
  CONSTRAINT claims_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'open'::text, 'void'::text, 'recovered'::text, 'written_off'::text])))
);
CREATE INDEX claims_credit ON claims USING btree (credit);
CREATE INDEX claims_pending ON claims USING btree (credit) WHERE (state = 'pending'::text);
CREATE INDEX claims_waiting ON claims USING btree (created_at, reversal) WHERE (state = ANY (ARRAY['pending'::text, 'open'::text]));
CREATE TRIGGER audit_write_off AFTER UPDATE ON claims FOR EACH ROW WHEN (((old.state = 'open'::text) AND (new.state = 'written_off'::text) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('claim.write-off', 'debit', 'reversal', '', 'credit,currency,amount,recovered');

CREATE TABLE bank_statements (
  id uuid NOT NULL DEFAULT uuidv7(),
  account text NOT NULL,
  currency text NOT NULL,
  number text NOT NULL,
  sequence bigint,
  from_on date,
  closed_on date NOT NULL,
  opening bigint,
  closing bigint,
  opened bigint NOT NULL DEFAULT 0,
  missing_page integer,
  gap text,
  gap_accepted_at timestamp with time zone,
  gap_accepted_by text,
  gap_reason text,
  file bytea,
  imported_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT bank_statements_pkey PRIMARY KEY (id)
);
CREATE INDEX bank_statements_gaps ON bank_statements USING btree (imported_at) WHERE ((gap IS NOT NULL) AND (gap_accepted_at IS NULL));
CREATE INDEX bank_statements_importing ON bank_statements USING btree (id) WHERE (file IS NULL);
CREATE INDEX bank_statements_number ON bank_statements USING btree (account, currency, number);
CREATE INDEX bank_statements_opened ON bank_statements USING btree (account, currency) WHERE (opened <> 0);
CREATE INDEX bank_statements_order ON bank_statements USING btree (account, currency, closed_on, COALESCE(sequence, (0)::bigint), id);
CREATE TRIGGER audit_accept_gap AFTER UPDATE ON bank_statements FOR EACH ROW WHEN (((old.gap_accepted_at IS NULL) AND (new.gap_accepted_at IS NOT NULL))) EXECUTE FUNCTION record_audit('statement.accept', 'statement', 'id', 'operator:gap_accepted_by', 'account,number,gap,gap_reason');

CREATE TABLE bank_bookings (
  entry uuid NOT NULL,
  account text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  booked_on date NOT NULL,
  source text NOT NULL,
  statement uuid,
  in_opening boolean NOT NULL DEFAULT false,
  CONSTRAINT bank_bookings_pkey PRIMARY KEY (entry, account),
  CONSTRAINT bank_bookings_statement_fkey FOREIGN KEY (statement) REFERENCES bank_statements(id)
);
CREATE INDEX bank_bookings_day ON bank_bookings USING btree (account, currency, booked_on);
CREATE INDEX bank_bookings_source ON bank_bookings USING btree (source);
CREATE INDEX bank_bookings_unlisted_day ON bank_bookings USING btree (account, currency, booked_on) WHERE (statement IS NULL);

-- webhooks.sql

CREATE TABLE events (
  id uuid NOT NULL DEFAULT uuidv7(),
  type text NOT NULL,
  profile uuid NOT NULL,
  subject uuid NOT NULL,
  data jsonb NOT NULL,
  correlation_id text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  sequence bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  position bigint,
  CONSTRAINT events_pkey PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX events_of_orders ON ONLY events USING btree (profile, "position") WHERE (("position" IS NOT NULL) AND (type = ANY (ARRAY['order.created'::text, 'order.held'::text, 'order.updated'::text])));
CREATE INDEX events_position ON ONLY events USING btree ("position") WHERE ("position" IS NOT NULL);
CREATE INDEX events_subject ON ONLY events USING btree (subject, id);
CREATE INDEX events_without_position ON ONLY events USING btree (sequence) WHERE ("position" IS NULL);

CREATE TABLE webhook_subscriptions (
  id uuid NOT NULL,
  application uuid NOT NULL,
  url text NOT NULL,
  origin text NOT NULL GENERATED ALWAYS AS ("substring"(url, '^https?://[^/?#]+'::text)),
  types text[] NOT NULL,
  state text NOT NULL DEFAULT 'active'::text,
  inactive_reason text,
  paused_until timestamp with time zone,
  secret text,
  previous_secret text,
  previous_secret_until timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT webhook_subscriptions_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_subscriptions_application_fkey FOREIGN KEY (application) REFERENCES applications(id),
  CONSTRAINT webhook_subscriptions_check CHECK (((inactive_reason IS NULL) OR (state <> 'active'::text))),
  CONSTRAINT webhook_subscriptions_check1 CHECK (((state = 'deleted'::text) = (secret IS NULL))),
  CONSTRAINT webhook_subscriptions_check2 CHECK (((previous_secret IS NULL) = (previous_secret_until IS NULL))),
  CONSTRAINT webhook_subscriptions_check3 CHECK (((state <> 'deleted'::text) OR (previous_secret IS NULL))),
  CONSTRAINT webhook_subscriptions_state_check CHECK ((state = ANY (ARRAY['active'::text, 'inactive'::text, 'deleted'::text]))),
  CONSTRAINT webhook_subscriptions_url_check CHECK ((url ~ '^https?://[^/?#@]+([/?#]|$)'::text))
);
CREATE INDEX webhook_subscriptions_application ON webhook_subscriptions USING btree (application, id);
CREATE INDEX webhook_subscriptions_previous_secret_key ON webhook_subscriptions USING btree (sealing_key(previous_secret), ((id)::text)) WHERE (previous_secret IS NOT NULL);
CREATE INDEX webhook_subscriptions_secret_key ON webhook_subscriptions USING btree (sealing_key(secret), ((id)::text)) WHERE (secret IS NOT NULL);
CREATE TRIGGER audit_create AFTER INSERT ON webhook_subscriptions FOR EACH ROW EXECUTE FUNCTION record_audit('webhook.create', 'webhook', 'id', 'system', 'application,origin,types');
CREATE TRIGGER audit_delete AFTER UPDATE ON webhook_subscriptions FOR EACH ROW WHEN (((old.state <> 'deleted'::text) AND (new.state = 'deleted'::text))) EXECUTE FUNCTION record_audit('webhook.delete', 'webhook', 'id', 'system', 'application,origin');
CREATE TRIGGER audit_secret AFTER UPDATE ON webhook_subscriptions FOR EACH ROW WHEN (((new.state <> 'deleted'::text) AND (old.secret IS DISTINCT FROM new.secret) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('webhook.rotate-secret', 'webhook', 'id', '', 'application');
CREATE TRIGGER audit_update AFTER UPDATE ON webhook_subscriptions FOR EACH ROW WHEN (((new.state <> 'deleted'::text) AND (((old.url IS DISTINCT FROM new.url) OR (old.types IS DISTINCT FROM new.types)) OR (old.state IS DISTINCT FROM new.state)))) EXECUTE FUNCTION record_audit('webhook.update', 'webhook', 'id', 'system', 'application,origin,types,state');

CREATE TABLE webhook_deliveries (
  id uuid NOT NULL DEFAULT uuidv7(),
  subscription uuid NOT NULL,
  event uuid NOT NULL,
  type text NOT NULL,
  subject uuid NOT NULL,
  sequence bigint NOT NULL,
  state text NOT NULL DEFAULT 'pending'::text,
  attempts integer NOT NULL DEFAULT 0,
  age_begins_at timestamp with time zone,
  next_attempt_at timestamp with time zone NOT NULL DEFAULT now(),
  lease uuid,
  last_status integer,
  last_error text,
  last_duration integer,
  history jsonb NOT NULL DEFAULT '[]'::jsonb,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  ended_at timestamp with time zone,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_deliveries_check CHECK (((state = 'pending'::text) = (ended_at IS NULL))),
  CONSTRAINT webhook_deliveries_check1 CHECK (((state = 'pending'::text) OR (lease IS NULL))),
  CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text])))
) PARTITION BY RANGE (id);
CREATE INDEX webhook_deliveries_due ON ONLY webhook_deliveries USING btree (subscription, next_attempt_at, sequence) WHERE (state = 'pending'::text);
CREATE INDEX webhook_deliveries_event ON ONLY webhook_deliveries USING btree (event);
CREATE INDEX webhook_deliveries_failed ON ONLY webhook_deliveries USING btree (subscription, ended_at) WHERE (state = 'failed'::text);
CREATE INDEX webhook_deliveries_list ON ONLY webhook_deliveries USING btree (subscription, created_at, id);
CREATE INDEX webhook_deliveries_of_state ON ONLY webhook_deliveries USING btree (subscription, state, created_at, id) WHERE (state <> 'delivered'::text);
CREATE INDEX webhook_deliveries_order ON ONLY webhook_deliveries USING btree (subscription, subject, sequence) WHERE (state = 'pending'::text);
CREATE TRIGGER audit_replay AFTER UPDATE ON webhook_deliveries FOR EACH ROW WHEN (((old.state <> 'pending'::text) AND (new.state = 'pending'::text) AND (acting() IS NOT NULL))) EXECUTE FUNCTION record_audit('webhook.replay', 'delivery', 'id', '', 'subscription,event');

-- recovery.sql

CREATE TABLE unrecorded_outcomes (
  id uuid NOT NULL DEFAULT uuidv7(),
  chain text NOT NULL,
  kind text NOT NULL,
  token text NOT NULL,
  currency text NOT NULL,
  order_id uuid NOT NULL,
  account text NOT NULL,
  amount numeric(20,0) NOT NULL,
  sequence numeric(20,0),
  digest text,
  message text,
  signature text,
  refused text,
  tx_hash text NOT NULL,
  block_number bigint NOT NULL,
  state text NOT NULL DEFAULT 'open'::text,
  reason text,
  decided_by text,
  found_at timestamp with time zone NOT NULL DEFAULT now(),
  decided_at timestamp with time zone,
  CONSTRAINT unrecorded_outcomes_pkey PRIMARY KEY (id),
  CONSTRAINT unrecorded_outcomes_check CHECK (((kind = 'issue'::text) = (sequence IS NOT NULL))),
  CONSTRAINT unrecorded_outcomes_check1 CHECK (((kind = 'redeem'::text) = (digest IS NOT NULL))),
  CONSTRAINT unrecorded_outcomes_check2 CHECK (((state = 'open'::text) = (decided_at IS NULL))),
  CONSTRAINT unrecorded_outcomes_check3 CHECK (((state = 'set_aside'::text) = (reason IS NOT NULL))),
  CONSTRAINT unrecorded_outcomes_kind_check CHECK ((kind = ANY (ARRAY['issue'::text, 'redeem'::text]))),
  CONSTRAINT unrecorded_outcomes_state_check CHECK ((state = ANY (ARRAY['open'::text, 'applied'::text, 'set_aside'::text])))
);
CREATE UNIQUE INDEX unrecorded_outcomes_digest ON unrecorded_outcomes USING btree (account, digest, chain, token) WHERE (kind = 'redeem'::text);
CREATE INDEX unrecorded_outcomes_open ON unrecorded_outcomes USING btree (chain, currency, kind) WHERE (state = 'open'::text);
CREATE INDEX unrecorded_outcomes_order ON unrecorded_outcomes USING btree (order_id) WHERE (state <> 'applied'::text);
CREATE UNIQUE INDEX unrecorded_outcomes_sequence ON unrecorded_outcomes USING btree (chain, token, sequence) WHERE (kind = 'issue'::text);

CREATE TABLE outcome_audits (
  chain text NOT NULL,
  block bigint NOT NULL,
  compared_at timestamp with time zone,
  CONSTRAINT outcome_audits_pkey PRIMARY KEY (chain)
);

CREATE TABLE recoveries (
  id uuid NOT NULL DEFAULT uuidv7(),
  began_at timestamp with time zone NOT NULL DEFAULT now(),
  began_by text NOT NULL,
  ended_at timestamp with time zone,
  ended_by text,
  CONSTRAINT recoveries_pkey PRIMARY KEY (id),
  CONSTRAINT recoveries_check CHECK (((ended_at IS NULL) = (ended_by IS NULL)))
);
CREATE UNIQUE INDEX recoveries_open ON recoveries USING btree ((true)) WHERE (ended_at IS NULL);

-- safes.sql

CREATE TABLE safe_transactions (
  id uuid NOT NULL DEFAULT uuidv7(),
  chain text NOT NULL,
  currency text NOT NULL,
  token text NOT NULL,
  safe text NOT NULL,
  safe_version text NOT NULL,
  nonce bigint NOT NULL,
  call_to text NOT NULL,
  call_data text NOT NULL,
  hash text NOT NULL,
  block bigint NOT NULL,
  reason text,
  prepared_by text NOT NULL,
  prepared_at timestamp with time zone NOT NULL DEFAULT now(),
  state text NOT NULL DEFAULT 'open'::text,
  execution_hash text,
  execution_block bigint,
  ready_at timestamp with time zone,
  ended_at timestamp with time zone,
  CONSTRAINT safe_transactions_pkey PRIMARY KEY (id),
  CONSTRAINT safe_transactions_ended CHECK (((ended_at IS NULL) = (state = ANY (ARRAY['open'::text, 'scheduled'::text])))),
  CONSTRAINT safe_transactions_executed CHECK (((state <> ALL (ARRAY['scheduled'::text, 'executed'::text, 'cancelled'::text])) OR (execution_hash IS NOT NULL))),
  CONSTRAINT safe_transactions_hash_check CHECK ((hash ~ '^0x[0-9a-f]{64}$'::text)),
  CONSTRAINT safe_transactions_nonce_check CHECK ((nonce >= 0)),
  CONSTRAINT safe_transactions_prepared_by_fkey FOREIGN KEY (prepared_by) REFERENCES operators(name),
  CONSTRAINT safe_transactions_state_check CHECK ((state = ANY (ARRAY['open'::text, 'scheduled'::text, 'executed'::text, 'replaced'::text, 'cancelled'::text, 'withdrawn'::text])))
);
CREATE INDEX safe_transactions_ended_at ON safe_transactions USING btree (ended_at) WHERE (state = 'replaced'::text);
CREATE UNIQUE INDEX safe_transactions_hash ON safe_transactions USING btree (hash) WHERE (state <> 'withdrawn'::text);
CREATE INDEX safe_transactions_open ON safe_transactions USING btree (chain, safe, nonce) WHERE (state = ANY (ARRAY['open'::text, 'scheduled'::text]));
CREATE TRIGGER audit_end AFTER UPDATE OF state ON safe_transactions FOR EACH ROW WHEN ((old.state <> new.state)) EXECUTE FUNCTION record_audit('safe-transaction.state', 'safe-transaction', 'id', 'system', 'chain,safe,nonce,state,execution_hash');
CREATE TRIGGER audit_prepare AFTER INSERT ON safe_transactions FOR EACH ROW EXECUTE FUNCTION record_audit('safe-transaction.prepare', 'safe-transaction', 'id', 'operator:prepared_by', 'chain,currency,safe,nonce,hash,call_data');

CREATE TABLE safe_signatures (
  transaction uuid NOT NULL,
  signer text NOT NULL,
  data text NOT NULL,
  added_by text NOT NULL,
  added_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT safe_signatures_pkey PRIMARY KEY (transaction, signer),
  CONSTRAINT safe_signatures_added_by_fkey FOREIGN KEY (added_by) REFERENCES operators(name),
  CONSTRAINT safe_signatures_data_check CHECK ((data ~ '^0x[0-9a-f]{130}$'::text)),
  CONSTRAINT safe_signatures_signer_check CHECK ((signer ~ '^0x[0-9a-f]{40}$'::text)),
  CONSTRAINT safe_signatures_transaction_fkey FOREIGN KEY (transaction) REFERENCES safe_transactions(id)
);
CREATE TRIGGER audit_sign AFTER INSERT ON safe_signatures FOR EACH ROW EXECUTE FUNCTION record_audit('safe-transaction.sign', 'safe-transaction', 'transaction', 'operator:added_by', 'signer');

-- swap.sql

CREATE TABLE swap_quotes (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  nonce bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  chain text NOT NULL,
  settlement text NOT NULL,
  maker text NOT NULL,
  profile uuid NOT NULL,
  taker text NOT NULL,
  taker_token text NOT NULL,
  maker_token text NOT NULL,
  taker_amount numeric(78,0) NOT NULL,
  maker_amount numeric(78,0) NOT NULL,
  expiry timestamp with time zone NOT NULL,
  correlation_id text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT swap_quotes_pkey PRIMARY KEY (id),
  CONSTRAINT swap_quotes_maker_amount_check CHECK ((maker_amount > (0)::numeric)),
  CONSTRAINT swap_quotes_nonce_key UNIQUE (nonce),
  CONSTRAINT swap_quotes_profile_fkey FOREIGN KEY (profile) REFERENCES profiles(id),
  CONSTRAINT swap_quotes_taker_amount_check CHECK ((taker_amount > (0)::numeric))
);
CREATE INDEX swap_quotes_open ON swap_quotes USING btree (maker, chain, maker_token, expiry);
CREATE TRIGGER audit_commit AFTER INSERT ON swap_quotes FOR EACH ROW WHEN ((acting() IS NOT NULL)) EXECUTE FUNCTION record_audit('swap.commit', 'swap', 'id', '', 'profile,taker,taker_token,maker_token,taker_amount,maker_amount,nonce');

-- requests.sql

CREATE TABLE idempotency_keys (
  id bytea NOT NULL,
  fingerprint bytea NOT NULL,
  makes uuid NOT NULL DEFAULT gen_random_uuid(),
  claimed_until timestamp with time zone NOT NULL,
  status smallint,
  content_type text,
  body text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (id),
  CONSTRAINT idempotency_keys_check CHECK (((status IS NOT NULL) OR (body IS NULL)))
);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING btree (created_at);

CREATE UNLOGGED TABLE rate_limits (
  key text NOT NULL,
  points integer NOT NULL,
  expire double precision,
  CONSTRAINT rate_limits_pkey PRIMARY KEY (key)
);
CREATE INDEX rate_limits_expire ON rate_limits USING btree (expire);

-- audit.sql

CREATE TABLE audit_log (
  id uuid NOT NULL DEFAULT uuidv7(),
  at timestamp with time zone NOT NULL DEFAULT now(),
  actor_kind text NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  subject_kind text NOT NULL,
  subject text NOT NULL,
  correlation_id text,
  detail jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT audit_log_pkey PRIMARY KEY (id),
  CONSTRAINT audit_log_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['application'::text, 'user'::text, 'operator'::text, 'system'::text])))
) PARTITION BY RANGE (id);
CREATE INDEX audit_log_actor ON ONLY audit_log USING btree (actor, id);
CREATE INDEX audit_log_alone ON ONLY audit_log USING btree (id) WHERE (action = 'operation.alone'::text);
CREATE INDEX audit_log_subject ON ONLY audit_log USING btree (subject, id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- views

CREATE VIEW legs AS
 SELECT id,
    order_id,
    kind,
    "position",
    chain,
    currency,
    account,
    amount,
    signed_by,
    created_at,
    state,
    claimed_by,
    token,
    sequence,
    transaction,
    after_block,
    batch_limit,
    lone_reverts,
    held_until,
    held_for,
    due_at,
    tx_hash,
    block_number,
    reason,
    done_at
   FROM ( SELECT open_legs.id,
            open_legs.order_id,
            open_legs.kind,
            open_legs."position",
            open_legs.chain,
            open_legs.currency,
            open_legs.account,
            open_legs.amount,
            open_legs.signed_by,
            open_legs.created_at,
            open_legs.state,
            open_legs.claimed_by,
            open_legs.token,
            open_legs.sequence,
            open_legs.transaction,
            open_legs.after_block,
            open_legs.batch_limit,
            open_legs.lone_reverts,
            open_legs.held_until,
            open_legs.held_for,
            open_legs.due_at,
            NULL::text AS tx_hash,
            NULL::bigint AS block_number,
            NULL::text AS reason,
            NULL::timestamp with time zone AS done_at
           FROM open_legs
        UNION ALL
         SELECT leg_history.id,
            leg_history.order_id,
            leg_history.kind,
            leg_history."position",
            leg_history.chain,
            leg_history.currency,
            leg_history.account,
            leg_history.amount,
            leg_history.signed_by,
            leg_history.created_at,
            leg_history.outcome,
            NULL::text,
            leg_history.token,
            leg_history.sequence,
            leg_history.transaction,
            NULL::bigint,
            0,
            (0)::smallint AS int2,
            NULL::timestamp with time zone,
            NULL::text,
            NULL::timestamp with time zone,
            leg_history.tx_hash,
            leg_history.block_number,
            leg_history.reason,
            leg_history.done_at
           FROM leg_history) l
  WHERE (state IS NOT NULL);

-- functions

CREATE OR REPLACE FUNCTION acting()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$ select nullif(current_setting('mintrail.actor', true), '')::jsonb $function$;

CREATE OR REPLACE FUNCTION add_open_orders()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into open_orders (id, profile, state, placed_at, address, is_dependent)
  select id, profile, state, placed_at, address, source_order is not null from placed_orders where state in ('placed', 'pending');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION analyze_partitioned(parent text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format(case when current_setting('server_version_num')::int >= 180000 then 'analyze only %I' else 'analyze %I' end, parent);
end $function$;

CREATE OR REPLACE FUNCTION announce_ended_orders()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Most statements that change orders end none, and need not be compared with what was before.
  if not exists (select from changed_orders where state in ('processed', 'rejected')) then
    return null;
  end if;
  insert into events (type, profile, subject, data, correlation_id)
  select 'order.updated', o.profile, o.id, order_event_data(o), o.correlation_id
  from changed_orders o
  where o.state in ('processed', 'rejected')
    and (o.id, o.state) not in (select b.id, b.state from orders_before b where b.state in ('processed', 'rejected'));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION announce_held_order()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into events (type, profile, subject, data, correlation_id)
  values ('order.held', new.profile, new.id, order_event_data(new), new.correlation_id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION announce_placed_orders()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into events (type, profile, subject, data, correlation_id)
  select 'order.created', o.profile, o.id, order_event_data(o), o.correlation_id from placed_orders o;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_postings()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  unbalanced record;
begin
  -- Most statements that may book something book nothing.
  if not exists (select from new_postings) then
    return null;
  end if;
  select n.entry, n.currency, sum(n.amount) as rest into unbalanced
  from new_postings n group by n.entry, n.currency having sum(n.amount) <> 0 limit 1;
  if found then
    raise exception 'the postings of the entry % differ by % minor units of %', unbalanced.entry, unbalanced.rest, unbalanced.currency
      using errcode = 'check_violation';
  end if;
  if exists (select from new_postings n where (select e.id from entries e where e.id = n.entry) is null) then
    raise exception 'a posting has no entry' using errcode = 'foreign_key_violation';
  end if;
  -- The primary key lets only one statement write position 0 of an entry, so no other adds to it.
  if exists (select from new_postings n group by n.entry having min(n.position) <> 0) then
    raise exception 'the postings of an entry begin at position 0' using errcode = 'check_violation';
  end if;
  insert into balance_changes (account, currency, booked_on, debited, credited)
  select account, currency, booked_on, coalesce(sum(amount) filter (where amount > 0), 0), coalesce(-sum(amount) filter (where amount < 0), 0)
  from new_postings group by account, currency, booked_on;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_files()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into quota_usage as u (quota, owner, count, bytes)
  select owned.quota, owned.owner, count(*) * sign, sum(owned.size) * sign
  from (
    select 'files' as quota, application as owner, size from changed where application is not null
    union all select 'user_files', uploaded_by, size from changed
  ) owned
  group by owned.quota, owned.owner order by owned.quota, owned.owner
  on conflict (quota, owner) do update set count = u.count + excluded.count, bytes = u.bytes + excluded.bytes;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_profiles()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into quota_usage as u (quota, owner, count)
  select 'profiles', application, count(*) * case tg_op when 'INSERT' then 1 else -1 end
  from changed where application is not null group by application order by application
  on conflict (quota, owner) do update set count = u.count + excluded.count;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION delivery_id(event uuid, subscription uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  bytes bytea := substring(uuid_send(event) for 6) || substring(sha256(uuid_send(event) || uuid_send(subscription)) for 10);
begin
  bytes := set_byte(bytes, 6, (get_byte(bytes, 6) & 15) | 112);
  return encode(set_byte(bytes, 8, (get_byte(bytes, 8) & 63) | 128), 'hex')::uuid;
end $function$;

CREATE OR REPLACE FUNCTION derived_payment_id(name text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN uuid_of_hash(sha256(convert_to(name, 'UTF8'::name)), 8);

CREATE OR REPLACE FUNCTION end_hold()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.held_until := null;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION follow_open_orders()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  delete from open_orders where id = any(array(select id from changed_orders where state in ('processed', 'rejected')));
  update open_orders set state = 'pending' where id = any(array(select id from changed_orders where state = 'pending')) and state = 'placed';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION list_partitions()
 RETURNS TABLE(parent text, name text, begins timestamp with time zone, ends timestamp with time zone, is_default boolean)
 LANGUAGE sql
 STABLE
AS $function$
  select p.relname::text, c.relname::text,
    uuid_time(nullif(split_part(b.bounds, '''', 2), '')::uuid),
    uuid_time(nullif(split_part(b.bounds, '''', -2), '')::uuid), b.bounds = 'DEFAULT'
  from pg_class p join pg_inherits i on i.inhparent = p.oid join pg_class c on c.oid = i.inhrelid
  cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bounds offset 0) b
  where p.relkind = 'p' and c.relkind = 'r' and p.relnamespace = 'ledger'::regnamespace
$function$;

CREATE OR REPLACE FUNCTION make_default_partition(parent text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('create table %I.%I partition of %I default', 'partitions', parent || '_default', parent);
  perform protect_partition(parent, parent || '_default');
end $function$;

CREATE OR REPLACE FUNCTION make_partition(parent text, month timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  name text := parent || to_char(month at time zone 'UTC', '_YYYY_MM');
  ends timestamptz := (month at time zone 'UTC' + interval '1 month') at time zone 'UTC';
begin
  if exists (
    select from list_partitions() p
    where p.parent = make_partition.parent and not p.is_default and p.begins <= month and p.ends > month
  ) then
    return false;
  end if;
  execute format('create table %I.%I (like %I including defaults including constraints)', 'partitions', name, parent);
  execute format('alter table %I attach partition partitions.%I for values from (%L) to (%L)', parent, name, uuid_at(month), uuid_at(ends));
  perform protect_partition(parent, name);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION make_partitions(parent text)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  before bigint := (select count(*) from list_partitions());
begin
  perform sort_default_partition(parent);
  for ahead in 0..3 loop
    perform make_partition(parent, (date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead)) at time zone 'UTC');
  end loop;
  return (select count(*) from list_partitions()) - before;
end $function$;

CREATE OR REPLACE FUNCTION note_bank_bookings()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  with listing as materialized (
    select id, 'assets:bank:' || account as account, currency from bank_statements
    where id = any(string_to_array(nullif(current_setting('mintrail.statements', true), ''), ',')::uuid[])
  )
  insert into bank_bookings (entry, account, currency, amount, booked_on, source, statement)
  select p.entry, substr(p.account, length('assets:bank:') + 1), p.currency, sum(p.amount), p.booked_on, e.reference, coalesce(undone.statement, s.id)
  from new_postings p cross join lateral (
    select kind, case when source like '%#%' then regexp_replace(source, '(#again-\d+|#left-\d+|#replaced-\d+)+$', '') else source end as reference
    from entries where id = p.entry limit 1
  ) e
  left join listing s on s.account = p.account and s.currency = p.currency
  left join lateral (
    select b.statement from bank_bookings b
    where e.kind in ('credit-repeated', 'credit-replaced', 'debit-replaced') and b.statement is not null
      and b.source = e.reference and 'assets:bank:' || b.account = p.account
    limit 1
  ) undone on true
  where p.account like 'assets:bank:%' and p.account <> 'assets:bank:sandbox'
  group by p.entry, p.account, p.currency, p.booked_on, e.reference, s.id, undone.statement;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION order_event_data(o orders)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT jsonb_build_object('id', (o).id, 'kind', (o).kind, 'profile', (o).profile, 'address', (o).address, 'chain', (o).chain, 'currency', (o).currency, 'amount', ((o).amount)::text, 'counterpart', (o).counterpart, 'memo', (o).memo, 'referenceNumber', (o).reference_number, 'state', (o).state, 'placedAt', (o).placed_at, 'processedAt', (o).processed_at, 'rejectedReason', (o).rejected_reason, 'supportingDocument', (o).supporting_document, 'txHashes', (o).tx_hashes, 'givesBack', (o).gives_back, 'heldFor', (o).held_for, 'heldUntil', (o).held_until) AS jsonb_build_object;
END;

CREATE OR REPLACE FUNCTION protect_partition(parent text, name text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  -- Bits of `tgtype`: 1 is a trigger of rows, 4 one of inserts.
  guard regproc := (select t.tgfoid::regproc from pg_trigger t where t.tgrelid = format('%I', parent)::regclass and t.tgname = 'append_only');
  checks_inserts boolean := exists (
    select from pg_trigger t where t.tgrelid = format('%I', parent)::regclass and t.tgtype & 5 = 4 and not t.tgisinternal);
begin
  if guard is not null then
    execute format('create or replace trigger append_only before update or delete or truncate on %I.%I for each statement execute function %s()',
      'partitions', name, guard);
  end if;
  if checks_inserts then
    execute format('create or replace trigger no_direct_insert before insert on %I.%I for each statement execute function refuse_direct_insert()',
      'partitions', name);
  end if;
  if parent in ('events', 'webhook_deliveries') then
    perform vacuum_early(format('partitions.%I', name)::regclass);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION record_audit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  actor jsonb := acting();
  changed jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  fallback text := tg_argv[3];
  detail jsonb := '{}';
  name text;
begin
  if fallback = 'always system' then
    actor := '{"actorKind": "system", "actor": "mintrail"}';
  elsif actor is null then
    if fallback = '' then return null; end if;
    actor := jsonb_build_object('actorKind', split_part(fallback, ':', 1), 'actor', coalesce(changed ->> split_part(fallback, ':', 2), 'mintrail'));
  end if;
  foreach name in array string_to_array(coalesce(tg_argv[4], ''), ',') loop
    if changed ->> name is not null then detail := detail || jsonb_build_object(name, changed -> name); end if;
  end loop;
  detail := detail || jsonb_strip_nulls(jsonb_build_object('application', actor -> 'actorApplication'));
  insert into audit_log (actor_kind, actor, action, subject_kind, subject, correlation_id, detail)
  values (actor ->> 'actorKind', actor ->> 'actor', tg_argv[0], tg_argv[1], changed ->> tg_argv[2],
    coalesce(actor ->> 'actorCorrelationId', changed ->> 'correlation_id'), detail);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION redirect_open_order()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update open_orders set address = new.address where id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'audit_log is append-only' using errcode = 'insufficient_privilege';
end $function$;

CREATE OR REPLACE FUNCTION refuse_book_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only: correct an entry by another one', tg_table_name using errcode = 'insufficient_privilege';
end $function$;

CREATE OR REPLACE FUNCTION refuse_direct_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'rows are inserted into the partitioned table, and not into its partition %', tg_table_name using errcode = 'insufficient_privilege';
end $function$;

CREATE OR REPLACE FUNCTION restore_partition(name text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  bounds jsonb := obj_description(format('archive.%I', name)::regclass, 'pg_class')::jsonb;
begin
  execute format('alter table archive.%I set schema partitions', name);
  execute format('alter table %I attach partition partitions.%I for values from (%L) to (%L)', bounds ->> 'parent', name,
    bounds ->> 'begins', bounds ->> 'ends');
end $function$;

CREATE OR REPLACE FUNCTION retire_partition(name text, archives boolean)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  p record;
  is_open boolean := false;
  bytes bigint := pg_total_relation_size(format('partitions.%I', name)::regclass);
  tuples bigint := (select greatest(reltuples, 0) from pg_class where oid = format('partitions.%I', name)::regclass);
begin
  select * into strict p from list_partitions() l where l.name = retire_partition.name and not l.is_default;
  execute format('lock table %I in access exclusive mode', p.parent);
  if p.parent = 'webhook_deliveries' then
    execute format('select exists (select from partitions.%I where state = ''pending'')', name) into is_open;
    if is_open then return 'it has deliveries that have not ended'; end if;
  elsif p.parent = 'events' then
    execute format('select exists (select from partitions.%I where position is null)', name) into is_open;
    if is_open then return 'it has events that are not given to subscriptions yet'; end if;
    if exists (select from webhook_deliveries d where d.id >= uuid_at(p.begins) and d.id < uuid_at(p.ends)) then
      return 'its deliveries are still kept';
    end if;
  end if;
  execute format('alter table %I detach partition partitions.%I', p.parent, name);
  if archives then
    execute format('alter table partitions.%I set schema archive', name);
    execute format('comment on table archive.%I is %L', name, jsonb_build_object('parent', p.parent, 'begins', uuid_at(p.begins), 'ends', uuid_at(p.ends)));
  else
    execute format('drop table %I.%I', 'partitions', name);
  end if;
  insert into audit_log (actor_kind, actor, action, subject_kind, subject, detail)
  values ('system', 'mintrail', case when archives then 'retention.archive' else 'retention.drop' end, 'table', name,
    jsonb_strip_nulls(jsonb_build_object('begins', p.begins, 'ends', p.ends, 'rows', tuples, 'bytes', bytes)));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION sealing_key(sealed text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ select split_part($1, ':', 3) $function$;

CREATE OR REPLACE FUNCTION set_rejected_at()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.rejected_at := now();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION sort_default_partition(parent text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  key text := (select a.attname from pg_partitioned_table t join pg_attribute a on a.attrelid = t.partrelid and a.attnum = t.partattrs[0]
    where t.partrelid = format('%I', parent)::regclass);
  unsorted text := parent || '_unsorted';
  has_rows boolean;
  month timestamptz;
  target record;
begin
  execute format('select exists (select from partitions.%I)', parent || '_default') into has_rows;
  if not has_rows then return false; end if;
  execute format('alter table %I detach partition partitions.%I', parent, parent || '_default');
  execute format('alter table partitions.%I rename to %I', parent || '_default', unsorted);
  perform make_default_partition(parent);
  for month in execute format(
    'select distinct date_trunc(''month'', uuid_time(%1$I), ''UTC'') from partitions.%2$I
     where uuid_time(%1$I) between ''2020-01-01Z'' and now() + interval ''1 year''', key, unsorted)
  loop
    perform make_partition(parent, month);
  end loop;
  for target in
    select p.name, p.begins, p.ends from list_partitions() p where p.parent = sort_default_partition.parent and p.begins is not null
  loop
    execute format('alter table partitions.%I disable trigger user', target.name);
    execute format('insert into partitions.%1$I overriding system value select * from partitions.%2$I where %3$I >= %4$L and %3$I < %5$L',
      target.name, unsorted, key, uuid_at(target.begins), uuid_at(target.ends));
    execute format('alter table partitions.%I enable trigger user', target.name);
  end loop;
  execute format('alter table partitions.%I disable trigger user', parent || '_default');
  execute format(
    'insert into partitions.%1$I overriding system value select * from partitions.%2$I u where not exists (
       select from list_partitions() p where p.parent = %4$L and u.%3$I >= uuid_at(p.begins) and u.%3$I < uuid_at(p.ends))',
    parent || '_default', unsorted, key, parent);
  execute format('alter table partitions.%I enable trigger user', parent || '_default');
  execute format('drop table %I.%I', 'partitions', unsorted);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION sum_ended_redemptions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into redemption_sums as s (account, chain, currency, side, amount)
  select account, chain, currency, 'ended', sum(amount) from ended where kind = 'redeem' group by 1, 2, 3 order by 1, 2, 3
  on conflict (account, chain, currency, side) do update set amount = s.amount + excluded.amount;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION sum_placed_redemptions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into redemption_sums as s (account, chain, currency, side, amount)
  select account, chain, currency, 'placed', sum(amount) from placed where kind = 'redeem' group by 1, 2, 3 order by 1, 2, 3
  on conflict (account, chain, currency, side) do update set amount = s.amount + excluded.amount;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION use_files(ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  update files set used_at = now() where id = any(ids) and used_at is null;
  if exists (select from files where id = any(ids) and stored_at is null) then
    raise exception 'a file that is named is not in the storage';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION use_supporting_document()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform use_files(array[new.supporting_document]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION use_verification_documents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform use_files(array(select (document ->> 'fileId')::uuid from jsonb_array_elements(new.documents) document));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION uuid_at(at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$function$;

CREATE OR REPLACE FUNCTION uuid_of_hash(hash bytea, version integer)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (encode(SUBSTRING(set_bit(set_bit(set_bit(set_bit(set_bit(set_bit(hash, (70)::bigint, 0), (71)::bigint, 1), (52)::bigint, (version & 1)), (53)::bigint, ((version >> 1) & 1)), (54)::bigint, ((version >> 2) & 1)), (55)::bigint, ((version >> 3) & 1)) FROM 1 FOR 16), 'hex'::text))::uuid;

CREATE OR REPLACE FUNCTION uuid_time(id uuid)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select case when substr(id::text, 15, 1) = '7'
    then to_timestamp(('x0000' || left(replace(id::text, '-', ''), 12))::bit(64)::bigint / 1000.0) end
$function$;

CREATE OR REPLACE FUNCTION uuidv7(shift interval DEFAULT '00:00:00'::interval)
 RETURNS uuid
 LANGUAGE sql
 PARALLEL SAFE
AS $function$
  select (overlay(lpad(to_hex(floor(extract(epoch from clock_timestamp() + shift) * 4096000)::bigint), 15, '0') placing '7' from 13 for 0)
    || substr(gen_random_uuid()::text, 20))::uuid
$function$;

CREATE OR REPLACE FUNCTION vacuum_early(target regclass)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format(
    'alter table %s set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, vacuum_index_cleanup = on)', target);
end $function$;
