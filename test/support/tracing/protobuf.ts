/** A decoded message of Protocol Buffers, whose fields are read by their numbers. */
export interface Message {
  messages(field: number): Message[];
  text(field: number): string;
  hex(field: number): string;
  number(field: number): number | undefined;
  /** A fixed64. */
  nanoseconds(field: number): number;
}

/** Decodes a message, without its schema. Throws on what is not well-formed. */
export function fieldsOf(bytes: Buffer): Message {
  const fields = new Map<number, (Buffer | number)[]>();
  let at = 0;

  function varint(): number {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  function take(length: number): Buffer {
    if (at + length > bytes.length) throw new Error('a field ends behind its message');
    at += length;
    return bytes.subarray(at - length, at);
  }

  /** By the wire type (protobuf.dev, Encoding). */
  const readers: Record<number, () => Buffer | number> = { 0: varint, 1: () => take(8), 2: () => take(varint()), 5: () => take(4) };
  while (at < bytes.length) {
    const tag = varint();
    const read = readers[tag & 7];
    if (read === undefined) throw new Error(`there is no wire type ${tag & 7}`);
    const field = tag >>> 3;
    fields.set(field, [...(fields.get(field) ?? []), read()]);
  }
  const buffers = (field: number) => (fields.get(field) ?? []).filter((value) => Buffer.isBuffer(value));
  return {
    messages: (field) => buffers(field).map(fieldsOf),
    text: (field) => buffers(field)[0]?.toString() ?? '',
    hex: (field) => buffers(field)[0]?.toString('hex') ?? '',
    number: (field) => (fields.get(field) ?? []).find((value) => typeof value === 'number'),
    nanoseconds: (field) => Number(buffers(field)[0]?.readBigUInt64LE() ?? 0n),
  };
}
