/** The EndToEndId of a payment: its id without dashes, because the standard has room for 35 characters. */
export function endToEndIdOf(paymentId: string): string {
  return paymentId.replaceAll('-', '');
}

/** The payment (or file) that an id from the bank may mean; `undefined` when it is none of ours. Some banks write it in capitals. */
export function idOfEndToEndId(text: string | undefined): string | undefined {
  if (text === undefined || !/^[0-9a-f]{32}$/i.test(text)) return undefined;
  return text.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
