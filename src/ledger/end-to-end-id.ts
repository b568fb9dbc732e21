import { hexToUuid, uuidToHex } from '../platform/uuid.ts';

/** The EndToEndId of a payment: its id without dashes, because the standard has room for 35 characters. */
export function endToEndIdOf(paymentId: string): string {
  return uuidToHex(paymentId);
}

/** The payment (or file) that an id from the bank may mean; `undefined` when it is none of ours. Some banks write it in capitals. */
export function idOfEndToEndId(text: string | undefined): string | undefined {
  return text === undefined ? undefined : hexToUuid(text);
}
