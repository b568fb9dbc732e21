-- The UUIDv8 of a name: the first 16 bytes of its SHA-256, with version and variant (RFC 9562, section 5.8 and appendix B.2). What is made of the
-- same facts has the same id in every ledger, also in one that was restored from an earlier back-up (docs/restore.md, Derived ids).
create function derived_id(name text) returns uuid language sql immutable strict parallel safe
  return encode(
    set_byte(set_byte(substring(sha256(convert_to(name, 'UTF8')) for 16), 6, (get_byte(sha256(convert_to(name, 'UTF8')), 6) & 15) | 128),
      8, (get_byte(sha256(convert_to(name, 'UTF8')), 8) & 63) | 128), 'hex')::uuid;
