/** A UUID of any version, in any case (RFC 9562). Without a flag, for which a schema of JSON has no place. */
export const uuidPattern = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;
/** A UUID of version 8 (RFC 9562, section 5.8), in any case. */
const version8Pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-8/i;
const hexPattern = /^[0-9a-f]{32}$/i;

/** Whether a text is a UUID with dashes, in small letters or capitals. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** Whether a UUID is of version 8, whose makers choose its bits: here that are the ids of payments, which are derived (docs/restore.md, Derived ids). */
export function isVersion8(uuid: string): boolean {
  return version8Pattern.test(uuid);
}

/** The 32 hexadecimal digits of a UUID. */
export function uuidToHex(uuid: string): string {
  return uuid.replaceAll('-', '');
}

/** The UUID of 32 hexadecimal digits, in small letters; undefined for any other text. */
export function hexToUuid(hex: string): string | undefined {
  if (!hexPattern.test(hex)) return undefined;
  return hex.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
