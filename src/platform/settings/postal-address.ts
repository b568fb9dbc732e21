import { z } from 'zod';

/** Most characters of each part of an address, as messages hold them (pain.001.001.09, `PostalAddress24`). */
export const addressLengths = { street: 70, buildingNumber: 16, postalCode: 16, city: 35, countryState: 35 } as const;

/** The free lines of a hybrid address, beside its city and country (EPC153-22). */
export const addressLines = { most: 2, length: 70 } as const;

/** Parts of an address that a bank may need. */
export const addressParts = ['street', 'buildingNumber', 'postalCode', 'city', 'country'] as const;

/** A part of an address that a bank may need. */
export type AddressPart = (typeof addressParts)[number];

const part = (length: number) => z.string().min(1).max(length).optional();

/** A postal address as banks take it: structured, or hybrid with up to two free lines. One of lines alone is taken nowhere. */
export const postalAddressSchema = z.strictObject({
  street: part(addressLengths.street),
  buildingNumber: part(addressLengths.buildingNumber),
  postalCode: part(addressLengths.postalCode),
  city: z.string().min(1).max(addressLengths.city),
  countryState: part(addressLengths.countryState),
  /** ISO 3166-1 alpha-2. */
  country: z.string().regex(/^[A-Z]{2}$/, 'is not a country code of two capital letters'),
  lines: z.array(z.string().min(1).max(addressLines.length)).max(addressLines.most).optional(),
});

/** A postal address. */
export type PostalAddress = z.infer<typeof postalAddressSchema>;
