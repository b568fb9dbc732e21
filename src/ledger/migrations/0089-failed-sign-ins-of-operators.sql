-- Wrong passwords, and wrong codes after a right password, of an operator in an hour; those for names that nobody has are counted together. The audit log has
-- the first, the tenth, the hundredth and so on, so that a flood does not fill it.

create table operator_sign_in_failures (
  -- Name of the operator, or `(nobody)`, which is no name.
  operator text not null,
  factor text not null check (factor in ('password', 'code')),
  hour timestamptz not null,
  failures integer not null,
  primary key (operator, factor, hour)
);
create index operator_sign_in_failures_age on operator_sign_in_failures (hour);
create trigger audit_failure after insert or update on operator_sign_in_failures for each row when (new.failures in (1, 10, 100, 1000, 10000))
  execute function record_audit('operator.sign-in-failed', 'operator', 'operator', 'system', 'factor,failures');
